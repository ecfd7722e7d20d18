import { describe, expect, test } from 'bun:test';
import { createKeyRing, SIGNATURE_SIZES, signPuzzle, verifySignature } from '../../src/captcha/signature.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { SigningKey } from '../../src/model/ports/installation.ts';
import { PUZZLE_SIZE, readU32 } from '../../src/puzzle/puzzle.ts';
import { createHmac, sha256 } from '../../src/sha256.ts';

const hmac = createHmac();
const keyOf = (byte: number): SigningKey => {
  const secret = new Uint8Array(32).fill(byte);
  return { secret, fingerprint: sha256(secret).slice(0, 4), createdAt: byte as Instant };
};
const ring = createKeyRing([keyOf(1)]);
const puzzle = Uint8Array.from({ length: PUZZLE_SIZE }, (_, i) => i);
const fields = { host: 'shop.example.com', issuedAtSeconds: 0xfedcba98 };

const flipped = (bytes: Uint8Array, bit: number) =>
  bytes.with(bit >> 3, (bytes[bit >> 3] as number) ^ (1 << (bit & 7)));

describe('a signature', () => {
  test('contains the host and the time of issue', () => {
    expect(verifySignature(puzzle, signPuzzle(puzzle, fields, ring, hmac), ring, hmac)).toMatchObject(fields);
  });

  test.each(['', 'a', 'a'.repeat(253)])('contains the host %j', (host) => {
    const signature = signPuzzle(puzzle, { ...fields, host }, ring, hmac);
    expect(signature).toHaveLength(SIGNATURE_SIZES.min + host.length);
    expect(verifySignature(puzzle, signature, ring, hmac)?.host).toBe(host);
  });

  test('is invalid if its host is longer than any host, or its length is missing', () => {
    for (const length of [254, 255]) {
      const signature = new Uint8Array(SIGNATURE_SIZES.min + length);
      signature.set(signPuzzle(puzzle, fields, ring, hmac).subarray(0, 10));
      signature[10] = length;
      expect(verifySignature(puzzle, signature, ring, hmac)).toBeUndefined();
    }
    expect(verifySignature(puzzle, new Uint8Array(), ring, hmac)).toBeUndefined();
  });

  test('is invalid if any bit of the puzzle changes', () => {
    const signature = signPuzzle(puzzle, fields, ring, hmac);
    for (let bit = 0; bit < puzzle.length * 8; bit++) {
      expect(verifySignature(flipped(puzzle, bit), signature, ring, hmac)).toBeUndefined();
    }
  });

  test('is invalid if any of its bits changes', () => {
    const signature = signPuzzle(puzzle, fields, ring, hmac);
    for (let bit = 0; bit < signature.length * 8; bit++) {
      expect(verifySignature(puzzle, flipped(signature, bit), ring, hmac)).toBeUndefined();
    }
  });

  test('is invalid if it is shortened or extended', () => {
    const signature = signPuzzle(puzzle, fields, ring, hmac);
    for (let length = 0; length < signature.length; length++) {
      expect(verifySignature(puzzle, signature.subarray(0, length), ring, hmac)).toBeUndefined();
    }
    expect(verifySignature(puzzle, Uint8Array.of(...signature, 0), ring, hmac)).toBeUndefined();
  });

  test('is invalid if bytes move between the host and the fields beside it', () => {
    const signature = signPuzzle(puzzle, fields, ring, hmac);
    for (const shift of [-2, -1, 1, 2]) {
      const moved = signature.with(10, fields.host.length + shift);
      const padded = shift < 0 ? moved : Uint8Array.of(...moved, ...new Uint8Array(shift));
      expect(
        verifySignature(puzzle, padded.subarray(0, signature.length + shift), ring, hmac),
      ).toBeUndefined();
    }
  });

  test.each([
    ['version', 0, 2],
    ['flags', 1, 1],
  ])('with another %s is invalid, even with a correct MAC', (_, at, value) => {
    const changed = signPuzzle(puzzle, fields, ring, hmac).with(at, value);
    const body = changed.subarray(0, -32);
    const prefix = new TextEncoder().encode('postern puzzle 1\0');
    const signed = Uint8Array.of(...prefix, puzzle.length, ...puzzle, ...body);
    const mac = hmac(keyOf(1).secret, signed).slice(0, 32);
    expect(verifySignature(puzzle, Uint8Array.of(...body, ...mac), ring, hmac)).toBeUndefined();
    // The same construction without the change is valid.
    const plain = Uint8Array.of(...prefix, puzzle.length, ...puzzle, ...body.with(at, at === 0 ? 1 : 0));
    const plainMac = hmac(keyOf(1).secret, plain).slice(0, 32);
    const rebuilt = Uint8Array.of(...body.with(at, at === 0 ? 1 : 0), ...plainMac);
    expect(verifySignature(puzzle, rebuilt, ring, hmac)).toMatchObject(fields);
  });

  test('is invalid with another key, and with the same fingerprint but another secret', () => {
    const signature = signPuzzle(puzzle, fields, ring, hmac);
    const forged = { ...keyOf(2), fingerprint: keyOf(1).fingerprint };
    expect(verifySignature(puzzle, signature, createKeyRing([keyOf(2)]), hmac)).toBeUndefined();
    expect(verifySignature(puzzle, signature, createKeyRing([forged]), hmac)).toBeUndefined();
  });

  test('depends on the puzzle, the host, the time, and the key', () => {
    const signatures = [
      signPuzzle(puzzle, fields, ring, hmac),
      signPuzzle(puzzle.with(0, 9), fields, ring, hmac),
      signPuzzle(puzzle, { ...fields, host: 'shop.example.org' }, ring, hmac),
      signPuzzle(puzzle, { ...fields, issuedAtSeconds: 1 }, ring, hmac),
      signPuzzle(puzzle, fields, createKeyRing([keyOf(2)]), hmac),
    ];
    expect(new Set(signatures.map((bytes) => bytes.slice(-32).toHex())).size).toBe(signatures.length);
  });

  test('does not change when the next puzzle is signed', () => {
    const first = signPuzzle(puzzle, fields, ring, hmac);
    const before = first.toHex();
    signPuzzle(puzzle.with(0, 9), { ...fields, host: 'other.example.com' }, ring, hmac);
    expect(first.toHex()).toBe(before);
  });
});

describe('a key ring', () => {
  test('signs with its newest key and verifies with all keys', () => {
    const before = signPuzzle(puzzle, fields, ring, hmac);
    const rotated = createKeyRing([keyOf(3), keyOf(2), keyOf(1)]);
    const after = signPuzzle(puzzle, fields, rotated, hmac);
    expect(after.subarray(2, 6)).toEqual(keyOf(3).fingerprint);
    const signer = verifySignature(puzzle, after, rotated, hmac)?.keyFingerprint;
    expect(signer).toBe(readU32(keyOf(3).fingerprint, 0));
    expect(verifySignature(puzzle, before, rotated, hmac)).toMatchObject(fields);
    expect(verifySignature(puzzle, after, rotated, hmac)).toMatchObject(fields);
  });

  test('rejects signatures of a removed key', () => {
    const before = signPuzzle(puzzle, fields, ring, hmac);
    expect(verifySignature(puzzle, before, createKeyRing([keyOf(3)]), hmac)).toBeUndefined();
  });

  test('needs at least one key', () => {
    expect(() => createKeyRing([])).toThrow(RangeError);
  });
});
