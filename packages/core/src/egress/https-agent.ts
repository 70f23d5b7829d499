import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls';
import type { AddressGuard } from './address-guard.ts';
import { EgressError } from './egress.ts';
import { proxyRefusal } from './egress-errors.ts';
import { type ProxyChoice, proxyAuthorization, proxyName } from './proxy.ts';
import type { TlsChecks, Trust } from './trust.ts';

interface Target extends ConnectionOptions {
  readonly host?: string;
  readonly port?: number;
}

type Connected = (error: Error | null, socket: Duplex) => void;

const tunnelTimeoutMs = 10_000;

/** An agent for SDKs built on node:https that keeps to the same rules as the rest of the egress. */
export class EgressHttpsAgent extends Agent {
  readonly #guard: AddressGuard;
  readonly #trust: Trust;
  readonly #proxyFor: ProxyChoice;
  readonly #beforeSend: (() => void) | undefined;

  constructor(guard: AddressGuard, trust: Trust, proxyFor: ProxyChoice, beforeSend: (() => void) | undefined) {
    // Who has to be asked before each request is asked when its connection is made.
    super({ keepAlive: beforeSend === undefined, maxSockets: 16, timeout: 30_000 });
    this.#guard = guard;
    this.#trust = trust;
    this.#proxyFor = proxyFor;
    this.#beforeSend = beforeSend;
  }

  override createConnection(options: Target, connected: Connected): Duplex | undefined {
    const { host = 'localhost', port = 443 } = options;
    try {
      this.#beforeSend?.();
    } catch (error) {
      fail(connected, error as Error);
      return undefined;
    }
    const proxy = this.#proxyFor(new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`));
    const refusal = proxy === undefined ? this.#guard.refusal(host) : this.#guard.refusalBehindProxy(host);
    if (refusal !== undefined) {
      fail(connected, refusal);
      return undefined;
    }
    const checks = this.#trust.checks();
    if (proxy === undefined)
      return super.createConnection(
        { ...options, ...checks, lookup: this.#guard.lookup } as never,
        connected as never,
      ) as Duplex;

    openTunnel(proxy, `${host.includes(':') ? `[${host}]` : host}:${port}`, checks, (error, socket) => {
      if (error !== null) fail(connected, error);
      else connected(null, tlsConnect({ ...options, socket, ...checks }));
    });
    return undefined;
  }
}

/** RFC 9110 9.3.6. */
function openTunnel(proxy: URL, authority: string, checks: TlsChecks, done: Connected): void {
  const label = { what: `CONNECT ${authority}`, host: authority, proxy: proxyName(proxy) };
  const authorization = proxyAuthorization(proxy);
  const start = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = start({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    agent: false,
    timeout: tunnelTimeoutMs,
    headers: { host: authority, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
    ...(proxy.protocol === 'https:' && checks),
  });
  request.once('connect', (response, socket) => {
    if (response.statusCode === 200) {
      done(null, socket);
      return;
    }
    socket.destroy();
    fail(done, proxyRefusal(response.statusCode ?? 0, label, undefined));
  });
  request.once('response', (response) => {
    response.resume();
    fail(done, proxyRefusal(response.statusCode ?? 0, label, undefined));
  });
  request.once('timeout', () => {
    const message = `${label.what}: the proxy ${label.proxy} did not answer within ${tunnelTimeoutMs / 1000} s`;
    request.destroy(new EgressError('timeout', message, false));
  });
  request.once('error', (error) => fail(done, error));
  request.end();
}

/** Node ignores the socket when there is an error, and its types ask for one. */
function fail(connected: Connected, error: Error): void {
  (connected as (error: Error) => void)(error);
}
