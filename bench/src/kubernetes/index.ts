import { textTable } from '../table.ts';
import { measureRest, type RestFigures } from './at-rest.ts';
import { type ClusterWorld, startClusterWorld } from './cluster-world.ts';
import { type IssuanceFigures, measureIssuance } from './issuance.ts';

/** `zoneproof controller` on a real API server. */
export interface KubernetesFigures {
  readonly issuance: readonly IssuanceFigures[];
  readonly rest: RestFigures;
}

export async function kubernetesFigures(quick: boolean, progress: (text: string) => void): Promise<KubernetesFigures> {
  const issuance: IssuanceFigures[] = [];
  for (const count of quick ? [5] : [20, 500]) {
    progress(`kubernetes: ${count} certificates`);
    issuance.push(await withWorld((world) => measureIssuance(world, count)));
  }
  const rest = await withWorld((world) => measureRest(world, quick ? 50 : 10_000, quick ? 2 : 1_200, progress));
  return { issuance, rest };
}

/** An API server of its own for each, so that one does not slow down the next. */
async function withWorld<T>(use: (world: ClusterWorld) => Promise<T>): Promise<T> {
  const world = await startClusterWorld();
  try {
    return await use(world);
  } finally {
    await world.stop();
  }
}

export function kubernetesTables({ issuance, rest }: KubernetesFigures): string {
  const sumOf = ({ writes }: IssuanceFigures, isCounted: (what: string) => boolean) =>
    writes.filter(({ what }) => isCounted(what)).reduce((sum, { perCertificate }) => sum + perCertificate, 0);
  const isEvent = (what: string) => / events\b/.test(what);
  const kinds = [...new Set(issuance.flatMap(({ writes }) => writes.map(({ what }) => what)))];
  const cell = (figures: IssuanceFigures, what: string) =>
    (figures.writes.find((one) => one.what === what)?.perCertificate ?? 0).toFixed(2);
  return [
    textTable(
      ['certificates', '', 's', 'CPU ms each', 'MiB', 'writes each', 'Events each'],
      issuance.map((one) => [
        String(one.certificates),
        '',
        (one.wallMs / 1000).toFixed(2),
        one.cpuMsPerCertificate.toFixed(1),
        one.rssMiB.toFixed(0),
        sumOf(one, (what) => !isEvent(what)).toFixed(2),
        sumOf(one, isEvent).toFixed(2),
      ]),
    ),
    textTable(
      ['writes each, of', '', ...issuance.map(({ certificates }) => String(certificates))],
      kinds.map((what) => [what, '', ...issuance.map((one) => cell(one, what))]),
    ),
    `${rest.certificates} certificates at rest (${rest.ready} of them Ready): ready ${seconds(rest.readyMs)} after the start, leading after ${seconds(rest.leadingMs)}, all Secrets read ${seconds(rest.firstLooksMs)} later; ${rest.rssMiB.toFixed(0)} MiB resident, ${rest.cpuPercent.toFixed(2)} % of one CPU over ${rest.seconds} s`,
  ].join('\n\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
