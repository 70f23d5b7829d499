import { existsSync } from 'node:fs';
import { stringify } from 'yaml';
import { type CommandContext, CommandError } from './context.ts';
import { readStatus } from './output/status-report.ts';
import type { StatusReport } from './output/status-schema.ts';
import { showStatus } from './output/status-text.ts';
import { aborted, untilStopped } from './signals.ts';
import { createScreen } from './terminal/screen.ts';

interface Options {
  readonly namespace?: string;
  readonly state: string;
  readonly output: 'table' | 'json' | 'yaml';
  readonly watch: boolean;
}

const watchMs = 500;

/** `zoneproof status`: 0 when it could be shown, 1 when there is no such state directory or certificate. */
export async function status(name: string | undefined, options: Options, context: CommandContext): Promise<number> {
  if (!existsSync(options.state))
    throw new CommandError(`there is no state directory ${options.state}. Give that of zoneproof run with --state.`);
  const read = async (): Promise<string> => {
    const report = select(await readStatus(options.state, context.clock.now()), name, options.namespace);
    if (name !== undefined && report.certificates.length === 0)
      throw new CommandError(
        `there is no certificate ${name}${options.namespace === undefined ? '' : ` in namespace ${options.namespace}`} in ${options.state}. zoneproof status --state ${options.state} lists those there are.`,
      );
    if (options.output === 'json') return `${JSON.stringify(report, undefined, 2)}\n`;
    if (options.output === 'yaml') return stringify(report);
    return showStatus(report, name !== undefined, context.style, context.clock.now());
  };
  if (!options.watch) {
    context.out.write(await read());
    return 0;
  }
  return watchStatus(read, context);
}

async function watchStatus(read: () => Promise<string>, context: CommandContext): Promise<number> {
  const stopping = untilStopped(context.inputs.signal);
  const stopped = aborted(stopping.signal);
  const screen = createScreen(context.out);
  let shown = '';
  try {
    while (!stopping.signal.aborted) {
      const text = await read();
      if (text !== shown) screen.draw(text.trimEnd().split('\n'));
      shown = text;
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([stopped, new Promise((resolve) => (timer = setTimeout(resolve, watchMs)))]);
      clearTimeout(timer);
    }
    return 0;
  } finally {
    screen.close();
    stopping.release();
  }
}

function select(report: StatusReport, name: string | undefined, namespace: string | undefined): StatusReport {
  const wanted = (object: { namespace: string }): boolean => namespace === undefined || object.namespace === namespace;
  const certificates = report.certificates.filter((one) => wanted(one) && (name === undefined || one.name === name));
  if (name === undefined)
    return {
      ...report,
      certificates,
      issuers: report.issuers.filter((one) => one.kind === 'ClusterIssuer' || wanted(one)),
      orders: report.orders.filter(wanted),
    };
  return {
    ...report,
    certificates,
    issuers: report.issuers.filter((issuer) =>
      certificates.some(
        ({ issuerRef, namespace: own }) =>
          issuerRef.name === issuer.name &&
          issuerRef.kind === issuer.kind &&
          (issuer.namespace === '' || issuer.namespace === own),
      ),
    ),
    orders: report.orders.filter((order) =>
      certificates.some((one) => one.namespace === order.namespace && one.name === order.certificate),
    ),
  };
}
