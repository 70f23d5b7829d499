import http from 'node:http';
import https from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';

export interface KubeConfigOptions {
  /** Path of a kubeconfig; absent: KUBECONFIG, `~/.kube/config`, then the service account of the pod. */
  readonly kubeconfig?: string;
  /** Absent: the current one. */
  readonly context?: string;
}

/** What a request needs to prove who sends it. */
export interface Identity {
  readonly agent: http.Agent;
  readonly headers: Readonly<Record<string, string>>;
}

/** How to reach the API server, and as whom. The message of what goes wrong says what to change. */
export class KubeConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'KubeConfigError';
  }
}

/** Node keeps connections that nobody uses for this long. */
const idleSocketMs = 60_000;

/** The server and the identity of one context, refreshed as tokens and certificates are. */
export class KubeCredentials {
  readonly #options: KubeConfigOptions;
  readonly server: URL;
  readonly namespace: string | undefined;
  #config: KubeConfig;
  #agent: { readonly of: string; readonly agent: http.Agent } | undefined;
  readonly #retired = new Set<http.Agent>();

  private constructor(options: KubeConfigOptions, config: KubeConfig) {
    this.#options = options;
    this.#config = config;
    const cluster = config.getCurrentCluster();
    if (cluster === null)
      throw new KubeConfigError(
        `The kubeconfig has no cluster for context "${config.getCurrentContext()}". Name another by --context.`,
      );
    try {
      // A path of the server belongs to each request: https://proxy.example/k8s/clusters/c-1
      this.server = new URL(cluster.server.replace(/\/+$/, ''));
    } catch {
      throw new KubeConfigError(`The kubeconfig's server "${cluster.server}" is no URL.`);
    }
    this.namespace = config.getContextObject(config.getCurrentContext())?.namespace;
  }

  /** @throws KubeConfigError */
  static async load(options: KubeConfigOptions): Promise<KubeCredentials> {
    return new KubeCredentials(options, await readConfig(options));
  }

  /**
   * The identity as of now. `renewed`: the last one was refused, so files are read and commands run again.
   *
   * @throws KubeConfigError
   */
  async identity(renewed: boolean): Promise<Identity> {
    if (renewed) this.#config = await readConfig(this.#options);
    const options: https.RequestOptions = { headers: {} };
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (error) {
      throw new KubeConfigError(
        `The kubeconfig gives no credentials for ${this.server.origin}: ${firstLine(error)}. Check its user, or the service account's token.`,
      );
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = String(value).trim();
    if (typeof options.auth === 'string')
      headers.Authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
    return { agent: this.#agentFor(options), headers };
  }

  close(): void {
    this.#agent?.agent.destroy();
    for (const agent of this.#retired) agent.destroy();
  }

  /** One agent for as long as certificates stay the same: it holds the open connections. */
  #agentFor({ agent, ca, cert, key, rejectUnauthorized, servername }: https.RequestOptions): http.Agent {
    const of = JSON.stringify([ca, cert, key, rejectUnauthorized, servername].map(String));
    if (this.#agent?.of === of) return this.#agent.agent;
    if (this.#agent !== undefined) this.#retired.add(this.#agent.agent);
    const tls = { ca, cert, key, rejectUnauthorized, servername };
    const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
    const keep = { keepAlive: true, timeout: idleSocketMs };
    let made: http.Agent;
    if (this.#config.getCurrentCluster()?.proxyUrl !== undefined)
      // Made by client-node for the proxy of the kubeconfig; it takes no option that says so.
      made = Object.assign(agent as http.Agent, { keepAlive: true });
    else made = this.server.protocol === 'http:' ? new http.Agent(keep) : new https.Agent({ ...keep, ...given });
    this.#agent = { of, agent: made };
    return made;
  }
}

async function readConfig({ kubeconfig, context }: KubeConfigOptions): Promise<KubeConfig> {
  const { KubeConfig } = await importClientNode();
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    const which = kubeconfig === undefined ? 'The kubeconfig' : `The kubeconfig ${kubeconfig}`;
    throw new KubeConfigError(
      `${which} cannot be read: ${firstLine(error)}. Give another by --kubeconfig or KUBECONFIG, or correct it.`,
    );
  }
  if (context !== undefined) {
    if (config.getContextObject(context) === null)
      throw new KubeConfigError(
        `The kubeconfig has no context "${context}". It has: ${config.contexts.map(({ name }) => name).join(', ')}.`,
      );
    config.setCurrentContext(context);
  }
  // What client-node makes up when it finds nothing.
  if (kubeconfig === undefined && config.getCurrentCluster()?.server === 'http://localhost:8080')
    throw new KubeConfigError(
      'There is no cluster to talk to: no kubeconfig, and no service account of a pod. Give --kubeconfig FILE.',
    );
  return config;
}

async function importClientNode(): Promise<typeof import('@kubernetes/client-node')> {
  try {
    return await import('@kubernetes/client-node');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new KubeConfigError(
      'Kubernetes needs the package @kubernetes/client-node: npm install @kubernetes/client-node',
    );
  }
}

/** A credential command may print anything; YAML errors quote the file from their second line on. */
function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n');
  return line.slice(0, 200).replace(/\.$/, '');
}
