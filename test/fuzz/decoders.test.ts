import { describe, expect, test } from 'bun:test';
import {
  array,
  constantFrom,
  integer,
  ipV4,
  ipV6,
  oneof,
  property,
  record,
  string,
  stringMatching,
  tuple,
  uint8Array,
  webAuthority,
} from 'fast-check';
import { isAllowedHost, parsePageHost } from '../../src/captcha/origin.ts';
import { createKeyRing, signPuzzle, verifySignature } from '../../src/captcha/signature.ts';
import { isWithin, parseAddress, parseCidr } from '../../src/lib/address.ts';
import { bytesFromBase64, toBase64 } from '../../src/lib/bytes.ts';
import { type Instant, instantFromIso, toIso } from '../../src/lib/time.ts';
import { formatApiKey, parseApiKey, SCOPES } from '../../src/model/apiKey.ts';
import { parseDomain } from '../../src/model/domain.ts';
import { parseEmail } from '../../src/model/email.ts';
import { foldName, parseName } from '../../src/model/name.ts';
import type { PropertyId } from '../../src/model/property.ts';
import { parseSitekey } from '../../src/model/property.ts';
import { createOpaqueIds } from '../../src/platform/opaqueId.ts';
import {
  PUZZLE_SIZES,
  type Puzzle,
  type PuzzleKind,
  parsePuzzle,
  toPuzzleBytes,
} from '../../src/puzzle/puzzle.ts';
import { parsePayload, toPayload, toUrlSafe } from '../../src/puzzle/solution.ts';
import { hmac, signingKey } from '../captcha/fakes.ts';
import { holds } from './runs.ts';

const ring = createKeyRing([signingKey(1)]);
const bytes = (length: number) => uint8Array({ minLength: length, maxLength: length });
const u32 = integer({ min: 0, max: 0xffffffff });

/** Any text, and texts that resemble the input of the decoders. */
const texts = oneof(
  string({ unit: 'binary', maxLength: 300 }),
  string({ unit: 'grapheme', maxLength: 100 }),
  string({ unit: constantFrom(...'AZaz09+/=.-_:@[]%* \n\0'), maxLength: 200 }),
  stringMatching(/^[a-zA-Z0-9-]{0,20}(\.[a-zA-Z0-9-]{0,20}){0,4}\.?$/),
  stringMatching(/^(https?|app):\/\/[a-z0-9.[\]:@%-]{0,40}(:\d{0,6})?(\/.{0,10})?$/),
  stringMatching(/^postern_(portal|verify)_[0-9A-Za-z]{40,52}$/),
  stringMatching(/^[0-9a-fA-F-]{30,38}$/),
  stringMatching(/^[0-9a-fA-Fx:.]{1,45}(%[a-z0-9]{1,4})?(\/\d{1,3})?$/),
  stringMatching(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?(Z|[+-]\d{2}:\d{2})?$/),
  ipV4(),
  ipV6(),
  webAuthority(),
);

describe('decoders never throw', () => {
  test.each([
    ['base64', bytesFromBase64],
    ['addresses', parseAddress],
    ['CIDR blocks', parseCidr],
    ['dates', instantFromIso],
    ['payloads', parsePayload],
    ['page hosts', parsePageHost],
    ['domains', parseDomain],
    ['names', (text: string) => parseName('organization', text)],
    ['API keys', parseApiKey],
    ['sitekeys', parseSitekey],
    ['email addresses', parseEmail],
    ['opaque ids', (text: string) => createOpaqueIds(new Uint8Array(32)).open('property', text)],
  ])('%s', (_, decode) => {
    holds(property(texts, (text) => void decode(text)));
  });

  test('puzzles and signatures', () => {
    const some = oneof(uint8Array({ maxLength: 400 }), bytes(PUZZLE_SIZES[1]), bytes(PUZZLE_SIZES[2]));
    holds(
      property(some, uint8Array({ maxLength: 400 }), (puzzle, signature) => {
        parsePuzzle(puzzle);
        expect(verifySignature(puzzle, signature, ring, hmac)).toBeUndefined();
      }),
    );
  });
});

describe('decoding reverses encoding', () => {
  test('base64', () => {
    holds(
      property(uint8Array({ maxLength: 300 }), (given) => {
        expect(bytesFromBase64(toBase64(given))).toEqual(given);
        expect(toBase64(given)).toBe(Buffer.from(given).toString('base64'));
      }),
    );
  });

  test('every byte sequence has exactly one base64 encoding', () => {
    const alphabet = string({ unit: constantFrom(...'ABab01+/='), maxLength: 16 });
    holds(
      property(alphabet, (text) => {
        const decoded = bytesFromBase64(text);
        if (decoded !== undefined) expect(toBase64(decoded)).toBe(text);
      }),
    );
  });

  const kinds = constantFrom<PuzzleKind>(
    { version: 1, challenge: 'blake2b' },
    { version: 2, challenge: 'blake2b' },
    { version: 2, challenge: 'argon2id' },
    { version: 3, challenge: 'hashwx' },
  );
  const fields = record({
    propertyId: bytes(16),
    puzzleId: bytes(8),
    difficulty: integer({ min: 0, max: 255 }),
    solutionCount: integer({ min: 1, max: 255 }),
    expiresAtSeconds: u32,
    userData: bytes(16),
  });
  const puzzles = tuple(kinds, fields).map(([kind, rest]): Puzzle => ({ ...kind, ...rest }));

  test('puzzles', () => {
    holds(
      property(puzzles, (puzzle) => {
        expect(parsePuzzle(toPuzzleBytes(puzzle))).toEqual(puzzle);
      }),
    );
  });

  test('payloads', () => {
    const metadata = record({
      errorCode: integer({ min: 0, max: 255 }),
      usedWasm: constantFrom(true, false),
      elapsedMs: u32,
    });
    const signatures = uint8Array({ minLength: 1, maxLength: 300 });
    holds(
      property(puzzles, metadata, signatures, bytes(8), (puzzle, given, signature, solution) => {
        const puzzleBytes = toPuzzleBytes(puzzle);
        const solutions = Uint8Array.from(
          { length: puzzle.solutionCount * 8 },
          (_, i) => solution[i % 8] ?? 0,
        );
        const text = toPayload(given, solutions, `${toBase64(puzzleBytes)}.${toBase64(signature)}`);
        const parsed = { metadata: given, solutions, puzzle, puzzleBytes, signature, pageData: {} };
        expect(parsePayload(text)).toEqual(parsed);
        expect(parsePayload(toUrlSafe(text))).toEqual(parsed);
      }),
    );
  });

  test('signatures', () => {
    const hosts = stringMatching(/^[a-z0-9.-]{0,253}$/);
    holds(
      property(
        oneof(bytes(PUZZLE_SIZES[1]), bytes(PUZZLE_SIZES[2])),
        hosts,
        u32,
        (puzzle, host, issuedAtSeconds) => {
          const signature = signPuzzle(puzzle, { host, issuedAtSeconds }, ring, hmac);
          expect(verifySignature(puzzle, signature, ring, hmac)).toMatchObject({ host, issuedAtSeconds });
        },
      ),
    );
  });

  test('API keys, sitekeys, opaque ids', () => {
    const ids = createOpaqueIds(new Uint8Array(32).fill(3));
    holds(
      property(
        bytes(32),
        constantFrom(...SCOPES),
        integer({ min: 0, max: 2 ** 40 }),
        (entropy, scope, number) => {
          const key = formatApiKey(scope, entropy);
          expect(parseApiKey(key)).toEqual({ ok: true, value: key });
          const sitekey = entropy.subarray(0, 16).toHex();
          expect(parseSitekey(sitekey.toUpperCase())).toEqual({ ok: true, value: sitekey } as never);
          expect(ids.open('property', ids.seal('property', number as PropertyId))).toBe(number as PropertyId);
        },
      ),
    );
  });

  test('instants', () => {
    holds(
      property(integer({ min: 0, max: 253_402_300_799_999 }), (milliseconds) => {
        const instant = milliseconds as Instant;
        expect(instantFromIso(toIso(instant))).toBe(instant);
      }),
    );
  });

  test('addresses, which are within every block with the same prefix', () => {
    holds(
      property(oneof(ipV4(), ipV6()), integer({ min: 0, max: 32 }), (text, prefix) => {
        const address = parseAddress(text);
        const block = parseCidr(`${text}/${text.includes(':') ? prefix + 96 : prefix}`);
        if (address === undefined || block === undefined) throw new Error('rejected');
        expect(isWithin(address, block)).toBe(true);
      }),
    );
  });
});

describe('parsing is idempotent', () => {
  const names = oneof(
    stringMatching(/^[a-zA-Z0-9-]{1,20}(\.[a-zA-Z0-9-]{1,20}){0,4}\.?$/),
    webAuthority(),
    string({ unit: 'grapheme', maxLength: 40 }).map((text) => `${text}.com`),
  );

  test('domains, which are lowercase ASCII and not addresses', () => {
    holds(
      property(names, (text) => {
        const domain = parseDomain(text);
        if (!domain.ok) return;
        expect(domain.value).toMatch(/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/);
        expect(parseDomain(domain.value)).toEqual(domain);
        expect(parseAddress(domain.value)).toBeUndefined();
        // A page on the domain belongs to the property.
        const host = parsePageHost(`https://${domain.value}:8443`) ?? '';
        const alone = { domain: domain.value, allowsSubdomains: false, allowsLocalhost: false };
        expect(isAllowedHost(alone, host)).toBe(true);
      }),
    );
  });

  test('names and their case folding', () => {
    holds(
      property(string({ unit: 'grapheme', maxLength: 130 }), (text) => {
        const name = parseName('property', text);
        if (!name.ok) return;
        expect(parseName('property', name.value)).toEqual(name);
        expect(foldName(foldName(name.value))).toBe(foldName(name.value));
        expect(name.value).not.toMatch(/[<>\p{C}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  test('email addresses', () => {
    holds(
      property(stringMatching(/^[^\s@]{1,10}@[^\s@]{1,10}$/), (text) => {
        const email = parseEmail(text);
        if (email.ok) expect(parseEmail(email.value)).toEqual(email);
      }),
    );
  });
});

test('the fast path for page hosts agrees with the URL parser', () => {
  const labels = array(stringMatching(/^[a-z0-9-]{1,12}$/), { minLength: 1, maxLength: 5 });
  const ports = oneof(
    constantFrom(''),
    integer({ min: 0, max: 65_535 }).map((port) => `:${port}`),
  );
  holds(
    property(constantFrom('http', 'https'), labels, ports, (scheme, parts, port) => {
      const origin = `${scheme}://${parts.join('.')}${port}`;
      const url = URL.parse(origin);
      // The URL parser rejects invalid punycode, which browsers never send.
      if (url !== null) expect(parsePageHost(origin)).toBe(url.hostname);
    }),
  );
});
