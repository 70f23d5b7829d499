import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { CommandContext } from './context.ts';
import {
  kubeContextOption,
  kubeconfigOption,
  modeOption,
  nameserversOption,
  outputOption,
  pluginDirOption,
  secretsOption,
  stateOption,
} from './shared-options.ts';

/**
 * The command line. Each command's code is imported when it runs, so that `--help` and `validate` start fast and the
 * sandbox is loaded by nobody else.
 */
export function createProgram(context: CommandContext, done: (exitCode: number) => void): Command {
  const program = new Command('zoneproof')
    .description('Keeps TLS certificates issued and renewed through ACME DNS01.')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .configureOutput({
      writeOut: (text) => void context.out.write(text),
      writeErr: (text) => void context.err.write(text),
      getOutHelpWidth: () => Math.min(context.out.columns ?? 100, 120),
      getErrHelpWidth: () => Math.min(context.err.columns ?? 100, 120),
    })
    .showHelpAfterError(helpHint('zoneproof'))
    .exitOverride()
    .addHelpText('after', example('zoneproof validate manifests/', 'zoneproof run manifests/ --state state --once'));

  command(program, 'run', 'keep the certificates of the manifests issued and renewed')
    .argument('<path...>', 'manifests: files, or directories with *.yaml, *.yml and *.json')
    .addOption(stateOption())
    .addOption(secretsOption())
    .option('--once', 'end when all is settled: 0 when every certificate and issuer is Ready, else 1', false)
    .addOption(nameserversOption())
    .addOption(modeOption())
    .addOption(pluginDirOption())
    .addOption(new Option('--log-format <format>', 'form of the lines').choices(['text', 'json']).default('text'))
    .option(
      '--metrics-listen <host:port>',
      'serve /healthz, /readyz and /metrics there, without authentication; :9402 for every address',
    )
    .addHelpText('after', example('zoneproof run manifests/ --state /var/lib/zoneproof --secrets /run/secrets'))
    .action(async (paths, options) => done(await (await import('./run.ts')).run(paths, options, context)));

  command(program, 'controller', 'keep the certificates of a Kubernetes cluster issued and renewed')
    .option('--kubeconfig <file>', 'in place of KUBECONFIG, ~/.kube/config, or the service account of the Pod')
    .option('--context <name>', 'a context of the kubeconfig other than the current one')
    .addOption(
      new Option(
        '--namespace <namespace>',
        'work in this namespace only; may be repeated. All of them, and ClusterIssuers, when left out',
      ).argParser((name: string, names: string[] | undefined) => [...(names ?? []), name]),
    )
    .option(
      '--cluster-resource-namespace <namespace>',
      "where the Secrets of ClusterIssuers lie; the controller's own when left out",
    )
    .addOption(nameserversOption())
    .addOption(modeOption())
    .option(
      '--metrics-listen <host:port>',
      'serve /healthz, /readyz and /metrics there, without authentication; :9402 for every address',
      ':9402',
    )
    .addOption(new Option('--log-format <format>', 'form of the lines').choices(['text', 'json']).default('json'))
    .addOption(pluginDirOption())
    .option('--issuer-ambient-credentials', 'let Issuers use credentials of the Pod, as ClusterIssuers may', false)
    .option('--allowed-endpoints <host,...>', 'hosts that `endpoint` of a provider in an Issuer may name')
    .option(
      '--denied-cidrs <cidr,...>',
      'ranges that Issuers may not reach, besides loopback, link-local, metadata services and the API server',
    )
    .option('--watch-secrets', 'notice changed Secrets at once; needs the right to list and watch them', false)
    .option('--secret-resync <duration>', 'how often Secrets that are in use are read again', '10m')
    .option('--lease-name <name>', 'the Lease by which replicas find out who works', 'zoneproof')
    .option('--lease-duration <duration>', 'how long others wait when the one that works dies without a word', '15s')
    .option('--shutdown-timeout <duration>', 'how long to finish, after SIGTERM, what is under way', '20s')
    .addHelpText(
      'after',
      example(
        'zoneproof controller',
        'zoneproof controller --kubeconfig ~/.kube/config --namespace shop --log-format text',
      ),
    )
    .action(async (options) => done(await (await import('./controller.ts')).controller(options, context)));

  command(program, 'validate', 'check manifests offline: all problems at once, with file and line')
    .argument('<path...>', 'manifests: files or directories')
    .addOption(secretsOption())
    .addOption(pluginDirOption())
    .addOption(outputOption(['text', 'json'], 'text'))
    .addHelpText('after', example('zoneproof validate manifests/ --secrets /run/secrets'))
    .action(async (paths, options) => done(await (await import('./validate.ts')).validate(paths, options, context)));

  command(program, 'check', 'find out before the CA does what is wrong: credentials, zones, delegation, DNSSEC, CAA')
    .argument('<path...>', 'manifests (files or directories), or bare names such as www.example.com')
    .addOption(stateOption())
    .addOption(secretsOption())
    .addOption(
      new Option('--caa-identity <name...>', 'names by which the CA of a bare name goes in CAA records').default(
        ['letsencrypt.org'],
        'letsencrypt.org',
      ),
    )
    .option('--write', 'also write a probe value at each name, measure each server, and remove it', false)
    .addOption(nameserversOption())
    .addOption(modeOption())
    .addOption(pluginDirOption())
    .addOption(outputOption(['text', 'json'], 'text'))
    .addHelpText(
      'after',
      example('zoneproof check manifests/ --state /var/lib/zoneproof', 'zoneproof check www.example.com'),
    )
    .action(async (args, options) => done(await (await import('./check.ts')).check(args, options, context)));

  command(program, 'status', 'show certificates, issuers and orders, with and without a running process')
    .argument('[name]', 'one certificate, in detail')
    .option('-n, --namespace <namespace>', 'only this namespace')
    .addOption(stateOption())
    .addOption(outputOption(['table', 'json', 'yaml'], 'table'))
    .option('-w, --watch', 'show again at each change, until Ctrl-C', false)
    .option('--from-cluster', 'of a Kubernetes cluster, in place of a state directory', false)
    .addOption(kubeconfigOption())
    .addOption(kubeContextOption())
    .addHelpText(
      'after',
      example(
        'zoneproof status',
        'zoneproof status shop -n default -o json',
        'zoneproof status --from-cluster --watch',
      ),
    )
    .action(async (name, options) => done(await (await import('./status.ts')).status(name, options, context)));

  command(program, 'renew', 'renew a certificate now; the old one stays until the new one is stored')
    .argument('<name>', 'the certificate')
    .option('-n, --namespace <namespace>', 'its namespace', 'default')
    .addOption(stateOption())
    .option('--from-cluster', 'in a Kubernetes cluster, in place of a state directory', false)
    .addOption(kubeconfigOption())
    .addOption(kubeContextOption())
    .addHelpText(
      'after',
      example(
        'zoneproof renew shop -n default --state /var/lib/zoneproof',
        'zoneproof renew shop -n web --from-cluster',
      ),
    )
    .action(async (name, options) => done(await (await import('./renew.ts')).renew(name, options, context)));

  command(program, 'providers', 'list the installed DNS providers, or show one: fields, permissions, an Issuer, errors')
    .argument('[name]', "a provider's block key")
    .addOption(pluginDirOption())
    .addOption(outputOption(['text', 'json'], 'text'))
    .addHelpText('after', example('zoneproof providers', 'zoneproof providers rfc2136'))
    .action(async (name, options) => done(await (await import('./providers.ts')).providers(name, options, context)));

  command(program, 'policy', "print the access policy that a provider's credentials need, as JSON")
    .argument('<provider>', "the provider's block key")
    .option('--hosted-zone-id <id>', 'only this zone; all zones of the account when left out')
    .option('--region <region>', 'the region of the block, where the document depends on it')
    .option('--merge', 'also what is needed to write beside other writers at one name', false)
    .addOption(pluginDirOption())
    .addHelpText(
      'after',
      example('zoneproof policy routedns', 'zoneproof policy routedns --hosted-zone-id Z0123456789EXAMPLE --merge'),
    )
    .action(async (key, options) => done(await (await import('./policy.ts')).policy(key, options, context)));

  command(
    program,
    'crds',
    'print the CustomResourceDefinitions for Kubernetes, with the blocks of the installed providers',
  )
    .argument('[kind]', 'only this kind: Issuer, ClusterIssuer, Certificate or Order')
    .addOption(pluginDirOption())
    .addOption(outputOption(['yaml', 'json'], 'yaml'))
    .addHelpText('after', example('zoneproof crds | kubectl apply --server-side -f -', 'zoneproof crds Issuer -o json'))
    .action(async (kind, options) => done(await (await import('./crds.ts')).crds(kind, options, context)));

  const acmedns = command(program, 'acmedns', 'accounts at an acme-dns server');
  command(acmedns, 'register', 'register accounts, merge the credentials document, print and check the CNAMEs')
    .argument('<url>', 'base URL of the acme-dns server')
    .requiredOption('-d, --domain <domain...>', 'domains of the certificates; "*." may be left out')
    .option('--allow-from <cidr...>', 'address ranges that may update the records; cannot be changed later')
    .requiredOption('--out <file>', 'the credentials document; accounts already in it are kept')
    .option('--json', 'print the outcome as JSON', false)
    .option(
      '--dns01-self-check-nameservers <host:port,...>',
      'servers that the CNAME check starts from, in place of those in /etc/resolv.conf',
    )
    .addHelpText(
      'after',
      example(
        'zoneproof acmedns register https://auth.example.com -d shop.example.com --allow-from 192.0.2.0/24 --out acmedns.json',
      ),
    )
    .action(async (url, options) =>
      done(await (await import('./acmedns-register.ts')).acmednsRegister(url, options, context)),
    );

  const imports = command(program, 'import', 'take over what another tool looks after');
  command(
    imports,
    'cert-manager',
    "cert-manager's Issuers and Certificates as ours, and a list of what has no counterpart",
  )
    .argument('[path...]', 'manifests of cert-manager, and Secrets: files or directories')
    .option('--from-cluster', 'read the objects from a Kubernetes cluster', false)
    .option('-n, --namespace <namespace>', 'only this namespace, and ClusterIssuers')
    .addOption(kubeconfigOption())
    .addOption(kubeContextOption())
    .requiredOption('--out <file|dir>', 'where our manifests are written: a file, or a directory with a file for each')
    .addOption(pluginDirOption())
    .addOption(outputOption(['text', 'json'], 'text'))
    .addHelpText(
      'after',
      example(
        'zoneproof import cert-manager cert-manager.yaml --out zoneproof.yaml',
        'zoneproof import cert-manager --from-cluster -n shop --out manifests/',
      ),
    )
    .action(async (paths, options) =>
      done(await (await import('./import.ts')).importCertManager(paths, options, context)),
    );

  command(program, 'sandbox', 'try everything on this machine: a CA, DNS servers and the controller, until Ctrl-C')
    .option('--dir <dir>', 'where the manifests to play with are written', 'zoneproof-sandbox')
    .addHelpText('after', example('zoneproof sandbox --dir play'))
    .action(async (options) => done(await (await import('./sandbox.ts')).sandbox(options, context)));

  command(program, 'completion', 'print a completion script for a shell')
    .addArgument(program.createArgument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      example(
        'source <(zoneproof completion bash)',
        'zoneproof completion fish > ~/.config/fish/completions/zoneproof.fish',
      ),
    )
    .action(async (shell) => {
      const { completionScript } = await import('./completion.ts');
      context.out.write(completionScript(shell, program));
      done(0);
    });
  return program;
}

/** The version in the package's own package.json. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function command(parent: Command, name: string, description: string): Command {
  const made = parent.command(name).description(description).helpOption('-h, --help', 'show this help');
  const path = parent.parent === null ? `zoneproof ${name}` : `zoneproof ${parent.name()} ${name}`;
  return made.showHelpAfterError(helpHint(path));
}

function helpHint(path: string): string {
  return `(${path} --help shows how it is used)`;
}

function example(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
