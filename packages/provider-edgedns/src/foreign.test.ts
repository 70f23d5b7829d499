import { Emulated, shown } from './testing/emulated.ts';

const edge = new Emulated();

describe('a record of ours that somebody has given another content', () => {
  test('stays, and our value counts as gone', async () => {
    const instance = edge.lab.start();
    const value = edge.lab.value();
    await instance.apply(edge.zone, edge.lab.changes(['present', edge.target.name, value]));
    edge.fixture.cloudflare.edit(edge.target.name, value, '"theirs"');
    expect(shown(await instance.apply(edge.zone, edge.lab.changes(['absent', edge.target.name, value])))).toEqual([
      'unchanged',
    ]);
    expect(edge.valuesAt()).toEqual(['theirs']);
  });

  test('comes back when that happens between the look and the removal, and a person is told', async () => {
    const value = edge.lab.value();
    edge.fixture.cloudflare.plant(edge.target.name, value, 120);
    const run = () => edge.fixture.cloudflare.edit(edge.target.name, value, 'theirs "as it is"');
    edge.fixture.cloudflare.fail({ kind: 'before', on: 'write', run });
    expect(
      shown(await edge.lab.start().apply(edge.zone, edge.lab.changes(['absent', edge.target.name, value]))),
    ).toEqual(['changed']);
    expect(edge.fixture.cloudflare.published(edge.target.name)).toMatchObject({
      values: ['theirs "as it is"'],
      ttl: 120,
    });
    expect(edge.lab.said).toContainEqual(expect.stringMatching(/somebody changed .* were put back/));
  });

  test('is not looked for where the answer tells ids only', async () => {
    const value = edge.lab.value();
    edge.fixture.cloudflare.plant(edge.target.name, value, 120);
    edge.fixture.cloudflare.fail({
      kind: 'change-answer',
      on: 'write',
      change: (answer) => {
        const { result } = answer.body as { readonly result: { readonly deletes: readonly { readonly id: string }[] } };
        return { ...answer, body: { success: true, result: { deletes: result.deletes.map(({ id }) => ({ id })) } } };
      },
    });
    expect(
      shown(await edge.lab.start().apply(edge.zone, edge.lab.changes(['absent', edge.target.name, value]))),
    ).toEqual(['changed']);
    expect(edge.lab.said.filter((one) => typeof one === 'string')).toEqual([]);
  });

  test('is told in full when it cannot be put back', async () => {
    const value = edge.lab.value();
    edge.fixture.cloudflare.plant(edge.target.name, value, 120);
    edge.fixture.cloudflare.fail({
      kind: 'before',
      on: 'write',
      run() {
        edge.fixture.cloudflare.edit(edge.target.name, value, '"theirs"');
        edge.fixture.cloudflare.fail({ kind: 'server-error', on: 'write' });
      },
    });
    expect(
      shown(await edge.lab.start().apply(edge.zone, edge.lab.changes(['absent', edge.target.name, value]))),
    ).toEqual(['changed']);
    expect(edge.lab.said).toContainEqual(
      expect.stringMatching(
        /TXT _acme-challenge\.\S+ with the content "theirs"\. They could not be put back \(unavailable 503\): create them/,
      ),
    );
  });
});
