import { describe, expect, test } from 'bun:test';
import { createKeyRing, openSignature, SIGNATURE_SIZES, signPuzzle } from '../../src/captcha/signature.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { SigningKey } from '../../src/model/ports.ts';
import { PUZZLE_SIZE } from '../../src/puzzle/puzzle.ts';
import { createHmac, sha256 } from '../../src/server/crypto.ts';

const hmac = createHmac();
const keyOf = (byte: number): SigningKey => {
  const secret = new Uint8Array(32).fill(byte);
  return { secret, fingerprint: sha256(secret).slice(0, 4), createdAt: byte as Instant };
};
const ring = createKeyRing([keyOf(1)]);
const puzzle = Uint8Array.from({ length: PUZZLE_SIZE }, (_, i) => i);
const facts = { host: 'shop.example.com', issuedAtSeconds: 0xfedcba98 };

const flipped = (bytes: Uint8Array, bit: number) =>
  bytes.with(bit >> 3, (bytes[bit >> 3] as number) ^ (1 << (bit & 7)));

describe('a signature', () => {
  test('says where and when the puzzle was issued', () => {
    expect(openSignature(puzzle, signPuzzle(puzzle, facts, ring, hmac), ring, hmac)).toEqual(facts);
  });

  test.each(['', 'a', 'a'.repeat(253)])('carries the host %j', (host) => {
    const signature = signPuzzle(puzzle, { ...facts, host }, ring, hmac);
    expect(signature).toHaveLength(SIGNATURE_SIZES.min + host.length);
    expect(openSignature(puzzle, signature, ring, hmac)?.host).toBe(host);
  });

  test('does not hold with any one bit of the puzzle changed', () => {
    const signature = signPuzzle(puzzle, facts, ring, hmac);
    for (let bit = 0; bit < puzzle.length * 8; bit++) {
      expect(openSignature(flipped(puzzle, bit), signature, ring, hmac)).toBeUndefined();
    }
  });

  test('does not hold with any one bit of its own changed', () => {
    const signature = signPuzzle(puzzle, facts, ring, hmac);
    for (let bit = 0; bit < signature.length * 8; bit++) {
      expect(openSignature(puzzle, flipped(signature, bit), ring, hmac)).toBeUndefined();
    }
  });

  test('does not hold when cut or lengthened', () => {
    const signature = signPuzzle(puzzle, facts, ring, hmac);
    for (let length = 0; length < signature.length; length++) {
      expect(openSignature(puzzle, signature.subarray(0, length), ring, hmac)).toBeUndefined();
    }
    expect(openSignature(puzzle, Uint8Array.of(...signature, 0), ring, hmac)).toBeUndefined();
  });

  test('does not hold when bytes move between the host and what is beside it', () => {
    const signature = signPuzzle(puzzle, facts, ring, hmac);
    for (const shift of [-2, -1, 1, 2]) {
      const moved = signature.with(10, facts.host.length + shift);
      const padded = shift < 0 ? moved : Uint8Array.of(...moved, ...new Uint8Array(shift));
      expect(openSignature(puzzle, padded.subarray(0, signature.length + shift), ring, hmac)).toBeUndefined();
    }
  });

  test.each([
    ['version', 0, 2],
    ['flags', 1, 1],
  ])('of another %s does not hold, though its MAC is right', (_, at, value) => {
    const changed = signPuzzle(puzzle, facts, ring, hmac).with(at, value);
    const body = changed.subarray(0, -32);
    const prefix = new TextEncoder().encode('postern puzzle 1\0');
    const signed = Uint8Array.of(...prefix, puzzle.length, ...puzzle, ...body);
    const mac = hmac(keyOf(1).secret, signed).slice(0, 32);
    expect(openSignature(puzzle, Uint8Array.of(...body, ...mac), ring, hmac)).toBeUndefined();
    // The same by hand with nothing changed holds, so it is the change that does not.
    const plain = Uint8Array.of(...prefix, puzzle.length, ...puzzle, ...body.with(at, at === 0 ? 1 : 0));
    const plainMac = hmac(keyOf(1).secret, plain).slice(0, 32);
    const whole = Uint8Array.of(...body.with(at, at === 0 ? 1 : 0), ...plainMac);
    expect(openSignature(puzzle, whole, ring, hmac)).toEqual(facts);
  });

  test('does not hold for another key, nor for the right fingerprint with another secret', () => {
    const signature = signPuzzle(puzzle, facts, ring, hmac);
    const impostor = { ...keyOf(2), fingerprint: keyOf(1).fingerprint };
    expect(openSignature(puzzle, signature, createKeyRing([keyOf(2)]), hmac)).toBeUndefined();
    expect(openSignature(puzzle, signature, createKeyRing([impostor]), hmac)).toBeUndefined();
  });

  test('differs with the puzzle, the host, the time and the key', () => {
    const signatures = [
      signPuzzle(puzzle, facts, ring, hmac),
      signPuzzle(puzzle.with(0, 9), facts, ring, hmac),
      signPuzzle(puzzle, { ...facts, host: 'shop.example.org' }, ring, hmac),
      signPuzzle(puzzle, { ...facts, issuedAtSeconds: 1 }, ring, hmac),
      signPuzzle(puzzle, facts, createKeyRing([keyOf(2)]), hmac),
    ];
    expect(new Set(signatures.map((bytes) => bytes.slice(-32).toHex())).size).toBe(signatures.length);
  });

  test('stays as it was when the next puzzle is signed', () => {
    const first = signPuzzle(puzzle, facts, ring, hmac);
    const before = first.toHex();
    signPuzzle(puzzle.with(0, 9), { ...facts, host: 'other.example.com' }, ring, hmac);
    expect(first.toHex()).toBe(before);
  });
});

describe('a key ring', () => {
  test('signs with its newest key and opens what any of them signed', () => {
    const before = signPuzzle(puzzle, facts, ring, hmac);
    const rotated = createKeyRing([keyOf(3), keyOf(2), keyOf(1)]);
    const after = signPuzzle(puzzle, facts, rotated, hmac);
    expect(after.subarray(2, 6)).toEqual(keyOf(3).fingerprint);
    expect(openSignature(puzzle, before, rotated, hmac)).toEqual(facts);
    expect(openSignature(puzzle, after, rotated, hmac)).toEqual(facts);
  });

  test('forgets what a dropped key signed', () => {
    const before = signPuzzle(puzzle, facts, ring, hmac);
    expect(openSignature(puzzle, before, createKeyRing([keyOf(3)]), hmac)).toBeUndefined();
  });

  test('needs a key', () => {
    expect(() => createKeyRing([])).toThrow(RangeError);
  });
});
