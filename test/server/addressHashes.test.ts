import { describe, expect, test } from 'bun:test';
import { systemRandom } from '../../src/lib/ids.ts';
import { DAY, type Instant, later } from '../../src/lib/time.ts';
import {
  createAddressHash,
  createGivenAddressSecrets,
  createOwnAddressSecrets,
  createSharedAddressSecrets,
  type SharedAddressSecrets as Secrets,
} from '../../src/server/addressHashes.ts';
import { createFakeExchange } from '../support/countNodes.ts';

const NOON = (Date.UTC(2026, 0, 1) + DAY / 2) as Instant;
const at = (milliseconds: number) => (NOON + milliseconds) as Instant;

function open() {
  const exchange = createFakeExchange(() => 0);
  return { exchange, start: () => createSharedAddressSecrets(exchange, systemRandom) };
}

describe('the secrets for client addresses on several nodes', () => {
  test('are the same on each node, and change at midnight', async () => {
    const { start } = open();
    const [anna, bert] = [start(), start()];
    await Promise.all([anna.agree(NOON), bert.agree(NOON)]);
    const today = anna.at(NOON);
    expect(today).toMatch(/^[0-9a-f]{64}$/);
    expect(bert.at(NOON)).toBe(today);
    expect(anna.at(at(DAY / 2 - 1))).toBe(today);
    // The nodes have agreed on the next secret in advance, so they need no storage at midnight.
    const tomorrow = anna.at(at(DAY / 2));
    expect(tomorrow).not.toBe(today);
    expect(bert.at(at(DAY / 2))).toBe(tomorrow);
  });

  test('do not change back if the clock is set back', async () => {
    const { start } = open();
    const anna = start();
    await anna.agree(NOON);
    const tomorrow = anna.at(at(DAY));
    expect(anna.at(NOON)).toBe(tomorrow);
    await anna.agree(NOON);
    expect(anna.at(NOON)).toBe(tomorrow);
  });

  test('of a node that started while the storage was unavailable become those of the others', async () => {
    const { exchange, start } = open();
    const [anna, bert] = [start(), start()];
    await anna.agree(NOON);
    exchange.failure = 'before';
    expect(await bert.agree(NOON).catch((error: Error) => error.message)).toBe('connection refused');
    expect(bert.at(NOON)).not.toBe(anna.at(NOON));
    exchange.failure = undefined;
    await bert.agree(NOON);
    expect(bert.at(NOON)).toBe(anna.at(NOON));
  });

  test('remain the same if the storage loses them, for example in a failover', async () => {
    let current = createFakeExchange(() => 0);
    const exchange = { secret: (period: number, candidate: Uint8Array) => current.secret(period, candidate) };
    const [anna, bert] = [0, 1].map(() => createSharedAddressSecrets(exchange, systemRandom)) as [
      Secrets,
      Secrets,
    ];
    await anna.agree(NOON);
    const before = anna.at(NOON);
    current = createFakeExchange(() => 0);
    await anna.agree(NOON);
    await bert.agree(NOON);
    expect([anna.at(NOON), bert.at(NOON)]).toEqual([before, before]);
  });

  test('change every day while the storage is unavailable', () => {
    const anna = open().start();
    const secrets = [0, 1, 2].map((day) => anna.at(at(day * DAY)));
    expect(new Set(secrets).size).toBe(3);
  });
});

test('request threads get the secrets of today and tomorrow, and change them at midnight without a message', async () => {
  const shared = createSharedAddressSecrets({ secret: async (_, own) => own }, systemRandom);
  const noon = (20_000 * DAY + DAY / 2) as Instant;
  const midnight = (20_001 * DAY) as Instant;
  const given = createGivenAddressSecrets(shared.daily(noon));
  const first = given.at(noon);
  expect(first).toBe(shared.at(noon));
  const second = given.at(midnight);
  expect(second).not.toBe(first);
  expect(second).toBe(shared.at(midnight));
  given.replace(shared.daily(midnight));
  expect(given.at(midnight)).toBe(second);
  expect(given.at(later(midnight, DAY))).not.toBe(second);
});

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
