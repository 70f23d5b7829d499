import { Lab } from '@zoneproof/provider-testkit';
import { edgedns } from './plugin.ts';
import { startCloudflareFixture } from './testing/cloudflare-fixture.ts';
import { Emulated, shown } from './testing/emulated.ts';

const edge = new Emulated();

describe('a list that fails', () => {
  const removal = async () =>
    shown(await edge.lab.start().tryApply(edge.zone, edge.lab.changes(['absent', edge.target.name, 'x'])));

  test('after its answer was lost has changed nothing', async () => {
    edge.fixture.cloudflare.fail({ kind: 'lose-answer', on: 'read' });
    expect(await removal()).toEqual([
      expect.stringMatching(/^failed unavailable: .*did not answer to the TXT records/),
    ]);
  });

  test('with the page of a proxy is not taken for an empty zone', async () => {
    edge.fixture.cloudflare.fail({ kind: 'html', status: 200, on: 'read' });
    expect(await removal()).toEqual([expect.stringMatching(/^failed unavailable: .*no answer of the API/)]);
  });

  test('that gives one page again and again is not taken for a whole', async () => {
    await edge.fixture.close();
    edge.fixture = await startCloudflareFixture('token', {
      zones: Array.from({ length: 60 }, (_, at) => `z${at}.test`),
    });
    const many = new Lab(edgedns, '', edge.fixture);
    const first = await many.start().provider.listZones?.(many.start().call());
    expect(first).toHaveLength(60);
    const pages: object[] = [];
    const change = (answer: { readonly status: number; readonly body?: string | object }) => {
      pages.push(answer.body as object);
      return { ...answer, body: pages[0] as object };
    };
    edge.fixture.cloudflare.fail({ kind: 'change-answer', times: 2, change });
    const listed = many.start().provider.listZones?.(many.start().call());
    await expect(listed).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/list of zones.*changed while its pages were read/),
    });
    await many.close();
  });

  test('with an answer without a result is not taken for one either', async () => {
    const change = () => ({ status: 200, body: { success: true, errors: [] } });
    edge.fixture.cloudflare.fail({ kind: 'change-answer', on: 'read', change });
    expect(await removal()).toEqual([expect.stringMatching(/^failed unavailable/)]);
  });
});

test('an answer that cannot be read says nothing of what was done', async () => {
  const instance = edge.lab.start();
  const changes = edge.lab.changes(['present', edge.target.name, edge.lab.value()]);
  const posts = [{ id: 'x'.repeat(32), name: edge.target.name }];
  edge.fixture.cloudflare.fail({
    kind: 'change-answer',
    on: 'write',
    change: (answer) => ({ ...answer, body: { success: true, errors: [], messages: [], result: { posts } } }),
  });
  expect(shown(await instance.tryApply(edge.zone, changes))).toEqual([expect.stringMatching(/^unknown unavailable/)]);
  expect(shown(await instance.apply(edge.zone, changes))).toEqual(['unchanged']);
});
