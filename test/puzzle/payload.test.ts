import { describe, expect, test } from 'bun:test';
import { testPuzzleText } from '../../src/captcha/testProperty.ts';
import { base64Of } from '../../src/lib/bytes.ts';
import { PUZZLE_SIZE, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { parsePayload, toPayload } from '../../src/puzzle/solution.ts';

const puzzleBytes = toPuzzleBytes({
  propertyId: new Uint8Array(16).fill(1),
  puzzleId: new Uint8Array(8).fill(2),
  difficulty: 0,
  solutionCount: 2,
  expiresAtSeconds: 5,
  userData: new Uint8Array(16),
});
const puzzle = base64Of(puzzleBytes);
const signature = base64Of(Uint8Array.of(9, 8, 7));
const solutions = Uint8Array.from({ length: 16 }, (_, i) => i);
const metadata = Uint8Array.of(1, 0, 1, 0x10, 0x27, 0, 0);
const head = base64Of(Uint8Array.of(...metadata, ...solutions));

describe('a payload', () => {
  test('is read with its metadata', () => {
    const payload = parsePayload(`${head}.${puzzle}.${signature}`);
    expect(payload?.metadata).toEqual({ errorCode: 0, usedWasm: true, elapsedMs: 10_000 });
    expect(payload?.solutions).toEqual(solutions);
    expect(payload?.puzzle.solutionCount).toBe(2);
    expect(payload?.puzzleBytes).toEqual(puzzleBytes);
    expect(payload?.signature).toEqual(Uint8Array.of(9, 8, 7));
  });

  test('is read without metadata, as some client libraries send it', () => {
    const payload = parsePayload(`${base64Of(solutions)}.${puzzle}.${signature}`);
    expect(payload?.metadata).toBeUndefined();
    expect(payload?.solutions).toEqual(solutions);
  });

  test('of the test puzzle is read at 128 and at 135 bytes, and at no other length', () => {
    for (let length = 0; length < 300; length++) {
      const bytes = new Uint8Array(length);
      if (length === 135) bytes[0] = 1;
      const isOne = length === 128 || length === 135;
      expect(parsePayload(`${base64Of(bytes)}.${testPuzzleText()}`) !== undefined).toBe(isOne);
    }
  });

  test('passes the text of the puzzle through unchanged', () => {
    const text = `${puzzle}.${signature}`;
    const written = toPayload({ errorCode: 3, usedWasm: false, elapsedMs: 2 ** 40 }, solutions, text);
    expect(written.endsWith(`.${text}`)).toBe(true);
    expect(parsePayload(written)?.metadata).toEqual({ errorCode: 3, usedWasm: false, elapsedMs: 0xffffffff });
  });
});

describe('refused is a payload', () => {
  const short = base64Of(solutions.subarray(0, 8));
  // CQ== is one byte, 9; the second character's spare bits are not zero here.
  const spareBits = 'CR==';

  test.each([
    ['that is empty', ''],
    ['of dots', '..'],
    ['of one part', head],
    ['of two parts', `${head}.${puzzle}`],
    ['of four parts', `${head}.${puzzle}.${signature}.${signature}`],
    ['with a dot at the end', `${head}.${puzzle}.${signature}.`],
    ['with a dot in front', `.${head}.${puzzle}.${signature}`],
    ['without solutions', `.${puzzle}.${signature}`],
    ['without a puzzle', `${head}..${signature}`],
    ['without a signature', `${head}.${puzzle}.`],
    ['with too few solutions', `${short}.${puzzle}.${signature}`],
    ['with too many solutions', `${base64Of(new Uint8Array(24))}.${puzzle}.${signature}`],
    ['with half a solution more', `${base64Of(new Uint8Array(20))}.${puzzle}.${signature}`],
    [
      'with metadata of another version',
      `${base64Of(Uint8Array.of(2, ...metadata.subarray(1), ...solutions))}.${puzzle}.${signature}`,
    ],
    ['with a line break at the end', `${head}.${puzzle}.${signature}\n`],
    ['with a space in front', ` ${head}.${puzzle}.${signature}`],
    [
      'in the url alphabet',
      `${base64Of(new Uint8Array(16).fill(0xff)).replaceAll('/', '_')}.${puzzle}.${signature}`,
    ],
    ['without padding', `${base64Of(solutions).replaceAll('=', '')}.${puzzle}.${signature}`],
    ['with spare bits that are not zero', `${head}.${puzzle}.${spareBits}`],
    ['with a puzzle of an unknown version', `${head}.${base64Of(puzzleBytes.with(0, 3))}.${signature}`],
    [
      'with a puzzle that is too long',
      `${head}.${base64Of(new Uint8Array(PUZZLE_SIZE + 1).fill(1))}.${signature}`,
    ],
    [
      'with a puzzle that asks for nothing',
      `${base64Of(metadata)}.${base64Of(puzzleBytes.with(26, 0))}.${signature}`,
    ],
  ])('%s', (_, text) => {
    expect(parsePayload(text)).toBeUndefined();
  });
});
