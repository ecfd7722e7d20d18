import { expect, test } from 'bun:test';
import { csvLine } from '../../src/lib/csv.ts';

test.each([
  ['plain cells', ['a', 'b c', ''], '"a","b c",""'],
  ['commas, quotes, and line breaks', ['a,b', 'say "x"', 'two\r\nlines'], '"a,b","say ""x""","two\r\nlines"'],
  ['a leading trigger', ['=1+1', '+1', '-1', '@SUM(A1)'], `"'=1+1","'+1","'-1","'@SUM(A1)"`],
  ['a leading trigger after blanks', [' =1', '\u00a0+1'], `"' =1","'\u00a0+1"`],
  ['a leading tab or line break', ['\ta', '\ra', '\na'], `"'\ta","'\ra","'\na"`],
  ['a leading full-width trigger', ['＝1', '＋1', '－1', '＠1'], `"'＝1","'＋1","'－1","'＠1"`],
  // A spreadsheet with a separator other than the comma splits inside the quotes.
  ['a trigger after a semicolon', ['a;=1', 'a; ＋1;-2'], `"a;'=1","a;' ＋1;'-2"`],
  ['a trigger after a tab', ['a\t@1', '\t=1'], `"a\t'@1","'\t'=1"`],
  ['a trigger after a line break', ['a\n=1', 'a\r=1', 'a\r\n＝1'], `"a\n'=1","a\r'=1","a\r\n'＝1"`],
  ['a trigger and quotes', ['=HYPERLINK("x";"y")'], `"'=HYPERLINK(""x"";""y"")"`],
  ['signs inside a cell, and non-ASCII letters', ['a=b', 'a+b@c-d', 'ä', '漢'], '"a=b","a+b@c-d","ä","漢"'],
])('escapes %s', (_, cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
});

test.each([' ', '\t', ';', '; ', '\n ', '"', '='])(
  'takes time in proportion to the length of a cell of %j',
  (piece) => {
    // A quadratic expression would take minutes for these four million characters.
    const cell = piece.repeat(4_000_000 / piece.length);
    expect(csvLine([cell]).length).toBeGreaterThan(cell.length);
  },
);
