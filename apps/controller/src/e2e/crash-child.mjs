// A zoneproof process that ends itself with SIGKILL. Plain JavaScript over the built program: what is killed is what
// users run. ZONEPROOF_CRASH holds a CrashPlan (crash-process.ts) as JSON.
import { appendFileSync } from 'node:fs';
import { mapTransport, systemTransport } from '@zoneproof/dns';
import { main } from '../../dist/cli/main.js';

const { transport, clockOffsetMs = 0, trace, killAt, killAtIndex } = JSON.parse(process.env.ZONEPROOF_CRASH);
let index = 0;
let occurrence = 0;

process.exitCode = await main(process.argv.slice(2), {
  transport: mapTransport(systemTransport, new Map(transport)),
  clock: { now: () => Date.now() + clockOffsetMs },
  hook(name, moment) {
    const boundary = `${name} ${moment}`;
    appendFileSync(trace, `${boundary}\n`);
    if (boundary === killAt?.boundary) occurrence++;
    if (index++ === killAtIndex || (boundary === killAt?.boundary && occurrence === killAt.occurrence))
      process.kill(process.pid, 'SIGKILL');
  },
});
