import { main } from '../cli/main.ts';
import { collector, plugins } from '../cli/testing/run-main.ts';
import { until } from '../kubernetes/testing/until.ts';
import { type KubernetesWorld, secondAddress } from './kubernetes-world.ts';

export interface LoggedLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly reason: string;
  readonly message: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** `zoneproof controller` inside the test's process, as the shipped ServiceAccount. */
export interface RunningController {
  readonly kubeconfig: string;
  lines(): readonly LoggedLine[];
  /** All that it printed. */
  printed(): string;
  metrics(): Promise<string>;
  /** As SIGTERM; the exit code. */
  stop(): Promise<number>;
}

export const serviceAccount = { name: 'system:serviceaccount:zoneproof:zoneproof' };

/** Resolves when it leads. */
export async function startKubernetesController(
  { resolver, transport }: KubernetesWorld,
  kubeconfig: string,
  zones: readonly string[],
): Promise<RunningController> {
  const [stdout, stderr, end] = [collector(), collector(), new AbortController()];
  const addresses = ['127.0.0.1', ...zones.map((_, index) => secondAddress(index))];
  const args = [
    ...['controller', '--kubeconfig', kubeconfig, '--metrics-listen', '127.0.0.1:0'],
    // The servers of these tests are on loopback.
    ...['--allowed-endpoints', addresses.join(','), '--dns01-self-check-nameservers', resolver],
    ...['--secret-resync', '10s'],
  ];
  const ended = main(args, { stdout, stderr, env: {}, plugins, transport, signal: end.signal });
  const lines = (): readonly LoggedLine[] =>
    stdout
      .text()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const printed = (): string => stdout.text() + stderr.text();
  const stop = (): Promise<number> => {
    end.abort();
    return ended;
  };
  try {
    await Promise.race([
      until('it leads', () => lines().some(({ reason }) => reason === 'Leading')),
      ended.then((code) => Promise.reject(new Error(`it ended with ${code}`))),
    ]);
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}: ${printed()}`);
  }
  const [address = ''] = /\d+\.\d+\.\d+\.\d+:\d+/.exec(printed()) ?? [];
  const metrics = async (): Promise<string> => (await fetch(`http://${address}/metrics`)).text();
  return { kubeconfig, lines, printed, metrics, stop };
}
