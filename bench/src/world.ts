import { readFile } from 'node:fs/promises';
import type { TsigKey } from '@zoneproof/dns';
import { type Bind, newTsigKey, type Pebble, startBind, startPebble } from '@zoneproof/farm';

/** The servers that every client of one comparison talks to: BIND with one zone, and pebble that asks it. */
export interface World {
  readonly zone: string;
  readonly dns: Bind;
  readonly ca: Pebble;
  readonly key: TsigKey;
  /** CPU of both servers since they started, in milliseconds. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

export async function startWorld(nonceRejectPercent: number): Promise<World> {
  const zone = 'bench.test';
  const key = newTsigKey('bench-key');
  const dns = await startBind({ keys: [key], zones: [{ name: zone }] });
  try {
    const ca = await startPebble({ dns: `${dns.address}:${dns.port}`, nonceRejectPercent });
    return {
      zone,
      dns,
      ca,
      key,
      cpuMs: async () => (await cpuMsOf(dns.pid)) + (await cpuMsOf(ca.pid)),
      stop: async () => {
        await ca.stop();
        await dns.stop();
      },
    };
  } catch (error) {
    await dns.stop();
    throw error;
  }
}

/** User and system time of a running process; Linux counts it in hundredths of a second. */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The command name, in parentheses, may hold spaces: the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
