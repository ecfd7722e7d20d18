import { describe, expect, test } from 'bun:test';
import { failuresIn } from '../failures.ts';

const OUTPUT = `
test/a.test.ts:
(pass) one [0.10ms]
3 | expect(1).toBe(2);
error: expect(received).toBe(expected)
(fail) two > is two [0.84ms]
(pass) three [0.01ms]
a line of a test that passed

test/b.test.ts:
(skip) four

 2 pass
 1 fail
`;

describe('the summary of failures', () => {
  test('contains the file, the error, and the name of each test that did not pass', () => {
    expect(failuresIn(OUTPUT)).toEqual([
      'test/a.test.ts:\n3 | expect(1).toBe(2);\nerror: expect(received).toBe(expected)\n(fail) two > is two [0.84ms]',
      'test/b.test.ts:\n(skip) four',
    ]);
  });

  test('contains the last 40 lines that precede a failure', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    expect(failuresIn(['a.test.ts:', ...lines, '(fail) one'].join('\n'))).toEqual([
      ['a.test.ts:', ...lines.slice(60), '(fail) one'].join('\n'),
    ]);
  });

  test('is empty if all tests pass', () => {
    expect(failuresIn('a.test.ts:\n(pass) one\n\n 1 pass\n')).toEqual([]);
  });
});
