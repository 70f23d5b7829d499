import { jsonObject } from './json-object.ts';

test.each([
  ['{"a": 1}', { a: 1 }],
  [Buffer.from('{"a": "\u00fc"}'), { a: '\u00fc' }],
  ['{}', {}],
  ['[1]', undefined],
  ['null', undefined],
  ['"text"', undefined],
  ['', undefined],
  ['{"a": ', undefined],
  ['<html>', undefined],
])('%s', (text, object) => expect(jsonObject(text)).toEqual(object));
