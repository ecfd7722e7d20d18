import { afterEach, describe, expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { hostname } from 'node:os';
import type { Timer } from '../../../src/lib/slidingWindow.ts';
import {
  createResolve,
  type Resolution,
  type ResolveOptions,
} from '../../../src/platform/properties/dnsResolver.ts';
import { type DnsAnswer, startDns, type TestDns } from '../../support/dns.ts';

const stops: TestDns['stop'][] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function serve(table: Readonly<Record<string, DnsAnswer>> = {}): Promise<TestDns> {
  const dns = await startDns(table);
  stops.push(dns.stop);
  return dns;
}

/** Time that passes when the test says so. */
function createHand() {
  const waiting = new Map<() => void, number>();
  const timer: Timer = (milliseconds, run) => {
    waiting.set(run, milliseconds);
    return () => waiting.delete(run);
  };
  return {
    timer,
    /** What is still waited for, in milliseconds. */
    times: () => [...waiting.values()].sort((a, b) => a - b),
    /** Lets the shortest of them pass. */
    pass() {
      const [first] = [...waiting].sort(([, a], [, b]) => a - b);
      if (first === undefined) throw new Error('nobody waits');
      waiting.delete(first[0]);
      first[0]();
    },
  };
}

const systemTimer: Timer = (milliseconds, run) => {
  const timeout = setTimeout(run, milliseconds);
  return () => clearTimeout(timeout);
};

function resolving(options: ResolveOptions) {
  const resolve = createResolve(options);
  return async (domain: string): Promise<Resolution> => (await resolve(domain)).resolution;
}

/** Asks by the hand's clock: nothing but answers ends it. */
function ask(servers: readonly string[], domain: string, hand = createHand()): Promise<Resolution> {
  return resolving({ servers, timeoutMs: 3000, timer: hand.timer })(domain);
}

const SILENT = { silence: true } as const;
const HERE = { A: ['192.0.2.1'] } as const;
const SIX = { AAAA: ['2001:db8:0:0:0:0:0:1'] } as const;

describe('one server', () => {
  test.each<[string, DnsAnswer, Resolution]>([
    ['an IPv4 address', HERE, 'found'],
    ['several addresses', { A: ['192.0.2.1', '192.0.2.2'], ...SIX }, 'found'],
    ['an IPv6 address alone', SIX, 'found'],
    ['an alias of an address', { CNAME: 'www.example.com', ...HERE }, 'found'],
    ['an alias of nothing', { CNAME: 'gone.example.com' }, 'found'],
    // As resolvers answer that followed the alias.
    [
      'an alias of nothing, the addresses being no such domain',
      { failure: 'NXDOMAIN', only: { CNAME: { CNAME: 'gone.example.com' } } },
      'found',
    ],
    ['an address, the rest failing', { failure: 'SERVFAIL', only: { A: HERE } }, 'found'],
    ['an address, the rest silent', { silence: true, only: { A: HERE } }, 'found'],
    ['an IPv6 address, the rest failing', { failure: 'SERVFAIL', only: { AAAA: SIX } }, 'found'],
    ['an address after a while', { ...HERE, delayMs: 20 }, 'found'],
    ['an address over TCP, its answer being cut', { ...HERE, isTruncated: true }, 'found'],
    ['no such domain', { failure: 'NXDOMAIN' }, 'missing'],
    ['a domain without records', { failure: 'NODATA' }, 'missing'],
    ['a failure', { failure: 'SERVFAIL' }, 'unanswered'],
    ['a refusal', { failure: 'REFUSED' }, 'unanswered'],
    ['that it did not understand', { failure: 'FORMERR' }, 'unanswered'],
    ['that it cannot', { failure: 'NOTIMP' }, 'unanswered'],
    [
      'no records for two types and a failure',
      { ...SIX, only: { AAAA: { failure: 'SERVFAIL' } } },
      'unanswered',
    ],
    ['three bytes', { garbage: Uint8Array.of(1, 2, 3) }, 'unanswered'],
    ['zeros', { garbage: new Uint8Array(64) }, 'unanswered'],
    ['more bytes than fit', { garbage: new Uint8Array(4096).fill(0xff) }, 'unanswered'],
  ])('that answers with %s', async (_, answer, expected) => {
    const { address, types } = await serve({ 'shop.example.com': answer });
    const hand = createHand();
    expect(await ask([address], 'shop.example.com', hand)).toBe(expected);
    expect([...types.keys()]).toEqual(['shop.example.com']);
    expect(hand.times()).toEqual([]);
  });

  test('is queried for A, and for the other types only if there is no A record', async () => {
    const { address, types } = await serve({ 'shop.example.com': HERE });
    expect(await ask([address], 'shop.example.com')).toBe('found');
    expect(await ask([address], 'gone.example.com')).toBe('missing');
    expect([...(types.get('shop.example.com') ?? [])]).toEqual(['A']);
    expect([...(types.get('gone.example.com') ?? [])].sort()).toEqual(['A', 'AAAA', 'CNAME']);
  });

  test.each<[string, DnsAnswer, number | undefined, number]>([
    ['an address', { ...HERE, ttlSeconds: 77 }, 77, 1],
    ['an IPv6 address', { ...SIX, ttlSeconds: 78 }, 78, 3],
    ['an alias of nothing', { CNAME: 'gone.example.com', ttlSeconds: 79 }, undefined, 3],
    ['nothing', { failure: 'NXDOMAIN' }, undefined, 3],
  ])(
    'that has %s tells the TTL, and how many questions it took',
    async (_, answer, ttlSeconds, questions) => {
      const { address } = await serve({ 'shop.example.com': answer });
      const resolve = createResolve({ servers: [address], timeoutMs: 3000, timer: createHand().timer });
      expect(await resolve('shop.example.com')).toMatchObject({ ttlSeconds, questions });
    },
  );

  test('is believed again each time, in both directions', async () => {
    const { address, table } = await serve();
    const resolve = resolving({ servers: [address], timeoutMs: 3000, timer: createHand().timer });
    expect(await resolve('shop.example.com')).toBe('missing');
    table.set('shop.example.com', HERE);
    expect(await resolve('shop.example.com')).toBe('found');
    table.delete('shop.example.com');
    expect(await resolve('shop.example.com')).toBe('missing');
  });

  test('that is silent is waited for until the time is over', async () => {
    const { address } = await serve({ '*': SILENT });
    const hand = createHand();
    const resolution = ask([address], 'shop.example.com', hand);
    expect(hand.times()).toEqual([3000]);
    hand.pass();
    expect(await resolution).toBe('unanswered');
    expect(hand.times()).toEqual([]);
  });

  test('that loses a question is asked again', async () => {
    const { address, table, queries } = await serve({ '*': SILENT });
    const resolution = ask([address], 'shop.example.com');
    while ((queries.get('shop.example.com') ?? 0) < 1) await Bun.sleep(1);
    table.set('*', HERE);
    expect(await resolution).toBe('found');
  });

  test('that is not there is unanswered', async () => {
    const { address, stop } = await startDns();
    await stop();
    const hand = createHand();
    const resolution = ask([address], 'shop.example.com', hand);
    hand.pass();
    expect(await resolution).toBe('unanswered');
  });

  test.each(['localhost', hostname()])("is asked for %s, which the host's own files have", async (name) => {
    const { address } = await serve();
    expect(await ask([address], name)).toBe('missing');
  });

  test('is asked for long names', async () => {
    const label = 'a'.repeat(63);
    const name = `${label}.${label}.${label}.${'a'.repeat(61)}`;
    const { address } = await serve({ [name]: HERE });
    expect(await ask([address], name)).toBe('found');
  });

  test('is asked for nothing but the name: search domains are for people', async () => {
    const { address, queries } = await serve();
    expect(await ask([address], 'shop.internal')).toBe('missing');
    expect([...queries.keys()]).toEqual(['shop.internal']);
  });
});

describe('several servers', () => {
  test('are asked in their order, the next one only when it must be', async () => {
    const [first, second] = [await serve({ '*': HERE }), await serve()];
    expect(await ask([first.address, second.address], 'shop.example.com')).toBe('found');
    expect(await ask([second.address, first.address], 'shop.example.com')).toBe('missing');
    expect([first.queries.size, second.queries.size]).toEqual([1, 1]);
  });

  test.each<[string, DnsAnswer]>([
    ['fails', { failure: 'SERVFAIL' }],
    ['refuses', { failure: 'REFUSED' }],
    ['sends rubbish', { garbage: Uint8Array.of(1, 2, 3) }],
  ])('the second is asked at once when the first %s', async (_, answer) => {
    const [first, second] = [await serve({ '*': answer }), await serve({ 'shop.example.com': HERE })];
    expect(await ask([first.address, second.address], 'shop.example.com')).toBe('found');
    expect(await ask([first.address, second.address], 'gone.example.com')).toBe('missing');
    expect(await ask([first.address, first.address], 'shop.example.com')).toBe('unanswered');
  });

  test('the second is asked when the first has been silent for its share', async () => {
    const [first, second] = [await serve({ '*': SILENT }), await serve({ '*': HERE })];
    const hand = createHand();
    const resolution = ask([first.address, second.address], 'shop.example.com', hand);
    expect(hand.times()).toEqual([1500, 3000]);
    expect(second.queries.size).toBe(0);
    hand.pass();
    expect(await resolution).toBe('found');
    expect(hand.times()).toEqual([]);
  });

  test('the first may still answer when the second was asked', async () => {
    const [first, second] = [await serve({ '*': { ...HERE, delayMs: 20 } }), await serve({ '*': SILENT })];
    const third = await serve();
    const hand = createHand();
    const servers = [first.address, second.address, third.address];
    const resolution = ask(servers, 'shop.example.com', hand);
    hand.pass();
    expect(await resolution).toBe('found');
    expect(third.queries.size).toBe(0);
    expect(hand.times()).toEqual([]);
  });

  test('all silent are unanswered when the time is over', async () => {
    const [first, second] = [await serve({ '*': SILENT }), await serve({ '*': SILENT })];
    const hand = createHand();
    const resolution = ask([first.address, second.address], 'shop.example.com', hand);
    hand.pass();
    hand.pass();
    expect(await resolution).toBe('unanswered');
    expect(hand.times()).toEqual([]);
  });
});

describe('by the real clock', () => {
  test("silence ends after its time, whatever the resolver's own clock", async () => {
    const { address } = await serve({ '*': SILENT });
    const resolve = resolving({ servers: [address, address], timeoutMs: 100, timer: systemTimer });
    expect(await resolve('shop.example.com')).toBe('unanswered');
  });

  test('a server that answers a stranger is not waited for longer', async () => {
    // Every answer bears the number of another question.
    const socket = createSocket('udp4');
    await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
    socket.on('message', (query, { port, address }) => {
      query[0] = (query[0] as number) ^ 0xff;
      query[2] = 0x84;
      socket.send(query, port, address);
    });
    const servers = [`127.0.0.1:${socket.address().port}`];
    const resolve = resolving({ servers, timeoutMs: 100, timer: systemTimer });
    expect(await resolve('shop.example.com')).toBe('unanswered');
    socket.close();
  });

  test('five hundred at once are all answered, found or not', async () => {
    const dns = await serve();
    const names = Array.from({ length: 500 }, (_, index) => `shop${index}.example.com`);
    for (const name of names.filter((_, index) => index % 2 === 0))
      dns.table.set(name, { ...HERE, delayMs: 1 });
    const resolve = resolving({ servers: [dns.address], timeoutMs: 30_000, timer: systemTimer });
    const resolutions = await Promise.all(names.map(resolve));
    expect(resolutions).toEqual(names.map((_, index) => (index % 2 === 0 ? 'found' : 'missing')));
    expect(dns.queries.size).toBe(500);
    expect(dns.mostAtOnce).toBeGreaterThan(1);
  });

  test('five hundred that nobody answers leave nothing behind', async () => {
    const dns = await serve({ '*': SILENT });
    const resolve = resolving({ servers: [dns.address], timeoutMs: 200, timer: systemTimer });
    const names = Array.from({ length: 500 }, (_, index) => `shop${index}.example.com`);
    expect(new Set(await Promise.all(names.map(resolve)))).toEqual(new Set(['unanswered']));
    dns.table.set('*', HERE);
    expect(await resolve('shop.example.com')).toBe('found');
  });
});
