import { staleDocs } from './generate-docs.ts';

test('the generated documents are what their sources make; else npm run generate', async () => {
  expect(await staleDocs()).toEqual([]);
});
