import { readdirSync } from 'node:fs';
import type { Instruments } from './instruments.ts';

/** What every exporter tells of its process, under the names that dashboards know. @returns what brings it up to date */
export function createProcessFigures(instruments: Instruments): () => void {
  const cpu = instruments.counter('process_cpu_seconds_total');
  const active = instruments.counter('nodejs_eventloop_active_seconds_total');
  const resident = instruments.gauge('process_resident_memory_bytes');
  const heap = instruments.gauge('nodejs_heap_size_used_bytes');
  const files = instruments.gauge('process_open_fds');
  instruments.gauge('process_start_time_seconds').set(Math.round(performance.timeOrigin) / 1_000);
  const told = { cpu: 0, active: 0 };
  return () => {
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1e6;
    const activeSeconds = performance.eventLoopUtilization().active / 1e3;
    cpu.inc(Math.max(0, cpuSeconds - told.cpu));
    active.inc(Math.max(0, activeSeconds - told.active));
    Object.assign(told, { cpu: cpuSeconds, active: activeSeconds });
    resident.set(process.memoryUsage.rss());
    heap.set(process.memoryUsage().heapUsed);
    files.set(openFiles());
  };
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
