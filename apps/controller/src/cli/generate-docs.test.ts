import { staleDocs } from './generate-docs.ts';

test('the documents in docs/ are what their sources make; else run generate-docs', () => {
  expect(staleDocs()).toEqual([]);
});
