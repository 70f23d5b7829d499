import { existsSync } from 'node:fs';
import { stringify } from 'yaml';
import type { FromCluster } from './cluster-status.ts';
import { type CommandContext, CommandError } from './context.ts';
import { readStatus } from './output/status-report.ts';
import type { StatusReport } from './output/status-schema.ts';
import { showStatus } from './output/status-text.ts';
import { aborted, untilStopped } from './signals.ts';
import { createScreen } from './terminal/screen.ts';

interface Options extends FromCluster {
  readonly namespace?: string;
  readonly state: string;
  readonly output: 'table' | 'json' | 'yaml';
  readonly watch: boolean;
}

/** A file is cheap to read, a cluster is not. */
const watchMs = { file: 500, cluster: 5_000 };

/** `zoneproof status`: 0 when it could be shown, 1 when there is no such state directory, cluster or certificate. */
export async function status(name: string | undefined, options: Options, context: CommandContext): Promise<number> {
  const { namespace, state } = options;
  if (options.fromCluster) {
    const { readClusterStatus, withCluster } = await import('./cluster-status.ts');
    return withCluster(options, context, (api, signal) => {
      const read = () => readClusterStatus(api, namespace, context.clock.now(), signal);
      return show(read, name, { ...options, place: 'the cluster', where: '--from-cluster' }, context);
    });
  }
  if (!existsSync(state))
    throw new CommandError(`there is no state directory ${state}. Give that of zoneproof run with --state.`);
  const read = () => readStatus(state, context.clock.now());
  return show(read, name, { ...options, place: state, where: `--state ${state}` }, context);
}

interface Shown extends Options {
  /** For people: what is looked into, and with which option. */
  readonly place: string;
  readonly where: string;
}

async function show(
  readReport: () => Promise<StatusReport>,
  name: string | undefined,
  options: Shown,
  context: CommandContext,
): Promise<number> {
  const { namespace, place, where } = options;
  const read = async (): Promise<string> => {
    const report = select(await readReport(), name, namespace);
    if (name !== undefined && report.certificates.length === 0)
      throw new CommandError(
        `there is no certificate ${name}${namespace === undefined ? '' : ` in namespace ${namespace}`} in ${place}. zoneproof status ${where} lists those there are.`,
      );
    if (options.output === 'json') return `${JSON.stringify(report, undefined, 2)}\n`;
    if (options.output === 'yaml') return stringify(report);
    return showStatus(report, name !== undefined, context.style, context.clock.now());
  };
  if (!options.watch) {
    context.out.write(await read());
    return 0;
  }
  return watchStatus(read, options.fromCluster ? watchMs.cluster : watchMs.file, context);
}

async function watchStatus(read: () => Promise<string>, everyMs: number, context: CommandContext): Promise<number> {
  const stopping = untilStopped(context.inputs.signal);
  const stopped = aborted(stopping.signal);
  const screen = createScreen(context.out);
  let shown = '';
  try {
    while (!stopping.signal.aborted) {
      const text = await read();
      if (text !== shown) screen.draw(text.trimEnd().split('\n'));
      shown = text;
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([stopped, new Promise((resolve) => (timer = setTimeout(resolve, everyMs)))]);
      clearTimeout(timer);
    }
    return 0;
  } finally {
    screen.close();
    stopping.release();
  }
}

function select(report: StatusReport, name: string | undefined, namespace: string | undefined): StatusReport {
  const wanted = (object: { namespace: string }): boolean => namespace === undefined || object.namespace === namespace;
  const certificates = report.certificates.filter((one) => wanted(one) && (name === undefined || one.name === name));
  if (name === undefined)
    return {
      ...report,
      certificates,
      issuers: report.issuers.filter((one) => one.kind === 'ClusterIssuer' || wanted(one)),
      orders: report.orders.filter(wanted),
    };
  return {
    ...report,
    certificates,
    issuers: report.issuers.filter((issuer) =>
      certificates.some(
        ({ issuerRef, namespace: own }) =>
          issuerRef.name === issuer.name &&
          issuerRef.kind === issuer.kind &&
          (issuer.namespace === '' || issuer.namespace === own),
      ),
    ),
    orders: report.orders.filter((order) =>
      certificates.some((one) => one.namespace === order.namespace && one.name === order.certificate),
    ),
  };
}
