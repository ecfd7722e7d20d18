import { describe, expect, test } from 'bun:test';
import { openClient, sealClient } from '../../src/captcha/signature.ts';
import { systemRandom } from '../../src/lib/ids.ts';
import { hmac } from './fakes.ts';

const secret = new Uint8Array(32).fill(1);

function seal(client: number, puzzle = systemRandom(new Uint8Array(47))): Uint8Array {
  sealClient(puzzle, puzzle.subarray(0, 39), client, secret, hmac);
  return puzzle;
}

describe('the client in a puzzle', () => {
  test.each([0, 1, 2 ** 26, 2 ** 32 - 1, 2 ** 32, 2 ** 52 - 1])(
    '%d is read with the signing key',
    (client) => {
      expect(openClient(seal(client), secret, hmac)).toBe(client);
    },
  );

  test('has at most 52 bits', () => {
    for (const number of [2 ** 52, 2 ** 52 + 1, 2 ** 60])
      expect(openClient(seal(number), secret, hmac)).toBeUndefined();
  });

  test('is another number, or none, with another key or in another puzzle', () => {
    const puzzle = seal(4711);
    expect(openClient(puzzle, new Uint8Array(32).fill(2), hmac)).not.toBe(4711);
    const other = puzzle.slice();
    other[20] = (other[20] ?? 0) ^ 1;
    expect(openClient(other, secret, hmac)).not.toBe(4711);
  });

  test('has different bytes in each puzzle, so that puzzles of a client cannot be linked', () => {
    const bytes = Array.from({ length: 1000 }, () => seal(4711).slice(39));
    expect(new Set(bytes.map((seal) => seal.toHex())).size).toBe(1000);
    // Each bit is set about half of the time: 7 standard deviations are 111.
    for (let bit = 0; bit < 64; bit++) {
      const ones = bytes.filter((seal) => ((seal[bit >> 3] ?? 0) >> (bit & 7)) & 1).length;
      expect(ones).toBeWithin(389, 611);
    }
  });

  test('does not change the other bytes', () => {
    const puzzle = systemRandom(new Uint8Array(47));
    expect(seal(4711, puzzle.slice()).slice(0, 39)).toEqual(puzzle.slice(0, 39));
  });

  test('is detected as missing in most puzzles of earlier versions', () => {
    const found = Array.from({ length: 4096 }, () =>
      openClient(systemRandom(new Uint8Array(47)), secret, hmac),
    ).filter((client) => client !== undefined);
    // One is expected.
    expect(found.length).toBeLessThan(15);
  });
});
