/** Where a server listens; without a host at every address of the machine. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
}

/** What was given is no address to listen at; the message says what one looks like. */
export class ListenAddressError extends Error {
  constructor(text: string) {
    super(`"${text}" is no address to listen at: give HOST:PORT, [IPv6]:PORT, or :PORT for every address`);
    this.name = 'ListenAddressError';
  }
}

/** `127.0.0.1:9402`, `[::1]:9402`, `localhost:9402`, `:9402`; port 0 lets the system choose. @throws ListenAddressError */
export function parseListenAddress(text: string): ListenAddress {
  const [, six, host, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) throw new ListenAddressError(text);
  const name = six ?? host ?? '';
  return name === '' ? { port } : { host: name, port };
}

/** As it is given. */
export function formatListenAddress({ host = '', port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
