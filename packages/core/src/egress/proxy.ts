import { BlockList, isIP } from 'node:net';
import { EgressError } from './egress.ts';

/** The values of HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly httpsProxy?: string | undefined;
  readonly httpProxy?: string | undefined;
  readonly noProxy?: string | undefined;
}

/** The proxy for a target, or undefined to connect directly. */
export type ProxyChoice = (target: URL) => URL | undefined;

/**
 * HTTPS_PROXY serves https, HTTP_PROXY http. NO_PROXY is a list by commas: `*`, a name (it and all below it; a leading
 * dot or `*.` is the same), an address, a range `10.0.0.0/8`; each name or address also with `:port`. Loopback is never
 * asked of a proxy.
 *
 * @throws EgressError of kind `denied` for a proxy that is no http or https URL
 */
export function createProxyChoice(settings: ProxySettings): ProxyChoice {
  const https = parseProxy('HTTPS_PROXY', settings.httpsProxy);
  const http = parseProxy('HTTP_PROXY', settings.httpProxy);
  if (https === undefined && http === undefined) return () => undefined;
  const exceptions = (settings.noProxy ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  const ranges = rangesOf(exceptions);
  return (target) => {
    const proxy = target.protocol === 'https:' ? https : http;
    if (proxy === undefined) return undefined;
    const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
    const port = target.port || (target.protocol === 'https:' ? '443' : '80');
    const direct =
      host === 'localhost' ||
      host.endsWith('.localhost') ||
      inRange(ranges, host) ||
      exceptions.some((entry) => matches(entry.toLowerCase(), host, port));
    return direct ? undefined : proxy;
  };
}

/** For messages: a proxy's URL may hold a password. */
export function proxyName(proxy: URL): string {
  return proxy.host;
}

/** The value of Proxy-Authorization, when the proxy's URL names a user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '') return undefined;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function parseProxy(variable: string, text: string | undefined): URL | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  // curl and Go take `proxy.example:3128` for http.
  const url = text.includes('://') ? text.trim() : `http://${text.trim()}`;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new EgressError(
      'denied',
      `${variable} is no URL of an http or https proxy, such as http://proxy.example.com:3128`,
      false,
    );
  return new URL(url);
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const withPort = /^(?:\[(?<ipv6>[^\]]+)\]|(?<name>[^:]+)):(?<port>\d+)$/.exec(entry)?.groups;
  if (withPort !== undefined && withPort.port !== port) return false;
  const name = (withPort?.ipv6 ?? withPort?.name ?? entry).replace(/^\*?\.|^\[|\]$/g, '');
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function rangesOf(entries: readonly string[]): BlockList {
  const ranges = new BlockList();
  ranges.addSubnet('127.0.0.0', 8, 'ipv4');
  ranges.addAddress('::1', 'ipv6');
  for (const entry of entries) {
    const [address = '', length = ''] = entry.split('/');
    const version = isIP(address);
    if (version !== 0 && /^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128))
      ranges.addSubnet(address, Number(length), version === 4 ? 'ipv4' : 'ipv6');
  }
  return ranges;
}

function inRange(ranges: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && ranges.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
