// `npm run bench [-- --quick] [--only zoneproof|lego|certbot] [-o json]`: zoneproof beside lego and certbot, on the same
// pebble and BIND, in one run. It reports; it judges nothing.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { requireReal } from '@zoneproof/farm';
import { certbot } from './certbot.ts';
import type { Client, Names } from './client.ts';
import { lego, legoAsItComes } from './lego.ts';
import { measure, median, type Row } from './measure.ts';
import { latenciesInRunningController } from './running-controller.ts';
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
if (!requireReal('bind', 'pebble', 'lego', 'certbot'))
  throw new Error('the benchmark needs real servers and clients: run tools/install-real-servers.sh first');

const clients = [zoneproof, lego, legoAsItComes, certbot].filter(
  (client) => options.only.length === 0 || options.only.some((name) => client.name.startsWith(name)),
);
const many = options.quick ? 20 : 100;
let issuedNames = 0;

const rows: Row[] = [];
let latencies: readonly number[] = [];
for (const nonceRejectPercent of [0, 5]) {
  const world = await startWorld(nonceRejectPercent);
  try {
    await (nonceRejectPercent === 0 ? compare(world) : compareOnBadNonces(world));
  } finally {
    await world.stop();
  }
}
await print();

async function compare(world: World): Promise<void> {
  for (const client of clients) {
    const alone = client === zoneproof;
    if (alone) await add(`${many} certificates`, world, client, singles(world, many), 1);
    else {
      // One after the other takes long: a few show the rate.
      const few = options.quick ? 2 : 10;
      await add(`${few} certificates`, world, client, singles(world, few), 1);
      await add(`${many} certificates`, world, client, singles(world, many), Math.min(16, many));
      if (client !== certbot) await add(`${many} certificates`, world, client, singles(world, many), many);
    }
    const times = options.quick ? 1 : 5;
    for (let i = 0; i < times; i++) await add('1 certificate', world, client, singles(world, 1), 1);
    if (client === legoAsItComes) continue; // 100 names would take it 7 minutes and more.
    await add(`1 with ${many} names`, world, client, [namesOf(world, many)], 1);
  }
  if (clients.includes(zoneproof)) latencies = await latenciesInRunningController(world, options.quick ? 3 : 10);
}

async function compareOnBadNonces(world: World): Promise<void> {
  for (const client of clients.filter((one) => one !== legoAsItComes)) {
    const parallel = client === zoneproof ? 1 : Math.min(16, many);
    await add(`${many}, 5 % bad nonces`, world, client, singles(world, many), parallel);
    const times = options.quick || client === lego ? 1 : 4;
    for (let i = 0; i < times; i++)
      await add(`1 with ${many} names, 5 % bad`, world, client, [namesOf(world, many)], 1);
  }
}

async function add(title: string, world: World, client: Client, certificates: readonly Names[], parallel: number) {
  progress(`${client.name}: ${title}, ${parallel} at once`);
  rows.push(await measure(title, world, client, certificates, parallel));
}

function singles(world: World, count: number): readonly Names[] {
  return Array.from({ length: count }, (): Names => [freshName(world)]);
}

function namesOf(world: World, count: number): Names {
  return [freshName(world), ...Array.from({ length: count - 1 }, () => freshName(world))];
}

function freshName(world: World): string {
  issuedNames++;
  return `h${issuedNames}.${world.zone}`;
}

async function print(): Promise<void> {
  const versions: Record<string, string> = {};
  for (const client of clients) versions[client.name] = await client.version();
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}`;
  if (options.output === 'json') {
    console.log(JSON.stringify({ machine, versions, rows, runningControllerMs: latencies }, undefined, 2));
    return;
  }
  console.log(`${machine}; BIND and pebble share these CPUs`);
  console.log(
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  );
  console.log(`\n${table(rows)}`);
  if (latencies.length > 0) {
    const [least, middle, most] = [Math.min(...latencies), median(latencies), Math.max(...latencies)].map(Math.round);
    console.log(
      `\nOne certificate in a running zoneproof: ${middle} ms (${least} to ${most}, ${latencies.length} times)`,
    );
  }
}

function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}
