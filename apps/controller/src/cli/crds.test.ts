import { parse, parseAllDocuments } from 'yaml';
import { inDirectory, runMain } from './testing/run-main.ts';

interface Crd {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

test('crds prints the four kinds as YAML documents', async () => {
  const { code, out, err } = await runMain(['crds']);
  expect([code, err]).toEqual([0, '']);
  const documents = parseAllDocuments(out).map((document) => document.toJS() as Crd);
  expect(documents.map(({ metadata }) => metadata.name)).toEqual(
    ['issuers', 'clusterissuers', 'certificates', 'orders'].map((plural) => `${plural}.zoneproof.dev`),
  );
});

test('crds -o json prints a List', async () => {
  const { out } = await runMain(['crds', '-o', 'json']);
  const { kind, items } = JSON.parse(out) as Crd & { readonly items: readonly Crd[] };
  expect([kind, items.length]).toEqual(['List', 4]);
});

test.each(['Certificate', 'certificates', 'zpc', 'CERTIFICATE'])('crds %s prints that kind alone', async (word) => {
  const { out } = await runMain(['crds', word, '-o', 'json']);
  expect((JSON.parse(out) as Crd).metadata.name).toBe('certificates.zoneproof.dev');
  expect((parse((await runMain(['crds', word])).out) as Crd).kind).toBe('CustomResourceDefinition');
});

test('a kind that is none is wrong usage, and the nearest one is named', async () => {
  const { code, out, err } = await runMain(['crds', 'Isuer']);
  expect([code, out, err]).toEqual([
    2,
    '',
    expect.stringMatching(/"Isuer" is not a kind of zoneproof; did you mean "Issuer"\?/),
  ]);
});

test('without a provider package there is nothing that an Issuer could hold', async () => {
  const { code, err } = await runMain(['crds'], { plugins: [] });
  expect([code, err]).toEqual([1, expect.stringMatching(/no provider package is installed.*npm install/)]);
});

test('--plugin-dir that is not there is wrong usage', () =>
  inDirectory(async (directory) => {
    const { code, err } = await runMain(['crds', '--plugin-dir', `${directory}/nowhere`], {
      plugins: undefined as never,
    });
    expect([code, err]).toEqual([2, expect.stringContaining('nowhere')]);
  }));
