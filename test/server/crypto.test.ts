import { describe, expect, test } from 'bun:test';
import { systemRandom } from '../../src/lib/ids.ts';
import { DAY, type Instant } from '../../src/lib/time.ts';
import { createBlind } from '../../src/server/crypto.ts';

// The hashes themselves are tested against test vectors.
describe('a blinded address', () => {
  function open() {
    const time = { now: Date.UTC(2026, 0, 31) as Instant };
    return { time, blind: createBlind(systemRandom, () => time.now) };
  }

  test('does not change for a day, and changes after it', () => {
    const { time, blind } = open();
    const first = blind('192.0.2.1');
    time.now = (time.now + DAY - 1) as Instant;
    expect(blind('192.0.2.1')).toBe(first);
    time.now = (time.now + 1) as Instant;
    expect(blind('192.0.2.1')).not.toBe(first);
  });

  test('differs for each address and does not reveal it', () => {
    const { blind } = open();
    const blinded = ['192.0.2.1', '192.0.2.2', '20010db800000000', ''].map(blind);
    expect(new Set(blinded).size).toBe(4);
    for (const number of blinded) expect(Number.isSafeInteger(number)).toBe(true);
  });

  test('differs in every process', () => {
    expect(open().blind('192.0.2.1')).not.toBe(open().blind('192.0.2.1'));
  });
});
