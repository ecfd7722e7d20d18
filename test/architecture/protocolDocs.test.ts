import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createKeyRing, SIGNATURE_SIZES, signPuzzle } from '../../src/captcha/signature.ts';
import type { Instant } from '../../src/lib/time.ts';
import { expectedAttempts, toThreshold } from '../../src/puzzle/check.ts';
import { PUZZLE_SIZE, SOLUTION_COUNT, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { parsePayload } from '../../src/puzzle/solution.ts';
import { solvePuzzle } from '../../src/puzzle/solve.ts';
import { createBlake2b } from '../../src/server/blake2b.ts';
import { createHmac, sha256 } from '../../src/sha256.ts';

const page = await Bun.file(join(import.meta.dir, '../../docs/reference/protocol.md')).text();
/** Without line breaks, to find sentences. */
const prose = page.replace(/\s+/g, ' ');
const example = page.slice(page.indexOf('## A worked example'));
/** The code blocks of the example, without the spaces between the fields. */
const blocks = [...example.matchAll(/^```\n(.*)\n```$/gm)].map(([, text = '']) => text.replaceAll(' ', ''));
const [puzzleHex, signatureHex, puzzleText, headHex, payload] = blocks as [
  string,
  string,
  string,
  string,
  string,
];

function run(length: number, first: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => first + i);
}

const secret = run(32, 0);
const puzzle = toPuzzleBytes({
  version: 1,
  challenge: 'blake2b',
  propertyId: Uint8Array.fromHex('0123456789abcdef0123456789abcdef'),
  puzzleId: run(8, 0xa0),
  difficulty: 64,
  solutionCount: 2,
  expiresAtSeconds: 1_800_001_800,
  userData: run(16, 0xb0),
});

describe('the worked example of docs/reference/protocol.md', () => {
  test('contains the bytes of the puzzle', () => {
    expect(puzzle.toHex()).toBe(puzzleHex);
  });

  test('contains the signature that the code creates', () => {
    const key = { secret, fingerprint: sha256(secret).slice(0, 4), createdAt: 0 as Instant };
    const facts = { host: 'example.com', issuedAtSeconds: 1_800_000_000 };
    const signature = signPuzzle(puzzle, facts, createKeyRing([key]), createHmac());
    expect(signature.toHex()).toBe(signatureHex);
    expect(`${puzzle.toBase64()}.${signature.toBase64()}`).toBe(puzzleText);
    expect(prose).toContain(`\`${key.fingerprint.toHex()}\``);
  });

  test('contains the solutions and the payload that the solver finds', () => {
    const solved = solvePuzzle(puzzleText, createBlake2b(), () => 1234);
    expect(solved?.payload).toBe(payload);
    expect(Uint8Array.fromBase64(payload.split('.')[0] ?? '').toHex()).toBe(headHex);
    expect(prose).toContain(`after ${solved?.attempts} hashes`);
    expect(parsePayload(payload)?.metadata?.elapsedMs).toBe(1234);
  });
});

describe('docs/reference/protocol.md', () => {
  test('contains the computed table of work', () => {
    const rows = [...page.matchAll(/^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)].map((row) =>
      row.slice(1).map(Number),
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const [difficulty = 0, ...shown] of rows) {
      const attempts = Math.round(expectedAttempts(difficulty));
      expect([difficulty, ...shown]).toEqual([
        difficulty,
        toThreshold(difficulty),
        attempts,
        attempts * SOLUTION_COUNT,
      ]);
    }
  });

  test('states the sizes of the puzzle and the signature', () => {
    expect(prose).toContain(`The puzzle has ${PUZZLE_SIZE} bytes`);
    expect(prose).toContain(`a signature has ${SIGNATURE_SIZES.min} to ${SIGNATURE_SIZES.max} bytes`);
  });
});
