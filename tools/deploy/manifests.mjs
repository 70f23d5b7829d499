import { render } from './helm.mjs';

/** Stands for the image that whoever builds it pushes somewhere; the name cannot resolve. */
export const imagePlaceholder = 'registry.invalid/zoneproof';

const image = ['--set', `image.repository=${imagePlaceholder}`];
const withoutCrds = ['--set', 'crds.enabled=false'];

/** deploy/manifests: what `helm template` makes of the chart, for those who use kubectl alone. Path to text. */
export async function plainManifests() {
  const [crds, cluster, namespaced] = await Promise.all([
    render([...image, '--show-only', 'templates/crds.yaml']),
    render([...image, ...withoutCrds]),
    render([...image, ...withoutCrds, '--set', 'namespaces={zoneproof}']),
  ]);
  return new Map([
    ['deploy/manifests/crds.yaml', plain(crds)],
    ['deploy/manifests/cluster.yaml', `${namespace}${plain(cluster)}`],
    ['deploy/manifests/one-namespace.yaml', `${namespace}${plain(namespaced)}`],
  ]);
}

const namespace = `# Generated from deploy/chart.
apiVersion: v1
kind: Namespace
metadata:
  name: zoneproof
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;

/** Without what only helm makes use of. */
function plain(text) {
  return text
    .split('\n')
    .filter((line) => !/^# Source: |^ *(?:helm\.sh\/chart|app\.kubernetes\.io\/managed-by): /.test(line))
    .join('\n');
}
