import { describe, expect, test } from 'bun:test';
import { solveSeconds, workOf } from '../../src/captcha/solveCosts.ts';
import type { Challenge } from '../../src/model/propertyFields.ts';
import {
  allMeetThreshold,
  areDistinct,
  expectedAttempts,
  toBlock,
  toThreshold,
} from '../../src/puzzle/check.ts';
import { isDowngraded, levelOf, minLevelOf, workFor } from '../../src/puzzle/kinds.ts';
import { PUZZLE_SIZE, type Puzzle } from '../../src/puzzle/puzzle.ts';
import { solvePuzzle } from '../../src/puzzle/solve.ts';

/** A fake hash: the last four bytes of the solution. */
const fakeHash = (block: Uint8Array) => block.slice(124, 128);
const solution = (index: number, hash: number) => {
  const bytes = new Uint8Array(8);
  bytes[0] = index;
  new DataView(bytes.buffer).setUint32(4, hash, true);
  return bytes;
};
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

describe('allMeetThreshold', () => {
  const block = toBlock(new Uint8Array(PUZZLE_SIZE).fill(7));

  test.each([
    ['all are below it', [0, 999], true],
    ['one is at it', [1000, 5], true],
    ['the last is above it', [5, 1001], false],
    ['the first is above it', [1001, 5], false],
    ['one is above 2^31', [5, 0xffffffff], false],
  ])('%s', (_, [first = 0, second = 0], expected) => {
    const solutions = join(solution(0, first), solution(1, second));
    expect(allMeetThreshold(solutions, block, 1000, fakeHash)).toBe(expected);
  });

  test('changes only the last eight bytes of the block between two hashes', () => {
    const hashed: string[] = [];
    const spy = (given: Uint8Array) => {
      hashed.push(given.toHex());
      return new Uint8Array(4);
    };
    allMeetThreshold(join(solution(1, 2), solution(3, 4)), block, 0, spy);
    const front = `${'07'.repeat(PUZZLE_SIZE)}${'00'.repeat(120 - PUZZLE_SIZE)}`;
    expect(hashed).toEqual([`${front}0100000002000000`, `${front}0300000004000000`]);
  });
});

describe('areDistinct', () => {
  test('is true if all pairs differ in at least one bit', () => {
    const base = Array.from({ length: 16 }, (_, i) => solution(i, 5));
    expect(areDistinct(join(...base))).toBe(true);
    for (let bit = 0; bit < 64; bit++) {
      const other = solution(0, 0);
      other[bit >> 3] = 1 << (bit & 7);
      expect(areDistinct(join(solution(0, 0), other))).toBe(true);
    }
  });

  test('is false if any two solutions are equal', () => {
    for (let a = 0; a < 16; a++) {
      for (let b = a + 1; b < 16; b++) {
        const solutions = Array.from({ length: 16 }, (_, i) => solution(i === b ? a : i, 5));
        expect(areDistinct(join(...solutions))).toBe(false);
      }
    }
  });
});

describe('the threshold', () => {
  test('decreases with the difficulty, fits in 32 bits, and is never zero', () => {
    for (let difficulty = 0; difficulty < 256; difficulty++) {
      expect(toThreshold(difficulty)).toBeGreaterThanOrEqual(1);
      expect(toThreshold(difficulty)).toBeLessThanOrEqual(0xffffffff);
      if (difficulty > 0) expect(toThreshold(difficulty)).toBeLessThanOrEqual(toThreshold(difficulty - 1));
    }
  });

  test('halves every eight levels, which doubles the work', () => {
    for (let difficulty = 0; difficulty <= 160; difficulty += 8) {
      expect(expectedAttempts(difficulty + 8) / expectedAttempts(difficulty)).toBeCloseTo(2, 2);
    }
    expect(expectedAttempts(0)).toBeCloseTo(1, 6);
    // Two of 2^32 hashes, zero and one, meet the last threshold, 1.
    expect(expectedAttempts(255)).toBe(2 ** 31);
    expect(expectedAttempts(128)).toBeCloseTo(65_536, -1);
  });
});

test.each(['', '.', 'AAAA.AAAA', 'not base64.AAAA', `${'A'.repeat(64)}.AAAA`])(
  '%j is not a puzzle',
  (text) => {
    expect(solvePuzzle(text, fakeHash, () => 0)).toBeUndefined();
  },
);

describe('the work of a level', () => {
  const of = (challenge: Challenge, level: number, version: Puzzle['version']): unknown => {
    const { difficulty, ...work } = workFor(challenge, level, version);
    return [work.version, work.challenge, difficulty, work.solutionCount];
  };

  test.each([
    ['argon2id', 3, 128, 152],
    ['argon2id', 2, 128, 152],
    ['hashwx', 3, 36, 60],
  ] as const)(
    '%s for version %i: the level minus %i from level %i on, otherwise BLAKE2b',
    (kind, newest, offset, least) => {
      for (let level = 1; level <= 255; level++) {
        const expected =
          level < least ? [1, 'blake2b', level, 16] : [kind === 'hashwx' ? 3 : 2, kind, level - offset, 8];
        expect(of(kind, level, newest)).toEqual(expected);
        expect(isDowngraded(kind, level, newest)).toBe(false);
      }
      expect(minLevelOf(kind)).toBe(least);
    },
  );

  test.each([
    ['argon2id', 1],
    ['hashwx', 1],
    ['hashwx', 2],
  ] as const)(
    '%s for version %i is BLAKE2b at the full level, and downgraded if the kind is possible',
    (kind, newest) => {
      for (let level = 1; level <= 255; level++) {
        expect(of(kind, level, newest)).toEqual([1, 'blake2b', level, 16]);
        expect(isDowngraded(kind, level, newest)).toBe(level >= minLevelOf(kind));
      }
    },
  );

  test('BLAKE2b is the same for all clients', () => {
    for (const newest of [1, 2, 3] as const) {
      expect(of('blake2b', 1, newest)).toEqual([1, 'blake2b', 1, 16]);
      expect(isDowngraded('blake2b', 255, newest)).toBe(false);
    }
  });

  test('a HashWX puzzle takes about as long as a BLAKE2b puzzle of the same level on a laptop', () => {
    const times = (['blake2b', 'hashwx'] as const).map((kind) => solveSeconds(workOf(128, kind), 'laptop'));
    expect((times[1] ?? 0) / (times[0] ?? 0)).toBeWithin(0.9, 1.1);
  });

  test.each(['blake2b', 'argon2id', 'hashwx'] as const)('levelOf reverses it for %s', (kind) => {
    expect(levelOf(workFor(kind, 200, 3))).toBe(200);
  });
});
