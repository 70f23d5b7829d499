import { nearestName } from './nearest-name.ts';

const fields = ['nameserver', 'tsigKeyName', 'tsigAlgorithm', 'tsigSecretSecretRef', 'host', 'key', 'name'];

test.each<[typed: string, meant: string | undefined]>([
  ['tsigKeyNam', 'tsigKeyName'],
  ['tsigKeynmae', 'tsigKeyName'],
  ['tsig_key_name', 'tsigKeyName'],
  ['TSIGKEYNAME', 'tsigKeyName'],
  ['nameServer', 'nameserver'],
  ['nameservers', 'nameserver'],
  ['tsigSecretRef', 'tsigSecretSecretRef'],
  ['hsot', 'host'],
  ['nam', 'name'],
  ['port', undefined],
  ['password', undefined],
  ['x', undefined],
  ['', undefined],
])('%s: %s', (typed, meant) => expect(nearestName(typed, fields)).toBe(meant));

test('the nearest of several', () => expect(nearestName('abcdf', ['abxyf', 'abcde', 'abcdef'])).toBe('abcde'));

test('a huge word costs little', () => {
  const before = performance.now();
  expect(nearestName('a'.repeat(1_000_000), fields)).toBeUndefined();
  expect(performance.now() - before).toBeLessThan(200);
});
