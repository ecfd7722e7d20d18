import { describe, expect, test } from 'bun:test';
import { testPuzzleText } from '../../src/captcha/unsignedPuzzles.ts';
import { toBase64 } from '../../src/lib/bytes.ts';
import { PUZZLE_SIZE, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import {
  addPageData,
  findInvalidField,
  parsePayload,
  toPayload,
  toUrlSafe,
} from '../../src/puzzle/solution.ts';

const puzzleBytes = toPuzzleBytes({
  version: 1,
  challenge: 'blake2b',
  propertyId: new Uint8Array(16).fill(1),
  puzzleId: new Uint8Array(8).fill(2),
  difficulty: 0,
  solutionCount: 2,
  expiresAtSeconds: 5,
  userData: new Uint8Array(16),
});
const puzzle = toBase64(puzzleBytes);
const signature = toBase64(Uint8Array.of(9, 8, 7));
const solutions = Uint8Array.from({ length: 16 }, (_, i) => i);
const metadata = Uint8Array.of(1, 0, 1, 0x10, 0x27, 0, 0);
const head = toBase64(Uint8Array.of(...metadata, ...solutions));

describe('a payload', () => {
  test('is parsed with metadata', () => {
    const payload = parsePayload(`${head}.${puzzle}.${signature}`);
    expect(payload?.metadata).toEqual({ errorCode: 0, usedWasm: true, elapsedMs: 10_000 });
    expect(payload?.solutions).toEqual(solutions);
    expect(payload?.puzzle.solutionCount).toBe(2);
    expect(payload?.puzzleBytes).toEqual(puzzleBytes);
    expect(payload?.signature).toEqual(Uint8Array.of(9, 8, 7));
  });

  test('is parsed without metadata, which some client libraries omit', () => {
    const payload = parsePayload(`${toBase64(solutions)}.${puzzle}.${signature}`);
    expect(payload?.metadata).toBeUndefined();
    expect(payload?.solutions).toEqual(solutions);
  });

  test('of the test puzzle must have 128 or 135 bytes', () => {
    for (let length = 0; length < 300; length++) {
      const bytes = new Uint8Array(length);
      if (length === 135) bytes[0] = 1;
      const isValid = length === 128 || length === 135;
      expect(parsePayload(`${toBase64(bytes)}.${testPuzzleText()}`) !== undefined).toBe(isValid);
    }
  });

  test('of the test puzzle has metadata of a known version, or only zeros', () => {
    const parsedWith = (bytes: Uint8Array) => parsePayload(`${toBase64(bytes)}.${testPuzzleText()}`);
    const zeros = new Uint8Array(135);
    expect(parsedWith(zeros)?.metadata).toBeUndefined();
    expect(parsedWith(zeros)?.solutions).toEqual(new Uint8Array(128));
    for (let at = 1; at < 7; at++) expect(parsedWith(zeros.with(at, 1))).toBeUndefined();
    expect(parsedWith(zeros.with(0, 1))?.metadata).toEqual({ errorCode: 0, usedWasm: false, elapsedMs: 0 });
  });

  test('contains the text of the puzzle unchanged', () => {
    const text = `${puzzle}.${signature}`;
    const written = toPayload({ errorCode: 3, usedWasm: false, elapsedMs: 2 ** 40 }, solutions, text);
    expect(written.endsWith(`.${text}`)).toBe(true);
    expect(parsePayload(written)?.metadata).toEqual({ errorCode: 3, usedWasm: false, elapsedMs: 0xffffffff });
  });
});

describe('a payload in the URL-safe alphabet', () => {
  test('is parsed like the standard one', () => {
    const text = `${toBase64(Uint8Array.of(0xfb, 0xef, 0xff, ...solutions.subarray(3)))}.${puzzle}.${signature}`;
    expect(text).toContain('+');
    const urlSafe = toUrlSafe(text);
    expect(urlSafe).toMatch(/^[\w.-]+$/);
    expect(parsePayload(urlSafe)).toEqual(parsePayload(text) as NonNullable<ReturnType<typeof parsePayload>>);
  });

  test('can have parts in different alphabets', () => {
    expect(parsePayload(`${toUrlSafe(head)}.${puzzle}.${signature}`)).toBeDefined();
  });
});

describe('page data', () => {
  const text = `${head}.${puzzle}.${signature}`;

  test.each([
    [{ action: 'login' }],
    [{ action: 'a/b_c-d', cData: 'Session-1_2' }],
    [{ cData: 'x' }],
    [{ action: 'a'.repeat(100), cData: 'b'.repeat(255) }],
    [{ action: '' }],
  ])('%p is added to a payload and parsed', (pageData) => {
    const parsed = parsePayload(addPageData(text, pageData));
    expect(parsed?.pageData).toEqual(pageData);
    expect({ ...parsed, pageData: {} }).toEqual({ ...parsePayload(text), pageData: {} });
  });

  test('that is empty changes nothing', () => {
    expect(addPageData(text, {})).toBe(text);
  });

  test.each([
    [{}, undefined],
    [{ action: 'a', cData: 'b' }, undefined],
    [{ action: 'a b', cData: 'b' }, 'action'],
    [{ action: 'a', cData: 'b/c' }, 'cData'],
    [{ action: 'a'.repeat(101) }, 'action'],
    [{ cData: 'a'.repeat(256) }, 'cData'],
  ] as const)('%p has the invalid field %p', (pageData, field) => {
    expect(findInvalidField(pageData)).toBe(field);
  });

  const encoded = (...bytes: readonly number[]) =>
    `${toBase64(Uint8Array.of(2, ...metadata.subarray(1), ...solutions, ...bytes))}.${puzzle}.${signature}`;
  const letters = (length: number) => Array.from({ length }, () => 0x61);

  test.each([
    ['missing', encoded()],
    ['of one byte', encoded(0)],
    ['longer than its lengths', encoded(1, 0x61, 0, 0x61)],
    ['shorter than its lengths', encoded(2, 0x61, 0)],
    ['with a control character', encoded(1, 0x0a, 0)],
    ['with a character outside ASCII', encoded(1, 0xe9, 0)],
    ['with a slash in cData', encoded(0, 1, 0x2f)],
    ['with an action of 101 characters', encoded(101, ...letters(101), 0)],
    ['after metadata of version 1', encoded(1, 0x61, 0).replace(/^./, 'A').replace('AgAB', 'AQAB')],
  ])('%s is rejected', (_, given) => {
    expect(parsePayload(given)).toBeUndefined();
  });
});

describe('a payload is rejected', () => {
  const short = toBase64(solutions.subarray(0, 8));
  // `CQ==` is the byte 9. Here, the unused bits of the second character are not zero.
  const spareBits = 'CR==';

  test.each([
    ['if it is empty', ''],
    ['of two dots', '..'],
    ['of one part', head],
    ['of two parts', `${head}.${puzzle}`],
    ['of four parts', `${head}.${puzzle}.${signature}.${signature}`],
    ['with a trailing dot', `${head}.${puzzle}.${signature}.`],
    ['with a leading dot', `.${head}.${puzzle}.${signature}`],
    ['without solutions', `.${puzzle}.${signature}`],
    ['without a puzzle', `${head}..${signature}`],
    ['with a puzzle that is not base64', `${head}.%.${signature}`],
    ['without a signature', `${head}.${puzzle}.`],
    ['with too few solutions', `${short}.${puzzle}.${signature}`],
    ['with too many solutions', `${toBase64(new Uint8Array(24))}.${puzzle}.${signature}`],
    ['with an additional half of a solution', `${toBase64(new Uint8Array(20))}.${puzzle}.${signature}`],
    [
      'with metadata of another version',
      `${toBase64(Uint8Array.of(2, ...metadata.subarray(1), ...solutions))}.${puzzle}.${signature}`,
    ],
    ['with metadata that is all zeros', `${toBase64(new Uint8Array(7 + 16))}.${puzzle}.${signature}`],
    ['with metadata and too few solutions', `${toBase64(metadata)}.${puzzle}.${signature}`],
    [
      'with page data that is too long',
      `${toBase64(Uint8Array.of(2, ...metadata.subarray(1), ...solutions, ...new Uint8Array(400)))}.${puzzle}.${signature}`,
    ],
    // The same bytes are a puzzle that requires five solutions, and these solutions after metadata of version 1.
    ['without dots', toUrlSafe(toBase64(Uint8Array.of(...puzzleBytes.with(26, 5), 0)))],
    ['with a trailing line break', `${head}.${puzzle}.${signature}\n`],
    ['with a leading space', ` ${head}.${puzzle}.${signature}`],
    [
      'in the URL-safe alphabet with padding',
      `${toBase64(new Uint8Array(16).fill(0xff)).replaceAll('/', '_')}.${puzzle}.${signature}`,
    ],
    [
      'with a part that mixes both alphabets',
      `${toBase64(Uint8Array.of(0xfb, 0xef, 0xff, ...solutions.subarray(3)))
        .replace('+', '-')
        .replaceAll('=', '')}.${puzzle}.${signature}`,
    ],
    [
      'without padding and with unused bits that are not zero',
      `${head}.${puzzle}.${spareBits.replaceAll('=', '')}`,
    ],
    ['with unused bits that are not zero', `${head}.${puzzle}.${spareBits}`],
    ['with a puzzle of an unknown version', `${head}.${toBase64(puzzleBytes.with(0, 3))}.${signature}`],
    [
      'with a puzzle that is too long',
      `${head}.${toBase64(new Uint8Array(PUZZLE_SIZE + 1).fill(1))}.${signature}`,
    ],
    [
      'with a puzzle that requires no solutions',
      `${toBase64(metadata)}.${toBase64(puzzleBytes.with(26, 0))}.${signature}`,
    ],
  ])('%s', (_, text) => {
    expect(parsePayload(text)).toBeUndefined();
  });
});

describe('metadata that is all zeros is accepted only for the test puzzle: not', () => {
  const zeros = toBase64(new Uint8Array(7 + 16));
  const free = { difficulty: 0, solutionCount: 2, expiresAtSeconds: 0 };
  const ids = {
    propertyId: new Uint8Array(16),
    puzzleId: new Uint8Array(8),
    userData: new Uint8Array(16),
  };
  const parsed = (bytes: Uint8Array) => parsePayload(`${zeros}.${toBase64(bytes)}.${signature}`);

  test.each([
    ['in version 2', toPuzzleBytes({ ...ids, ...free, version: 2, challenge: 'blake2b' })],
    [
      'with a difficulty',
      toPuzzleBytes({ ...ids, ...free, difficulty: 1, version: 1, challenge: 'blake2b' }),
    ],
    [
      'with an expiration',
      toPuzzleBytes({ ...ids, ...free, expiresAtSeconds: 1, version: 1, challenge: 'blake2b' }),
    ],
  ])('%s', (_, bytes) => {
    expect(parsed(bytes)).toBeUndefined();
    expect(parsed(toPuzzleBytes({ ...ids, ...free, version: 1, challenge: 'blake2b' }))).toBeDefined();
  });
});
