import type { Secret, SecretTemplate } from '../resources/types.ts';
import { secretData } from '../store/secret-data.ts';
import { driftOf, isReservedKey, templateMeta } from './secret-template.ts';

const content = { type: 'kubernetes.io/tls', data: { 'tls.crt': 'chain', 'ca.crt': 'above' } };
const template: SecretTemplate = { labels: { team: 'shop' }, annotations: { note: 'ours' } };

/** As it is written, with what others add or change. */
function secretOf(
  of: SecretTemplate | undefined,
  more: { labels?: object; annotations?: object; data?: object } = {},
): Secret {
  const { labels, annotations } = templateMeta(of);
  return {
    kind: 'Secret',
    metadata: { labels: { ...labels, ...more.labels }, annotations: { ...annotations, ...more.annotations } },
    data: secretData({ ...content.data, ...more.data }),
  } as unknown as Secret;
}

test.each<[string, Secret, SecretTemplate | undefined, 'template' | 'other' | undefined]>([
  ['as it was written', secretOf(template), template, undefined],
  ['the order of the keys is no matter', secretOf({ labels: { a: '1', b: '2' } }), { labels: { b: '2', a: '1' } }, undefined],
  ['labels, annotations and entries of others', secretOf(template, { labels: { x: 'y' }, annotations: { x: 'y' }, data: { 'keystore.p12': 'z' } }), template, undefined],
  ['without a template', secretOf(undefined, { labels: { x: 'y' } }), undefined, undefined],
  ['an empty template is none', secretOf({ labels: {} }), undefined, undefined],
  ['one more label', secretOf(template), { ...template, labels: { team: 'shop', tier: '1' } }, 'template'],
  ['another value', secretOf(template), { ...template, labels: { team: 'web' } }, 'template'],
  ['one label less', secretOf(template), { annotations: { note: 'ours' } }, 'template'],
  ['no template any more', secretOf(template), undefined, 'template'],
  ['a first template', secretOf(undefined), template, 'template'],
  ['a label changed by somebody', secretOf(template, { labels: { team: 'mine' } }), template, 'other'],
  ['an annotation changed by somebody', secretOf(template, { annotations: { note: 'mine' } }), template, 'other'],
  ['ca.crt changed by somebody', secretOf(template, { data: { 'ca.crt': 'x' } }), template, 'other'],
])('%s', (_title, secret, now, expected) => {
  expect(driftOf(secret, now, content)).toBe(expected);
}); // biome-ignore format: one table

test('what zoneproof itself sets cannot be taken from it', () => {
  const taken = { labels: { 'zoneproof.dev/order': 'x', 'app.kubernetes.io/managed-by': 'Helm' } };
  expect(templateMeta(taken)).toEqual({});
  expect(driftOf(secretOf(undefined), taken, content)).toBeUndefined();
  expect(['a.zoneproof.dev/x', 'notzoneproof.dev/x', 'zoneproof.dev'].map(isReservedKey)).toEqual([true, false, false]);
});
