import { createScreen } from './screen.ts';
import { createStyle, printable } from './style.ts';
import { fit, table } from './table.ts';
import { instant, minute, span } from './time-text.ts';

test.each([
  [0, '0 ms'],
  [42, '42 ms'],
  [3_240, '3.2 s'],
  [59_400, '59 s'],
  [250_000, '4 min 10 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [59 * 86_400_000, '59 d'],
  [-5, '0 ms'],
])('%d ms is %s', (ms, text) => expect(span(ms)).toBe(text));

test('instants', () => {
  expect([instant(0), minute(0)]).toEqual(['1970-01-01T00:00:00Z', '1970-01-01 00:00Z']);
});

test.each([
  ['a terminal has colours', { isTTY: true }, {}, true],
  ['not with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR counts for nothing', { isTTY: true }, { NO_COLOR: '' }, true],
  ['a file has none', {}, {}, false],
  ['but with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, true],
  ['NO_COLOR wins', {}, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ['a dumb terminal has none', { isTTY: true }, { TERM: 'dumb' }, false],
])('%s', (_title, output, env, coloured) => {
  expect(createStyle(output, env).red('x')).toBe(coloured ? '\u001b[31mx\u001b[39m' : 'x');
});

test('text from outside cannot move the cursor or turn the direction', () => {
  expect(printable('a\u001b[2Jb\nc\u202ed')).toBe('a [2Jb c d');
});

test('columns are as wide as their widest cell; colours take no room', () => {
  const { red } = createStyle({ isTTY: true }, {});
  expect(
    table([
      ['a', red('bb'), 'c'],
      ['aaa', 'b', ''],
    ]),
  ).toBe(`a    ${red('bb')}  c\naaa  b\n`);
});

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdefg', 6, 'abc...'],
  ['\u001b[31mabcdefg\u001b[39m', 6, '\u001b[31mabc...\u001b[39m'],
  ['ab\u001b[31mcdefg\u001b[39mh', 6, 'ab\u001b[31mc...\u001b[39m'],
])('%j fits into %d columns as %j', (line, columns, expected) => expect(fit(line, columns)).toBe(expected));

describe('a screen', () => {
  const onTerminal = (rows: number) => {
    let text = '';
    const write = (part: string) => {
      text += part;
    };
    const out = { isTTY: true, columns: 20, rows, write };
    return { screen: createScreen(out), text: () => text };
  };

  test('draws its block again in place when it is different, other text above it', () => {
    const { screen, text } = onTerminal(10);
    screen.draw(['one', 'two']);
    screen.draw(['one', 'two']);
    screen.above('news\n');
    screen.draw(['three']);
    expect(text()).toBe('one\ntwo\n\u001b[2A\u001b[0Jnews\none\ntwo\n\u001b[2A\u001b[0Jthree\n');
  });

  test('never draws more lines than there is room for', () => {
    const { screen, text } = onTerminal(4);
    screen.draw(['1', '2', '3', '4', '5']);
    expect(text()).toBe('1\n2\n... and 3 more\n');
  });
});
