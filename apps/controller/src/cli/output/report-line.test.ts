import type { Report } from '../../reconcile/services.ts';
import { createStyle } from '../terminal/style.ts';
import { violations } from '../testing/run-main.ts';
import { type ProcessReport, reportJson, reportText } from './report-line.ts';

const style = createStyle({}, {});
const at = Date.UTC(2026, 10, 21, 12, 13, 29, 120);
const order: Report = {
  at,
  level: 'warn',
  kind: 'Order',
  namespace: 'default',
  name: 'shop-1',
  reason: 'ProviderUnavailable',
  message: 'rfc2136 "lab":\n192.0.2.53 does not answer.',
  retryAt: at + 4_000,
};
const started: ProcessReport = { at, level: 'info', reason: 'Started', message: '2 certificates looked after.' };

test('a line of text has time, level, object, reason, message and the next try, and is one line', () => {
  expect(reportText(order, style)).toBe(
    '2026-11-21T12:13:29.120Z warn  Order default/shop-1 ProviderUnavailable: rfc2136 "lab": 192.0.2.53 does not answer. Next try: 2026-11-21T12:13:33.120Z.\n',
  );
  expect(reportText(started, style)).toBe('2026-11-21T12:13:29.120Z info  Started: 2 certificates looked after.\n');
});

test('a line of JSON has the same as fields, as its schema says', () => {
  const lines = [order, started].map((report) => JSON.parse(reportJson(report)));
  expect(lines.flatMap((line) => violations('run-log.schema.json', line))).toEqual([]);
  expect(lines).toEqual([
    {
      time: '2026-11-21T12:13:29.120Z',
      level: 'warn',
      kind: 'Order',
      namespace: 'default',
      name: 'shop-1',
      reason: 'ProviderUnavailable',
      message: order.message,
      retryAt: '2026-11-21T12:13:33.120Z',
    },
    { time: '2026-11-21T12:13:29.120Z', level: 'info', reason: 'Started', message: started.message },
  ]);
});
