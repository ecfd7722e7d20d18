import { expect, test } from 'bun:test';
import { csvLine } from '../../src/lib/csv.ts';

test.each([
  ['plain cells', ['a', 'b c', ''], 'a,b c,'],
  ['what would end a cell or a line', ['a,b', 'say "x"', 'two\r\nlines'], '"a,b","say ""x""","two\r\nlines"'],
  [
    'what a spreadsheet would compute',
    ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'],
    "'=1+1,'+1,'-1,'@SUM(A1),'\t=1",
  ],
  ['both', ['=HYPERLINK("x","y")', '\r=1'], `"'=HYPERLINK(""x"",""y"")","'\r=1"`],
  ['signs further on, and other letters', ['a=b', 'ä', '漢'], 'a=b,ä,漢'],
])('a line of %s', (_, cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
});
