import { FakeClock } from '@zoneproof/core/testing';
import type { Report } from '../../reconcile/services.ts';
import type { KubeRequest } from '../api.ts';
import { KubeApiError } from '../api-error.ts';
import { createEventRecorder } from './recorder.ts';
import type { FindObject } from './told.ts';

type Line = Omit<Report, 'at'>;

const line = (reason: Report['reason'], change: Partial<Line> = {}): Line => ({
  level: 'info',
  kind: 'Certificate',
  namespace: 'shop',
  name: 'www',
  reason,
  message: 'as it is',
  ...change,
});

const owner = { kind: 'Certificate', name: 'www', uid: 'uid-www' } as const;
const find: FindObject = (kind, _namespace, name) =>
  name === 'gone'
    ? undefined
    : ({ metadata: { uid: `uid-${name}`, ...(kind === 'Order' && name !== 'lone' && { owner }) } } as never);

function world(options: { readonly refuse?: () => void; readonly allow?: () => void } = {}) {
  const clock = new FakeClock(Date.parse('2026-11-21T12:00:00.123Z'));
  const sent: KubeRequest[] = [];
  const problems: string[] = [];
  let byte = 0;
  const recorder = createEventRecorder({
    api: {
      request: async (request) => {
        request.beforeSend?.();
        sent.push(request);
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 2));
        options.refuse?.();
        return {};
      },
    },
    find,
    reporter: { controller: 'zoneproof.dev/controller', instance: 'pod-1' },
    clock,
    timers: clock,
    random: (length) => Buffer.alloc(length, byte++),
    beforeSend: options.allow ?? (() => undefined),
    onProblem: (message) => problems.push(message),
  });
  const bodies = () => sent.map(({ body }) => body as Record<string, never>);
  return { clock, recorder, sent, problems, bodies };
}

test('a certificate that goes well: two Events', async () => {
  const { clock, recorder, sent } = world();
  recorder.tell(line('Issuing', { message: 'No certificate is stored yet.' }));
  recorder.tell(line('SelfCheckWaiting', { kind: 'Order', name: 'www-1' }));
  recorder.tell(line('Issued', { message: 'Valid until 2027-02-19.' }));
  recorder.tell(line('OnIssuedDone'));
  await clock.advance(1_000);
  expect(sent.map(({ body }) => (body as { reason: string }).reason)).toEqual(['Issuing', 'Issued']);
  expect(sent[0]).toMatchObject({
    method: 'POST',
    path: '/apis/events.k8s.io/v1/namespaces/shop/events',
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: 'shop', name: 'www.0000000000000000' },
      eventTime: '2026-11-21T12:00:00.123000Z',
      reportingController: 'zoneproof.dev/controller',
      reportingInstance: 'pod-1',
      type: 'Normal',
      action: 'Issue',
      note: 'No certificate is stored yet.',
      regarding: {
        apiVersion: 'zoneproof.dev/v1alpha1',
        kind: 'Certificate',
        namespace: 'shop',
        name: 'www',
        uid: 'uid-www',
      },
    },
  });
  await recorder.close(1_000);
  expect(clock.pending).toBe(0);
});

test('what happens to an Order is told of its Certificate', async () => {
  const { clock, recorder, bodies } = world();
  recorder.tell(line('ZoneNotFound', { level: 'warn', kind: 'Order', name: 'www-1' }));
  recorder.tell(line('ZoneNotFound', { level: 'warn', kind: 'Order', name: 'lone' }));
  await clock.advance(1_000);
  expect(bodies()).toMatchObject([
    {
      type: 'Warning',
      regarding: { kind: 'Certificate', uid: 'uid-www' },
      related: { kind: 'Order', uid: 'uid-www-1' },
    },
    { regarding: { kind: 'Order', uid: 'uid-lone' } },
  ]);
  expect(bodies()[1]).not.toHaveProperty('related');
});

test('a ClusterIssuer, which has no namespace, is told of in "default"; one that is gone not at all', async () => {
  const { clock, recorder, bodies } = world();
  recorder.tell(line('AccountRegistered', { kind: 'ClusterIssuer', namespace: '', name: 'public' }));
  recorder.tell(line('Issued', { name: 'gone' }));
  await clock.advance(1_000);
  expect(bodies()).toMatchObject([{ metadata: { namespace: 'default' }, action: 'Prepare' }]);
  expect((bodies()[0] as Record<string, object>).regarding).not.toHaveProperty('namespace');
});

test('repeats are counted and written once a minute into the series of the first', async () => {
  const { clock, recorder, sent } = world();
  const failure = line('CAUnavailable', { level: 'warn' });
  recorder.tell(failure);
  await clock.advance(5_000);
  for (let i = 0; i < 3; i++) recorder.tell(failure);
  await clock.advance(59_000);
  expect(sent).toHaveLength(1);
  await clock.advance(2_000);
  expect(sent[1]).toMatchObject({
    method: 'PATCH',
    path: '/apis/events.k8s.io/v1/namespaces/shop/events/www.0000000000000000',
    contentType: 'application/merge-patch+json',
    body: { series: { count: 4, lastObservedTime: '2026-11-21T12:00:05.123000Z' } },
  });
  await clock.advance(400_000);
  recorder.tell(failure);
  await clock.advance(10);
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST']);
});

test('the repeats that are still to be told are told at the end, for as long as there is time', async () => {
  const { clock, recorder, sent } = world();
  for (let i = 0; i < 3; i++) recorder.tell(line('CAUnavailable', { level: 'warn' }));
  await clock.until(recorder.close(1_000));
  expect(sent).toMatchObject([{ method: 'POST' }, { method: 'PATCH', body: { series: { count: 3 } } }]);
  recorder.tell(line('Issued'));
  await clock.advance(1_000);
  expect(sent).toHaveLength(2);
  expect(clock.pending).toBe(0);
});

test('an API server that does not answer holds nothing up: what is too much is lost, and that is told once', async () => {
  const { clock, recorder, problems, sent } = world({
    refuse: () => {
      throw new KubeApiError({ status: 503, reason: 'ServiceUnavailable', message: 'it is starting' });
    },
  });
  for (let i = 0; i < 5_000; i++) recorder.tell(line('Issued', { name: `c${i}` }));
  await clock.advance(10_000);
  expect(sent.length).toBeLessThanOrEqual(1_001);
  expect(problems).toEqual([
    'Events are lost, the log has what they would have said: the API server does not take them fast enough',
  ]);
});

test('an object that is in trouble in ever new words gets ten Events in six minutes', async () => {
  const { clock, recorder, sent } = world();
  for (let i = 0; i < 50; i++) recorder.tell(line('CAUnavailable', { level: 'warn', message: `${i}` }));
  recorder.tell(line('Issued', { name: 'other' }));
  await clock.advance(1_000);
  expect(sent).toHaveLength(11);
});

test('nothing is sent by a process that does not lead any more', async () => {
  const { clock, recorder, sent } = world({
    allow: () => {
      throw new Error('the lease is lost');
    },
  });
  recorder.tell(line('Issued'));
  await clock.advance(1_000);
  expect(sent).toEqual([]);
});

test('a message of a CA is one line of at most 1024 octets, cut between characters', async () => {
  const { clock, recorder, bodies } = world();
  recorder.tell(line('CARefused', { level: 'error', message: `a\u001b[2J\r\nb\u202e${'ä'.repeat(1_000)}` }));
  await clock.advance(1_000);
  const { note } = bodies()[0] as Record<string, string>;
  expect(note).toMatch(/^a \[2J b ä+\.\.\.$/);
  expect(Buffer.byteLength(note as string)).toBeLessThanOrEqual(1_024);
  expect(Buffer.byteLength(note as string)).toBeGreaterThan(1_020);
});
