import { expect, test } from 'bun:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvLine, csvText } from '../../src/lib/csv.ts';

test.each([
  ['plain cells', ['a', 'b c', ''], '"a","b c",""'],
  ['commas, quotes, and line breaks', ['a,b', 'say "x"', 'two\r\nlines'], '"a,b","say ""x""","two\r\nlines"'],
  ['a leading trigger', ['=1+1', '+1', '-1', '@SUM(A1)'], `"'=1+1","'+1","'-1","'@SUM(A1)"`],
  ['a leading trigger after blanks', [' =1', '\u00a0+1'], `"' =1","'\u00a0+1"`],
  ['a trigger after an apostrophe', ["'=1", "a;'=1", "'\ta"], `"''=1","a;''=1","''\ta"`],
  ['a leading tab or line break', ['\ta', '\ra', '\na'], `"'\ta","'\ra","'\na"`],
  ['a leading full-width trigger', ['＝1', '＋1', '－1', '＠1'], `"'＝1","'＋1","'－1","'＠1"`],
  // A spreadsheet with a separator other than the comma splits inside the quotes.
  ['a trigger after a semicolon', ['a;=1', 'a; ＋1;-2'], `"a;'=1","a;' ＋1;'-2"`],
  ['a trigger after a tab', ['a\t@1', '\t=1'], `"a\t'@1","'\t'=1"`],
  ['a trigger after a line break', ['a\n=1', 'a\r=1', 'a\r\n＝1'], `"a\n'=1","a\r'=1","a\r\n'＝1"`],
  ['a trigger and quotes', ['=HYPERLINK("x";"y")'], `"'=HYPERLINK(""x"";""y"")"`],
  // A parser with the semicolon as the separator reads `""=1` as an empty quoted part before the formula.
  [
    'a trigger after a separator and quotes',
    ['a;"=1+1;x', '"=1', 'a; " "-1'],
    `"a;'""=1+1;x","'""=1","a;' "" ""-1"`,
  ],
  ['signs inside a cell, and non-ASCII letters', ['a=b', 'a+b@c-d', 'ä', '漢'], '"a=b","a+b@c-d","ä","漢"'],
])('escapes %s', (_, cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
  const quoted = line.slice(1, -1).split('","');
  expect(quoted.map((cell) => csvText(cell.replaceAll('""', '"')))).toEqual([...cells]);
});

test.each([';', '\t'])(
  'a parser with %j as the separator reads no formula, and the comma restores the text',
  (delimiter) => {
    const names = [`a${delimiter}"=1+1${delimiter}x`, `a${delimiter}""=1`, `a${delimiter} "" +1`];
    for (const name of names) {
      const line = csvLine([1, name]); // After the number, the parser does not read the name as quoted.
      const split: string[][] = parse(line, { delimiter, relax_quotes: true });
      for (const cell of split.flat()) expect(cell.replaceAll('"', '').trim()).not.toMatch(/^[=+]/);
      const [restored = []]: string[][] = parse(line);
      expect(restored.map(csvText)).toEqual(['1', name]);
    }
  },
);

test('numbers and Boolean values are written as they are', () => {
  expect(csvLine([-1, 2.5, true, '-1'])).toBe(`-1,2.5,true,"'-1"\r\n`);
});

test('every text is read as it was written', () => {
  const piece = fc.constantFrom(
    "'",
    ' ',
    ';',
    '\t',
    '\r',
    '\n',
    '=',
    '＝',
    '-',
    '@',
    '"',
    ',',
    'a',
    '\u3000',
    '\ufeff',
  );
  const cell = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(cell, (text) => {
      const line = csvLine([text]);
      const written = line.slice(1, -3).replaceAll('""', '"');
      expect(csvText(written)).toBe(text);
      // No formula is left at the beginning, or after a character that can be a separator.
      expect(written).not.toMatch(/(^|[;\t\r\n])[ \u3000\ufeff"]*[=＝\-@]/);
      expect(written).not.toMatch(/^[\t\r\n]/);
    }),
    { numRuns: 5000 },
  );
});

test.each([' ', '\t', ';', '; ', '\n ', '"', '='])(
  'takes time in proportion to the length of a cell of %j',
  (piece) => {
    // A quadratic expression would take minutes for these four million characters.
    const cell = piece.repeat(4_000_000 / piece.length);
    expect(csvLine([cell]).length).toBeGreaterThan(cell.length);
  },
);
