import type { SelfCheckMode } from '@zoneproof/core';
import { Option } from 'commander';

// Options that several commands have, each said once.

const defaultStateDir = 'zoneproof-state';

export function stateOption(): Option {
  return new Option('--state <dir>', 'the state directory: accounts, keys, certificates').default(defaultStateDir);
}

export function secretsOption(): Option {
  return new Option('--secrets <dir>', 'Secrets as files NAME/ENTRY, the form in which Kubernetes mounts them');
}

export function kubeconfigOption(): Option {
  return new Option('--kubeconfig <file>', 'with --from-cluster: in place of KUBECONFIG or ~/.kube/config');
}

export function kubeContextOption(): Option {
  return new Option('--context <name>', 'with --from-cluster: a context other than the current one');
}

export function nameserversOption(): Option {
  return new Option(
    '--dns01-self-check-nameservers <host:port,...>',
    'servers that the self check starts from, in place of those in /etc/resolv.conf; tls://host and https://host/path, too',
  );
}

export function modeOption(): Option {
  return new Option('--dns01-self-check-mode <mode>', 'whom the self check asks, unless an Issuer says otherwise')
    .choices(['auto', 'authoritative', 'listed-only'] satisfies SelfCheckMode[])
    .default('auto');
}

export function pluginDirOption(): Option {
  return new Option('--plugin-dir <dir>', 'one more place with provider packages; may be repeated').argParser(
    (dir: string, dirs: string[] | undefined) => [...(dirs ?? []), dir],
  );
}

export function outputOption(forms: readonly string[], form: string): Option {
  return new Option('-o, --output <form>', 'form of the output').choices(forms).default(form);
}
