import { printable, type Style } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';
import { instant, minute, span } from '../terminal/time-text.ts';
import { evidenceLines } from './evidence-lines.ts';
import type { CertificateReport, OrderReport, StatusReport } from './status-schema.ts';

/** The status for people: tables, or each certificate with all that is known of it. */
export function showStatus(report: StatusReport, inDetail: boolean, style: Style, now: number): string {
  const head = `${style.dim(placeOf(report))}\n\n`;
  if (inDetail) return head + report.certificates.map((one) => detail(one, report.orders, style, now)).join('\n');
  if (report.certificates.length + report.issuers.length === 0)
    return `${head}Nothing here yet: ${report.stateDirectory === undefined ? 'kubectl apply Issuers and Certificates' : `zoneproof run PATH... --state ${report.stateDirectory} fills it`}.\n`;
  const certificates = [
    ['CERTIFICATE', 'READY', 'EXPIRES', 'RENEWS', 'STATE'].map(style.bold),
    ...report.certificates.map((one) => [
      `${one.namespace}/${one.name}`,
      yesNo(one.ready, style),
      one.notAfter === undefined ? '-' : `${minute(Date.parse(one.notAfter))} (${until(one.notAfter, now)})`,
      one.renewAt === undefined ? '-' : minute(Date.parse(one.renewAt)),
      stateOf(one, report.orders),
    ]),
  ];
  const issuers = [
    ['ISSUER', 'READY', 'PROVIDERS', 'STATE'].map(style.bold),
    ...report.issuers.map((one) => [
      one.namespace === '' ? `${one.name} (cluster)` : `${one.namespace}/${one.name}`,
      yesNo(one.ready, style),
      one.providers.map((provider) => (provider.ready ? provider.name : style.red(`${provider.name}!`))).join(' ') ||
        '-',
      one.ready ? one.reason : printable(`${one.reason}: ${one.message}`),
    ]),
  ];
  return `${head}${table(certificates)}\n${table(issuers)}`;
}

function placeOf({ process, stateDirectory, cluster = '' }: StatusReport): string {
  if (process === undefined) return cluster;
  const { running, pid } = process;
  return `${stateDirectory}: ${running ? `process ${pid ?? 'unknown'} is running` : 'no process is running'}`;
}

function stateOf(certificate: CertificateReport, orders: readonly OrderReport[]): string {
  const order = orderOf(certificate, orders);
  if (order?.waiting !== undefined) return printable(`${order.waiting.reason}: ${order.waiting.message}`);
  if (certificate.ready && certificate.order === undefined) return certificate.reason;
  return printable(`${certificate.reason}: ${certificate.message}`);
}

function orderOf(certificate: CertificateReport, orders: readonly OrderReport[]): OrderReport | undefined {
  return orders.find(({ namespace, name }) => namespace === certificate.namespace && name === certificate.order);
}

function detail(one: CertificateReport, orders: readonly OrderReport[], style: Style, now: number): string {
  const rows: [string, string][] = [
    ['Ready', `${yesNo(one.ready, style)}, ${one.reason}: ${printable(one.message)}`],
    ['Names', one.dnsNames.join(' ')],
    [
      'Issuer',
      `${one.issuerRef.kind} ${one.issuerRef.name}${one.issuer === undefined ? '' : `, signed by ${printable(one.issuer)}`}`,
    ],
  ];
  if (one.notAfter !== undefined)
    rows.push(['Expires', `${instant(Date.parse(one.notAfter))} (${until(one.notAfter, now)})`]);
  if (one.renewAt !== undefined)
    rows.push(['Renews', `${instant(Date.parse(one.renewAt))} (${until(one.renewAt, now)})`]);
  if (one.serial !== undefined) rows.push(['Serial', one.serial]);
  if (one.files !== undefined) rows.push(['Chain', one.files.certificate], ['Key', one.files.key]);
  if (one.lastFailure !== undefined)
    rows.push([
      'Failed',
      `${one.lastFailure.count} in a row, last ${instant(Date.parse(one.lastFailure.at))}: ${one.lastFailure.reason}: ${closed(one.lastFailure.message)} Next try ${instant(Date.parse(one.lastFailure.retryAt))}.`,
    ]);
  const own = orders.filter(({ namespace, certificate }) => namespace === one.namespace && certificate === one.name);
  const title = style.bold(`Certificate ${one.namespace}/${one.name}`);
  return `${title}\n${indent(table(rows))}${own.map((order) => orderDetail(order, style, now)).join('')}`;
}

function orderDetail(order: OrderReport, style: Style, now: number): string {
  const since = span(now - Date.parse(order.createdAt));
  let text = `  ${style.bold(`Order ${order.name}`)}: ${order.result ?? order.status ?? 'not placed yet'}, begun ${since} ago\n`;
  if (order.waiting !== undefined) {
    const again = order.waiting.until === undefined ? '' : ` Again at ${instant(Date.parse(order.waiting.until))}.`;
    text += `    waiting: ${order.waiting.reason}: ${closed(order.waiting.message)}${again}\n`;
  }
  if (order.failure !== undefined)
    text += `    ${style.red('failed')}: ${order.failure.reason}: ${printable(order.failure.message)}\n`;
  for (const challenge of order.challenges) {
    const name = `${challenge.wildcard ? '*.' : ''}${challenge.domain}`;
    const place =
      challenge.provider === undefined
        ? ''
        : ` through ${challenge.provider}${challenge.zone === undefined ? '' : ` in zone ${challenge.zone}`}`;
    text += `    ${name}: ${challenge.step}${place}${challenge.error === undefined ? '' : `: ${printable(challenge.error)}`}\n`;
    if (challenge.evidence !== undefined) {
      text += `      ${printable(challenge.evidence.summary)}\n`;
      text += indent(indent(indent(evidenceLines(challenge.evidence.servers, style))));
    }
  }
  for (const { name, zone, provider } of order.openValues)
    text += `    ${order.result === undefined ? 'removed in the end' : style.yellow('still to be removed')}: TXT ${name} in zone ${zone} through ${provider}\n`;
  return text;
}

/** With a full stop, so that a sentence can follow. */
function closed(message: string): string {
  return printable(/[.?!]$/.test(message) ? message : `${message}.`);
}

function yesNo(ready: boolean, style: Style): string {
  return ready ? style.green('yes') : style.red('no');
}

function until(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  return ms >= 0 ? `in ${span(ms)}` : `${span(-ms)} ago`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
