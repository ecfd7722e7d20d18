import { describe, expect, test } from 'bun:test';
import {
  createIssuePlaygroundPuzzle,
  isTestPuzzle,
  readPageData,
} from '../../src/captcha/unsignedPuzzles.ts';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { type Instant, instantFromSeconds } from '../../src/lib/time.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { addPageData, toPayload } from '../../src/puzzle/solution.ts';
import { sitekey } from './fakes.ts';

const NOW = instantFromSeconds(1_800_000_000);

/** Issues puzzles whose random bytes are 1, 2, 3, … */
function open() {
  let next = 0;
  const random = <Bytes extends Uint8Array>(bytes: Bytes): Bytes => bytes.fill(++next);
  return createIssuePlaygroundPuzzle({ clock: () => (NOW + 999) as Instant, random });
}

describe('a puzzle for trying out a level', () => {
  test.each([
    ['blake2b', 100, 2, { challenge: 'blake2b', difficulty: 100, version: 1, solutionCount: 16 }],
    ['argon2id', 160, 2, { challenge: 'argon2id', difficulty: 32, version: 2, solutionCount: 8 }],
    ['argon2id', 160, 1, { challenge: 'blake2b', difficulty: 160, version: 1, solutionCount: 16 }],
  ] as const)(
    'with %s at the level %d for version %d has the same work as others',
    (challenge, level, version, expected) => {
      const [puzzle, signature] = open()({ sitekey, level, challenge, version })
        .split('.')
        .map(bytesFromBase64);
      const parsed = puzzle && parsePuzzle(puzzle);
      expect(parsed).toMatchObject({ ...expected, expiresAtSeconds: NOW / 1000 + 3600 });
      expect(parsed?.propertyId.toHex()).toBe(sitekey);
      expect(parsed?.puzzleId.toHex()).toBe('01'.repeat(8));
      expect(signature).toEqual(new Uint8Array(32).fill(2));
      expect(puzzle && isTestPuzzle(puzzle)).toBe(false);
    },
  );
});

test("the page's data can be read from a payload that was not verified", () => {
  const puzzle = open()({ sitekey, level: 1, challenge: 'blake2b', version: 1 });
  const metadata = { errorCode: 0, usedWasm: false, elapsedMs: 1 };
  const payload = addPageData(toPayload(metadata, new Uint8Array(128), puzzle), {
    action: 'sign-up',
    cData: 'x',
  });
  expect(readPageData(payload)).toEqual({ action: 'sign-up', cData: 'x' });
  expect(readPageData('not a payload')).toEqual({});
});
