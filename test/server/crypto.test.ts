import { describe, expect, test } from 'bun:test';
import { systemRandom } from '../../src/lib/ids.ts';
import { DAY, type Instant } from '../../src/lib/time.ts';
import { createOwnAddressSecrets } from '../../src/server/addressSecrets.ts';
import { createAddressHash } from '../../src/server/crypto.ts';

// The hashes themselves are tested against test vectors.
describe('a hashed address', () => {
  function open() {
    const time = { now: Date.UTC(2026, 0, 31) as Instant };
    return { time, hash: createAddressHash(createOwnAddressSecrets(systemRandom), () => time.now) };
  }

  test('does not change for a day, and changes after it', () => {
    const { time, hash } = open();
    const first = hash('192.0.2.1');
    time.now = (time.now + DAY - 1) as Instant;
    expect(hash('192.0.2.1')).toBe(first);
    time.now = (time.now + 1) as Instant;
    expect(hash('192.0.2.1')).not.toBe(first);
  });

  test('differs for each address and does not reveal it', () => {
    const { hash } = open();
    const hashes = ['192.0.2.1', '192.0.2.2', '20010db800000000', ''].map(hash);
    expect(new Set(hashes).size).toBe(4);
    for (const number of hashes) expect(Number.isSafeInteger(number)).toBe(true);
  });

  test('differs in every process', () => {
    expect(open().hash('192.0.2.1')).not.toBe(open().hash('192.0.2.1'));
  });
});
