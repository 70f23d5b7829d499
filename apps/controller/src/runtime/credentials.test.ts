import { secretData } from '../store/secret-data.ts';
import { Credentials } from './credentials.ts';

const ref = { name: 'tsig', key: 'secret' };

function world() {
  let onRead = () => {};
  const data = new Map<string, Readonly<Record<string, Buffer>>>();
  const store = {
    readSecret: async (namespace: string, name: string) => {
      onRead();
      const entries = data.get(`${namespace}/${name}`);
      const metadata = { namespace, name, uid: '1', generation: 1, resourceVersion: '1', createdAt: 0 };
      return entries && ({ kind: 'Secret', metadata, data: secretData(entries) } as const);
    },
  };
  const credentials = new Credentials(store);
  const handle = credentials.handle('team', ref);
  const read = async () => (await handle.get()).text();
  const put = (text: string) => data.set('team/tsig', { secret: Buffer.from(text) });
  return {
    data,
    put,
    credentials,
    read,
    onRead: (listener: () => void) => {
      onRead = listener;
    },
  };
}

test('a Secret is read at each use', async () => {
  const { put, credentials, read } = world();
  put('one');
  expect(await credentials.during('write', read)).toBe('one');
  put('two');
  expect(await credentials.during('remove', read)).toBe('two');
});

test('values are removed with what they were written with when its Secret is gone; nothing else is done with it', async () => {
  const { put, data, credentials, read } = world();
  put('one');
  await credentials.during('write', read);
  data.clear();
  expect(await credentials.during('remove', read)).toBe('one');
  await expect(credentials.during('write', read)).rejects.toThrow('Secret team/tsig does not exist. Create it');
  await expect(read()).rejects.toThrow('Secret team/tsig does not exist');
});

test('what nothing was written with is not kept; an entry that was taken out of its Secret is not used', async () => {
  const { put, data, credentials, read } = world();
  put('one');
  await read();
  data.clear();
  await expect(credentials.during('remove', read)).rejects.toThrow('does not exist');
  put('two');
  await credentials.during('write', read);
  data.set('team/tsig', { other: Buffer.from('x') });
  await expect(credentials.during('remove', read)).rejects.toThrow('Secret team/tsig has no entry "secret"');
});

test('what begins while a Secret is read for a removal is no removal', async () => {
  const { put, data, credentials, read, onRead } = world();
  put('one');
  await credentials.during('write', read);
  data.clear();
  let begun: Promise<string> | undefined;
  onRead(() => {
    onRead(() => {});
    begun = read();
    begun.catch(() => undefined);
  });
  expect(await credentials.during('remove', read)).toBe('one');
  await expect(begun).rejects.toThrow('does not exist');
});
