import { describe, expect, test } from 'bun:test';
import { allMeetThreshold, areDistinct, toBlock } from '../../src/puzzle/check.ts';
import { PUZZLE_SIZE } from '../../src/puzzle/puzzle.ts';
import { solvePuzzle } from '../../src/puzzle/solve.ts';
import { expectedAttempts, thresholdOf } from '../../src/puzzle/threshold.ts';

/** A hash whose first four bytes are the block's last four: a solution says itself what it is worth. */
const candid = (block: Uint8Array) => block.slice(124, 128);
const solution = (index: number, worth: number) => {
  const bytes = new Uint8Array(8);
  bytes[0] = index;
  new DataView(bytes.buffer).setUint32(4, worth, true);
  return bytes;
};
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

describe('solutions meet a threshold', () => {
  const block = toBlock(new Uint8Array(PUZZLE_SIZE).fill(7));

  test.each([
    ['all are below it', [0, 999], true],
    ['one is at it', [1000, 5], true],
    ['the last is above it', [5, 1001], false],
    ['the first is above it', [1001, 5], false],
    ['one is far above it, where a signed number would be negative', [5, 0xffffffff], false],
  ])('%s', (_, [first = 0, second = 0], expected) => {
    const solutions = join(solution(0, first), solution(1, second));
    expect(allMeetThreshold(solutions, block, 1000, candid)).toBe(expected);
  });

  test('only the last eight bytes of the block change between two hashes', () => {
    const seen: string[] = [];
    const spy = (given: Uint8Array) => {
      seen.push(given.toHex());
      return new Uint8Array(4);
    };
    allMeetThreshold(join(solution(1, 2), solution(3, 4)), block, 0, spy);
    const front = `${'07'.repeat(PUZZLE_SIZE)}${'00'.repeat(120 - PUZZLE_SIZE)}`;
    expect(seen).toEqual([`${front}0100000002000000`, `${front}0300000004000000`]);
  });
});

describe('solutions are distinct', () => {
  test('when any one bit tells each pair apart', () => {
    const base = Array.from({ length: 16 }, (_, i) => solution(i, 5));
    expect(areDistinct(join(...base))).toBe(true);
    for (let bit = 0; bit < 64; bit++) {
      const other = solution(0, 0);
      other[bit >> 3] = 1 << (bit & 7);
      expect(areDistinct(join(solution(0, 0), other))).toBe(true);
    }
  });

  test('unless any two of them are the same, neighbours or not', () => {
    for (let a = 0; a < 16; a++) {
      for (let b = a + 1; b < 16; b++) {
        const solutions = Array.from({ length: 16 }, (_, i) => solution(i === b ? a : i, 5));
        expect(areDistinct(join(...solutions))).toBe(false);
      }
    }
  });
});

describe('the threshold', () => {
  test('falls with every level, within 32 bits, and is never zero', () => {
    for (let difficulty = 0; difficulty < 256; difficulty++) {
      expect(thresholdOf(difficulty)).toBeGreaterThanOrEqual(1);
      expect(thresholdOf(difficulty)).toBeLessThanOrEqual(0xffffffff);
      if (difficulty > 0) expect(thresholdOf(difficulty)).toBeLessThanOrEqual(thresholdOf(difficulty - 1));
    }
  });

  test('halves with eight levels, so the work doubles', () => {
    for (let difficulty = 0; difficulty <= 160; difficulty += 8) {
      expect(expectedAttempts(difficulty + 8) / expectedAttempts(difficulty)).toBeCloseTo(2, 2);
    }
    expect(expectedAttempts(0)).toBeCloseTo(1, 6);
    // Two of all 2^32 hashes meet the last threshold, 1: zero and one.
    expect(expectedAttempts(255)).toBe(2 ** 31);
    expect(expectedAttempts(128)).toBeCloseTo(65_536, -1);
  });
});

test.each(['', '.', 'AAAA.AAAA', 'not base64.AAAA', `${'A'.repeat(64)}.AAAA`])(
  '%j is no puzzle to solve',
  (text) => {
    expect(solvePuzzle(text, candid, () => 0)).toBeUndefined();
  },
);
