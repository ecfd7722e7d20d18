import { describe, expect, test } from 'bun:test';
import { isClockWrong } from '../../src/jobs/clocks.ts';
import { HOUR, SECOND } from '../../src/lib/time.ts';

const AHEAD = 3 * HOUR;

/** The offsets of all nodes from the database. @returns which of them are wrong */
const wrongAmong = (...offsets: readonly number[]) =>
  offsets.map((offsetMs, at) =>
    isClockWrong({ offsetMs, uncertaintyMs: 1, otherOffsetsMs: offsets.toSpliced(at, 1) }),
  );

describe('the clock of a node is wrong', () => {
  const cases: readonly [string, readonly number[], readonly boolean[]][] = [
    ['if it alone differs', [0, 20, AHEAD], [false, false, true]],
    ['if it is behind', [0, 20, -AHEAD], [false, false, true]],
    ['if one other node agrees with the database', [0, AHEAD], [false, true]],
    ['if two nodes differ from each other and from the rest', [0, AHEAD, -AHEAD], [false, true, true]],
    ['if two of three nodes have the same wrong time', [0, AHEAD, AHEAD], [false, true, true]],
  ];
  test.each(cases)('%s', (_, offsets, expected) => {
    expect(wrongAmong(...offsets)).toEqual([...expected]);
  });
});

describe('the clock of a node is not wrong', () => {
  const cases: readonly [string, readonly number[]][] = [
    ['if there is no other node', [AHEAD]],
    ['if all nodes agree with each other, but not with the database', [AHEAD, AHEAD, AHEAD + 10]],
    ['if no node agrees with the database', [AHEAD, -AHEAD, 2 * AHEAD]],
    ['if most nodes have the same time', [0, AHEAD, AHEAD, AHEAD]],
    ['if it differs by up to five seconds', [0, 0, 5 * SECOND]],
  ];
  test.each(cases)('%s', (_, offsets) => {
    expect(wrongAmong(...offsets)).not.toContain(true);
  });

  test('if the error of the measurement can explain the difference', () => {
    const measured = { offsetMs: 6000, otherOffsetsMs: [0, 0] };
    expect(isClockWrong({ ...measured, uncertaintyMs: 1000 })).toBe(false);
    expect(isClockWrong({ ...measured, uncertaintyMs: 999 })).toBe(true);
  });
});

test('at least one node always stays ready, whatever the clocks are', () => {
  const offsets = [0, 4900, 5100, AHEAD, -AHEAD, AHEAD + 4900];
  for (const a of offsets)
    for (const b of offsets) for (const c of offsets) expect(wrongAmong(a, b, c)).toContain(false);
});
