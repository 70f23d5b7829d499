import { formatListenAddress, ListenAddressError, parseListenAddress } from '../health/listen-address.ts';
import type { MeasuredWork, Metrics } from '../metrics/metrics.ts';
import { type CommandContext, CommandError, UsageError } from './context.ts';
import { packageVersion } from './program.ts';

/** What `--metrics-listen` gives a command: metrics, and an address where they and the health of the process are told. */
export interface Monitoring {
  /** For the log: what is served where. */
  readonly told: string;
  /** To be handed to the store and the controller. */
  readonly metrics: Metrics;
  /** From now on /readyz says yes: what is watched over has been read, be it this process that works on it or another. */
  ready(): void;
  /** This process does the work from now on. @returns ends that */
  follow(work: MeasuredWork): () => void;
  close(): Promise<void>;
}

/** No piece of work has ended for so long although there is some: every one of them has deadlines far below. */
const stuckMs = 600_000;

/**
 * Serves /healthz, /readyz and /metrics. Its code is loaded here: commands that are not asked for it do without.
 *
 * @param listen `127.0.0.1:9402`, `[::1]:9402` or `:9402`
 * @throws UsageError when it is no address, CommandError when it cannot be listened at
 */
export async function startMonitoring(listen: string, { clock }: CommandContext): Promise<Monitoring> {
  const [{ createMetrics }, { ListenError, serveHealth }] = await Promise.all([
    import('../metrics/metrics.ts'),
    import('../health/server.ts'),
  ]);
  const metrics = createMetrics({ clock, version: packageVersion() });
  let isReady = false;
  let work: MeasuredWork | undefined;
  const live = (): string | undefined => {
    const { noneEndedSince } = work?.controller.queue ?? {};
    if (noneEndedSince === undefined || clock.now() - noneEndedSince < stuckMs) return undefined;
    return `there is work, and none of it has ended since ${new Date(noneEndedSince).toISOString()}`;
  };
  const ready = (): string | undefined => (isReady ? undefined : 'starting: what is declared has not been read yet');
  try {
    const address = parseListenAddress(listen);
    const server = await serveHealth({ listen: address, live, ready, metrics: () => metrics.text() });
    return {
      told: `/healthz, /readyz and /metrics are served at ${formatListenAddress(server.address)}.`,
      metrics,
      ready: () => {
        isReady = true;
      },
      follow: (next) => {
        work = next;
        const unfollow = metrics.follow(next);
        return () => {
          unfollow();
          if (work === next) work = undefined;
        };
      },
      close: () => server.close(),
    };
  } catch (error) {
    if (error instanceof ListenAddressError) throw new UsageError(`--metrics-listen: ${error.message}`);
    if (error instanceof ListenError) throw new CommandError(`--metrics-listen: ${error.message}.`);
    throw error;
  }
}
