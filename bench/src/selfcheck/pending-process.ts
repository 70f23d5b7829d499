// A process of its own, so that nobody else's memory is counted: `node --expose-gc pending-process.js LOAD SEED`, LOAD in
// JSON. Prints the cost as JSON.
import { type PendingLoad, waitForPending } from './pending.ts';

const [load = '', seed = ''] = process.argv.slice(2);
const collect = globalThis.gc;
if (collect === undefined) throw new Error('run with --expose-gc');
console.log(JSON.stringify(await waitForPending(JSON.parse(load) as PendingLoad, Number(seed), () => collect())));
