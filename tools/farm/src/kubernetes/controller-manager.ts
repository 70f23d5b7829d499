import { type RunningServer, startServer } from '../process.ts';
import { tool } from '../tools.ts';

/** kube-controller-manager with what deletes: the contents of namespaces, and objects whose owners are gone. */
export function startControllerManager(kubeconfig: string): Promise<RunningServer> {
  return startServer('kube-controller-manager', async () => ({
    command: tool('kube-controller-manager'),
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--controllers=namespace-controller,garbage-collector-controller',
      '--leader-elect=false',
      '--secure-port=0',
      // With its 20 requests a second the tests would wait for it rather than for what they test.
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ],
    readyWithinMs: 60_000,
    ready: async (log) => {
      if (!/all resource monitors have synced/i.test(log)) throw new Error('its caches are not filled yet');
    },
  }));
}
