import { createKeyRing, signPuzzle, verifySignature } from '../../../../src/captcha/signature.ts';
import { readPageData } from '../../../../src/captcha/unsignedPuzzles.ts';
import { decodeBatch, encodeBatch } from '../../../../src/jobs/countBatch.ts';
import { bytesFromAnyBase64, bytesFromBase64, toBase64 } from '../../../../src/lib/bytes.ts';
import type { Instant } from '../../../../src/lib/time.ts';
import { COUNTS_SIZE } from '../../../../src/model/statistics.ts';
import { parsePuzzle, toPuzzleBytes } from '../../../../src/puzzle/puzzle.ts';
import { addPageData, parsePayload, toPayload, toUrlSafe } from '../../../../src/puzzle/solution.ts';
import { decodeCounts, encodeCounts } from '../../../../src/storage/statisticsRows.ts';
import { readPuzzle, readRejection } from '../../../../src/widget/client.ts';
import { fromBytes, must, mustEqual, type Target, toBytes } from '../engine/target.ts';

/** The binary formats of the protocol. */

const FIELDS = {
  propertyId: Uint8Array.fromHex('0123456789abcdef0123456789abcdef'),
  puzzleId: new Uint8Array(8).fill(1),
  difficulty: 128,
  solutionCount: 2,
  expiresAtSeconds: 1_800_000_000,
  userData: new Uint8Array(16).fill(2),
};
const PUZZLES = [
  toPuzzleBytes({ version: 1, challenge: 'blake2b', ...FIELDS }),
  toPuzzleBytes({ version: 2, challenge: 'blake2b', ...FIELDS }),
  toPuzzleBytes({ version: 2, challenge: 'argon2id', ...FIELDS, solutionCount: 1 }),
  toPuzzleBytes({ version: 3, challenge: 'hashwx', ...FIELDS }),
  // The test puzzle, which is the only one that may have zeros as metadata.
  toPuzzleBytes({ version: 1, challenge: 'blake2b', ...FIELDS, difficulty: 0, expiresAtSeconds: 0 }),
];

function payloadsOf(bytes: Uint8Array): readonly string[] {
  const count = parsePuzzle(bytes)?.solutionCount ?? 0;
  const solutions = new Uint8Array(8 * count).fill(3);
  const text = `${toBase64(bytes)}.${toBase64(new Uint8Array(40).fill(4))}`;
  const payload = toPayload({ errorCode: 0, usedWasm: true, elapsedMs: 1234 }, solutions, text);
  const withZeros = `${toBase64(new Uint8Array(7 + 8 * count))}.${text}`;
  const withoutMetadata = `${toBase64(solutions)}.${text}`;
  const withData = [{ action: 'login', cData: 'x-1' }, { action: '' }, { cData: 'y' }].map((data) =>
    addPageData(payload, data),
  );
  return [payload, toUrlSafe(payload), withoutMetadata, withZeros, ...withData];
}

const payload: Target = {
  name: 'payload',
  kind: 'text',
  seeds: PUZZLES.flatMap(payloadsOf),
  tokens: ['.', '=', '==', '-_', '+/', 'AAAA', 'AgAA', 'AQAA', '\n'],
  // Changes the bytes of one part, and encodes them again.
  mutate(input, other, mutate, random) {
    const parts = input.split('.');
    const at = random(parts.length);
    const bytes = bytesFromAnyBase64(parts[at] ?? '');
    if (bytes === undefined) return mutate(input, other);
    const changed = toBytes(mutate(fromBytes(bytes), other));
    const text = toBase64(changed);
    return parts
      .map((part, index) => (index === at ? (random(4) === 0 ? toUrlSafe(text) : text) : part))
      .join('.');
  },
  check(input) {
    const parsed = parsePayload(input);
    mustEqual(readPageData(input), parsed?.pageData ?? {}, 'another reading of the page data');
    if (parsed === undefined) return undefined;
    mustEqual(toPuzzleBytes(parsed.puzzle), parsed.puzzleBytes, 'the written puzzle');
    mustEqual(parsePayload(toUrlSafe(input)), parsed, 'the payload in base64url');
    const text = `${toBase64(parsed.puzzleBytes)}.${toBase64(parsed.signature)}`;
    const written =
      parsed.metadata === undefined
        ? `${toBase64(parsed.solutions)}.${text}`
        : addPageData(toPayload(parsed.metadata, parsed.solutions, text), parsed.pageData);
    mustEqual(parsePayload(written), parsed, 'the written payload');
    return parsed;
  },
};

const puzzle: Target = {
  name: 'puzzle',
  kind: 'bytes',
  seeds: PUZZLES.map(fromBytes),
  maxLength: 100,
  check(input) {
    const bytes = toBytes(input);
    const parsed = parsePuzzle(bytes);
    if (parsed !== undefined) mustEqual(toPuzzleBytes(parsed), bytes, 'the written puzzle');
    const ofWidget = readPuzzle(bytes);
    mustEqual(
      ofWidget,
      parsed && {
        challengeCode: ['blake2b', 'argon2id', 'hashwx'].indexOf(parsed.challenge),
        difficulty: parsed.difficulty,
        solutionCount: parsed.solutionCount,
        expiresAtSeconds: parsed.expiresAtSeconds,
      },
      'what the widget reads',
    );
    return parsed;
  },
};

/** A MAC that inputs can contain. */
const weakHmac = (_: Uint8Array, message: Uint8Array) => new Uint8Array(32).fill(message.length);
const ring = createKeyRing([
  { secret: new Uint8Array(32), fingerprint: new Uint8Array(4), createdAt: 0 as Instant },
]);
const signed = (bytes: Uint8Array, host: string) =>
  fromBytes(bytes) + fromBytes(signPuzzle(bytes, { host, issuedAtSeconds: 1_700_000_000 }, ring, weakHmac));

const signature: Target = {
  name: 'signature',
  kind: 'bytes',
  seeds: ['', 'example.com', 'a'.repeat(253)].map((host) => signed(PUZZLES[0] as Uint8Array, host)),
  maxLength: 400,
  check(input) {
    const bytes = toBytes(input);
    if (bytes.length < 47) return undefined;
    const [puzzle, given] = [bytes.slice(0, 47), bytes.slice(47)];
    const fields = verifySignature(puzzle, given, ring, weakHmac);
    if (fields === undefined) return undefined;
    mustEqual(signPuzzle(puzzle, fields, ring, weakHmac), given, 'the signature of the same fields');
    return fields;
  },
};

const prototype = Uint8Array.prototype as unknown as Record<string, unknown>;
const native = prototype.setFromBase64;

/** What browsers without the new methods of `Uint8Array` do. */
function decodeWithoutNative(text: string): Uint8Array | undefined {
  prototype.setFromBase64 = undefined;
  try {
    return bytesFromBase64(text);
  } finally {
    prototype.setFromBase64 = native;
  }
}

const base64: Target = {
  name: 'base64',
  kind: 'text',
  seeds: ['', 'QQ==', 'QUI=', 'QUJD', 'QUJDRA', '-_-_', '+/+/', 'QR==', 'QUJ='],
  tokens: ['=', '==', 'A', '/', '+', '-', '_'],
  maxLength: 200,
  check(input) {
    const decoded = bytesFromBase64(input);
    const lenient = bytesFromAnyBase64(input);
    mustEqual(decodeWithoutNative(input), decoded, 'the result without native methods');
    if (decoded !== undefined) {
      mustEqual(toBase64(decoded), input, 'the written base64');
      mustEqual(lenient, decoded, 'the result for both alphabets');
    } else if (lenient !== undefined) mustEqual(toUrlSafe(toBase64(lenient)), input, 'the written base64url');
    return lenient;
  },
};

const entries = (kind: number, counts: readonly (readonly [number, number])[]) =>
  [kind, new Map(counts)] as const;

const counts: Target = {
  name: 'counts',
  kind: 'bytes',
  seeds: [
    encodeBatch({ ageMs: 0, counts: new Map() }),
    encodeBatch({
      ageMs: 500,
      counts: new Map([
        entries(1, [[7, 1.5]]),
        entries(3, [
          [1, 2],
          [2, 1e18],
        ]),
      ]),
    }),
    encodeBatch({
      ageMs: 1,
      counts: new Map([
        entries(
          255,
          Array.from({ length: 40 }, (_, key) => [key, 1]),
        ),
      ]),
    }),
  ].map(fromBytes),
  check(input) {
    const decoded = decodeBatch(toBytes(input));
    if (!decoded.ok) return decoded;
    // Repeated kinds and keys replace earlier ones, so the bytes can differ.
    mustEqual(decodeBatch(encodeBatch(decoded.value)), decoded, 'the written batch');
    for (const amounts of decoded.value.counts.values()) {
      for (const [key, amount] of amounts) must(key >= 0 && amount > 0, 'a key or an amount is out of range');
    }
    return decoded;
  },
};

const storedCounts: Target = {
  name: 'stored-counts',
  kind: 'bytes',
  seeds: [
    ...[[], [1, 2, 3], Array.from({ length: COUNTS_SIZE }, (_, at) => at ** 3), [0, 2 ** 40]].map((counts) =>
      fromBytes(encodeCounts(counts)),
    ),
    // Found a fault: a number of more than 53 bits.
    'a\x82\x80\x80\x80\x80\x80\x80a',
  ],
  maxLength: 400,
  check(input) {
    try {
      const decoded = decodeCounts(toBytes(input));
      must(decoded.every(Number.isSafeInteger), 'a count that is not a whole number');
      mustEqual(decodeCounts(encodeCounts(decoded)), decoded, 'the written counts');
      return decoded.length;
    } catch (error) {
      must(error instanceof RangeError, String(error));
      return error.message;
    }
  },
};

/** The response to a request for a puzzle: the status, `Retry-After`, and the body. */
const rejection: Target = {
  name: 'rejection',
  kind: 'text',
  seeds: ['429\n3\n{"meta":{"code":1,"description":"Wait."},"data":null}', '503\n\n<html>', '400\nx\nnull'],
  tokens: ['\n', '429', '503', '{"meta":', '"description":', 'null', '[', '1e9', '-1'],
  maxLength: 300,
  check(input) {
    const [status = '', retryAfter = '', ...body] = input.split('\n');
    const headers = { get: () => (retryAfter === '' ? null : retryAfter) };
    const read = readRejection({ status: Number(status), headers } as unknown as Response, body.join('\n'));
    must(!read.outcome.ok && typeof read.outcome.reason === 'string', 'the reason');
    must(read.retryAfterMs === undefined || read.retryAfterMs >= 0, 'the delay');
    return read;
  },
};

export const PUZZLE_TARGETS: readonly Target[] = [
  payload,
  puzzle,
  signature,
  base64,
  counts,
  storedCounts,
  rejection,
];
