import type { ChangeOutcome, Zone } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { Emulated, shown, zone } from './testing/emulated.ts';

const edge = new Emulated();

describe('an answer that is half known', () => {
  const answering = (action: string, body: (whole: Record<string, unknown>) => object) =>
    edge.emulator.fail({
      kind: 'change-answer',
      on: { action },
      times: Number.POSITIVE_INFINITY,
      change: (answer) => ({ ...answer, body: body(answer.body as Record<string, unknown>) }),
    });

  test('does not shorten the set that is written back', async () => {
    edge.emulator.plant(edge.name, 'foreign', 600);
    edge.emulator.plant(edge.name, 'a', 600);
    answering('get-zone-name-type', (set) => ({ ...set, rdata: [{ value: 'foreign' }, '"a"'] }));
    answering('get-changelists-zone-diff', (diff) =>
      JSON.parse(JSON.stringify(diff).replace('"\\"foreign\\""', '{"value":"foreign"}')),
    );
    expect((await edge.apply(edge.absent('a')))[0]).toMatch(/^failed unavailable/);
    expect(edge.valuesAt(edge.name)).toEqual(['a', 'foreign']);
  });

  test('to the question for the state of a zone is no defect of ours', async () => {
    const instance = edge.lab.start();
    const [outcome] = await instance.apply(zone, edge.present());
    const receipt = (outcome as Extract<ChangeOutcome, { status: 'changed' }>).receipt;
    answering('get-zone', () => ({ zone: null }));
    expect(await instance.provider.syncState?.(receipt as NonNullable<typeof receipt>, instance.call())).toMatchObject({
      state: 'unknown',
    });
  });

  test('to a write says nothing of what was done', async () => {
    edge.emulator.fail({ kind: 'change-answer', on: 'write', change: () => ({ status: 200, body: '{"zone": "exam' }) });
    const changes = edge.present('a');
    expect((await edge.apply(changes))[0]).toMatch(/^unknown unavailable/);
    expect(await edge.apply(changes)).toEqual(['unchanged']);
  });

  test('that the zone is gone is not taken for the absence of a set, whatever it is called', async () => {
    const at = toDnsName('_acme-challenge.recordset.example.test');
    edge.emulator.removeZone('example.test');
    expect((await edge.apply(edge.absent('a', at)))[0]).toMatch(/^failed zone-not-found/);
    const odd: Zone = { id: 'recordset.test', name: toDnsName('recordset.test') };
    const gone = edge.absent('a', toDnsName('_acme-challenge.recordset.test'));
    expect(shown(await edge.lab.start().tryApply(odd, gone))[0]).toMatch(/^failed zone-not-found/);
  });

  test.each(['get-zones', 'get-zones-zone-recordsets'])(
    'pages of %s that make no whole are no whole',
    async (action) => {
      for (let at = 0; at < 1_010; at++) {
        if (action === 'get-zones') edge.emulator.addZone(`many${at}.test`);
        else edge.emulator.plant(toDnsName(`_acme-challenge.many${at}.example.test`), 'a', 600);
      }
      const pages: object[] = [];
      answering(action, (page) => {
        pages.push(page);
        return pages[0] as object;
      });
      const instance = edge.lab.start();
      if (action === 'get-zones') {
        const listed = instance.provider.listZones?.(instance.call());
        await expect(listed).rejects.toMatchObject({ kind: 'unavailable' });
      } else {
        const names = [990, 1_000, 1_009].map((at) => toDnsName(`_acme-challenge.many${at}.example.test`));
        const changes = edge.lab.changes(...names.map((at) => ['absent', at, 'a'] as const));
        for (const outcome of await edge.apply(changes, instance)) expect(outcome).toMatch(/^failed unavailable/);
        for (const at of names) expect(edge.valuesAt(at)).toEqual(['a']);
      }
    },
  );
});
