import type { Report } from '../../reconcile/services.ts';
import { objectTitle } from '../../resources/index.ts';
import { printable, type Style } from '../terminal/style.ts';
import type { ReportLine } from './schemas.ts';

/** A change of the process itself, told in the same stream as those of objects. */
export interface ProcessReport {
  readonly at: number;
  readonly level: Report['level'];
  readonly reason:
    | 'Listening'
    | 'Started'
    | 'Reloaded'
    | 'ManifestsBroken'
    | 'ManifestsNotStored'
    | 'Standby'
    | 'Leading'
    | 'LeaseUnavailable'
    | 'LeaseLost'
    | 'ApiServer'
    | 'EventsLost'
    | 'Stopping';
  readonly message: string;
  readonly retryAt?: never;
}

/** `2026-11-21T12:13:29.120Z info  Certificate default/shop Issued: Valid until ...`. */
export function reportText(report: Report | ProcessReport, style: Style): string {
  const level = { info: 'info ', warn: style.yellow('warn '), error: style.red('error') }[report.level];
  const object = 'kind' in report ? `${objectTitle(report)} ` : '';
  const time = style.dim(new Date(report.at).toISOString());
  const next = report.retryAt === undefined ? '' : style.dim(` Next try: ${new Date(report.retryAt).toISOString()}.`);
  return `${time} ${level} ${object}${report.reason}: ${printable(report.message)}${next}\n`;
}

export function reportJson(report: Report | ProcessReport): string {
  const { at, level, reason, message, retryAt } = report;
  const about = 'kind' in report ? { kind: report.kind, namespace: report.namespace, name: report.name } : {};
  const next = retryAt === undefined ? {} : { retryAt: new Date(retryAt).toISOString() };
  const line: ReportLine = { time: new Date(at).toISOString(), level, ...about, reason, message, ...next };
  return `${JSON.stringify(line)}\n`;
}
