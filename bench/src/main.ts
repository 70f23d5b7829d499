// `npm run bench [-- --quick] [--only zoneproof|lego|certbot|requests|selfcheck|kubernetes] [-o json]`: zoneproof beside lego and certbot, on
// the same pebble and BIND, in one run; and the requests it sends to the APIs of DNS services (`requests`), counted by
// emulators; and what its self check costs and how late it is (`selfcheck`), against servers in simulated time; and what
// `zoneproof controller` costs on a real API server (`kubernetes`). It reports; it judges nothing.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { requireReal } from '@zoneproof/farm';
import { casesOf } from './cases.ts';
import { certbot } from './certbot.ts';
import { kubernetesFigures, kubernetesTables } from './kubernetes/index.ts';
import { lego, legoAsItComes } from './lego.ts';
import { measure, median, type Row } from './measure.ts';
import { requestRows, requestTable } from './requests/index.ts';
import { latenciesInRunningController } from './running-controller.ts';
import { selfCheckFigures, selfCheckTables } from './selfcheck/index.ts';
import { table } from './table.ts';
import { startWorld, type World } from './world.ts';
import { zoneproof } from './zoneproof.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    output: { type: 'string', short: 'o', default: 'table' },
  },
});
const wants = (name: string) => options.only.length === 0 || options.only.some((one) => name.startsWith(one));
const clients = [zoneproof, lego, legoAsItComes, certbot].filter((client) => wants(client.name));
if (clients.length > 0 && !requireReal('bind', 'pebble', 'lego', 'certbot'))
  throw new Error('the benchmark needs real servers and clients: run tools/install-real-servers.sh first');

if (wants('kubernetes') && !requireReal('bind', 'pebble', 'kubernetes'))
  throw new Error('the benchmark needs a real API server: run tools/install-real-servers.sh first');

const rows: Row[] = [];
for (const found of clients.flatMap((client) => casesOf(client, options.quick)))
  for (let i = 0; i < found.times; i++) {
    progress(`${found.client.name}: ${found.title}, ${found.parallel} at once`);
    // Servers of its own: nothing that one client left in them slows down the next.
    rows.push(await withWorld(found.badNonces, (world) => measure(world, found)));
  }
const latencies = clients.includes(zoneproof)
  ? await withWorld(0, (world) => latenciesInRunningController(world, options.quick ? 3 : 10))
  : [];
const requests = wants('requests') ? await requestRows(options.quick, progress) : [];
const selfCheck = wants('selfcheck') ? await selfCheckFigures(options.quick, progress) : undefined;
const kubernetes = wants('kubernetes') ? await kubernetesFigures(options.quick, progress) : undefined;
await print();

async function withWorld<T>(badNonces: number, use: (world: World) => Promise<T>): Promise<T> {
  const world = await startWorld(badNonces);
  try {
    return await use(world);
  } finally {
    await world.stop();
  }
}

async function print(): Promise<void> {
  const versions: Record<string, string> = {};
  for (const client of clients) versions[client.name] = await client.version();
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}`;
  if (options.output === 'json') {
    const all = { machine, versions, rows, runningControllerMs: latencies, requests, selfCheck, kubernetes };
    console.log(JSON.stringify(all, undefined, 2));
    return;
  }
  if (clients.length > 0) {
    console.log(`${machine}; BIND and pebble share these CPUs`);
    console.log(
      Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    );
    console.log(`\n${table(rows)}`);
  }
  if (latencies.length > 0) {
    const [least, middle, most] = [Math.min(...latencies), median(latencies), Math.max(...latencies)].map(Math.round);
    console.log(
      `\nOne certificate in a running zoneproof: ${middle} ms (${least} to ${most}, ${latencies.length} times)`,
    );
  }
  if (requests.length > 0)
    console.log(
      `\nAPI requests for challenges at names of their own, each value written and removed; "sum" leaves out looks at\nchanges on their way, of which each is in sync at the second, and requests for tokens\n\n${requestTable(requests)}`,
    );
  if (selfCheck !== undefined) console.log(`\n${selfCheckTables(selfCheck)}`);
  if (kubernetes !== undefined) console.log(`\n${kubernetesTables(kubernetes)}`);
}

function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}
