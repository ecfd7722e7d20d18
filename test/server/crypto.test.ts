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

  test('shows which addresses belong to the same wide network, and nothing else', () => {
    const { hash } = open();
    const networkOf = (address: string) => Math.floor(hash(address) / 2 ** 26);
    expect(networkOf('192.0.2.1')).toBe(networkOf('192.0.2.254'));
    expect(networkOf('192.0.2.1')).not.toBe(networkOf('192.0.3.1'));
    expect(networkOf('20010db800010000')).toBe(networkOf('20010db80001ffff'));
    expect(networkOf('20010db800010000')).not.toBe(networkOf('20010db800020000'));
    // The highest bit is that of IPv6.
    expect(networkOf('192.0.2.1')).toBeLessThan(2 ** 25);
    expect(networkOf('20010db800010000')).toBeGreaterThanOrEqual(2 ** 25);
    const all = Array.from({ length: 256 }, (_, at) => hash(`192.0.2.${at}`));
    expect(new Set(all).size).toBe(256);
    for (const client of all) expect(client).toBeWithin(0, 2 ** 52);
  });

  test('differs in every process', () => {
    expect(open().hash('192.0.2.1')).not.toBe(open().hash('192.0.2.1'));
  });
});
