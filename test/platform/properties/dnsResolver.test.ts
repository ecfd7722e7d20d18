import { afterEach, describe, expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { hostname } from 'node:os';
import type { Timer } from '../../../src/lib/timer.ts';
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

/** A timer that the test controls. */
function createManualTimer() {
  const waiting = new Map<() => void, number>();
  const timer: Timer = (milliseconds, run) => {
    waiting.set(run, milliseconds);
    return () => waiting.delete(run);
  };
  return {
    timer,
    /** The pending timeouts in milliseconds. */
    times: () => [...waiting.values()].sort((a, b) => a - b),
    /** Ends the shortest timeout. */
    pass() {
      const [first] = [...waiting].sort(([, a], [, b]) => a - b);
      if (first === undefined) throw new Error('no timeout is pending');
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

/** Looks up a domain without a real timeout, so only answers end the lookup. */
function lookUp(
  servers: readonly string[],
  domain: string,
  manual = createManualTimer(),
): Promise<Resolution> {
  return resolving({ servers, timeoutMs: 3000, timer: manual.timer })(domain);
}

const SILENT = { silence: true } as const;
const HERE = { A: ['192.0.2.1'] } as const;
const SIX = { AAAA: ['2001:db8:0:0:0:0:0:1'] } as const;

describe('one server', () => {
  test.each<[string, DnsAnswer, Resolution]>([
    ['an IPv4 address', HERE, 'found'],
    ['several addresses', { A: ['192.0.2.1', '192.0.2.2'], ...SIX }, 'found'],
    ['only an IPv6 address', SIX, 'found'],
    ['an alias with an address', { CNAME: 'www.example.com', ...HERE }, 'found'],
    ['an alias without a target', { CNAME: 'gone.example.com' }, 'found'],
    // The answer of resolvers that followed the alias.
    [
      'an alias without a target, and NXDOMAIN for its addresses',
      { failure: 'NXDOMAIN', only: { CNAME: { CNAME: 'gone.example.com' } } },
      'found',
    ],
    ['an address, and failures for other types', { failure: 'SERVFAIL', only: { A: HERE } }, 'found'],
    ['an address, and silence for other types', { silence: true, only: { A: HERE } }, 'found'],
    ['an IPv6 address, and failures for other types', { failure: 'SERVFAIL', only: { AAAA: SIX } }, 'found'],
    ['an address after a delay', { ...HERE, delayMs: 20 }, 'found'],
    ['an address over TCP after a truncated answer', { ...HERE, isTruncated: true }, 'found'],
    ['NXDOMAIN', { failure: 'NXDOMAIN' }, 'missing'],
    ['a domain without records', { failure: 'NODATA' }, 'missing'],
    ['SERVFAIL', { failure: 'SERVFAIL' }, 'unanswered'],
    ['REFUSED', { failure: 'REFUSED' }, 'unanswered'],
    ['FORMERR', { failure: 'FORMERR' }, 'unanswered'],
    ['NOTIMP', { failure: 'NOTIMP' }, 'unanswered'],
    [
      'no records for two types and a failure',
      { ...SIX, only: { AAAA: { failure: 'SERVFAIL' } } },
      'unanswered',
    ],
    ['three bytes', { garbage: Uint8Array.of(1, 2, 3) }, 'unanswered'],
    ['zeros', { garbage: new Uint8Array(64) }, 'unanswered'],
    ['too many bytes', { garbage: new Uint8Array(4096).fill(0xff) }, 'unanswered'],
  ])('that answers with %s', async (_, answer, expected) => {
    const { address, types } = await serve({ 'shop.example.com': answer });
    const manual = createManualTimer();
    expect(await lookUp([address], 'shop.example.com', manual)).toBe(expected);
    expect([...types.keys()]).toEqual(['shop.example.com']);
    expect(manual.times()).toEqual([]);
  });

  test('is queried for A, and for the other types only if there is no A record', async () => {
    const { address, types } = await serve({ 'shop.example.com': HERE });
    expect(await lookUp([address], 'shop.example.com')).toBe('found');
    expect(await lookUp([address], 'gone.example.com')).toBe('missing');
    expect([...(types.get('shop.example.com') ?? [])]).toEqual(['A']);
    expect([...(types.get('gone.example.com') ?? [])].sort()).toEqual(['A', 'AAAA', 'CNAME']);
  });

  test.each<[string, DnsAnswer, number | undefined, number]>([
    ['an address', { ...HERE, ttlSeconds: 77 }, 77, 1],
    ['an IPv6 address', { ...SIX, ttlSeconds: 78 }, 78, 3],
    ['an alias without a target', { CNAME: 'gone.example.com', ttlSeconds: 79 }, undefined, 3],
    ['nothing', { failure: 'NXDOMAIN' }, undefined, 3],
  ])('with %s: the result has the TTL and the number of queries', async (_, answer, ttlSeconds, queries) => {
    const { address } = await serve({ 'shop.example.com': answer });
    const resolve = createResolve({ servers: [address], timeoutMs: 3000, timer: createManualTimer().timer });
    expect(await resolve('shop.example.com')).toMatchObject({ ttlSeconds, queries });
  });

  test('is queried again each time, whether the domain was found or not', async () => {
    const { address, table } = await serve();
    const resolve = resolving({ servers: [address], timeoutMs: 3000, timer: createManualTimer().timer });
    expect(await resolve('shop.example.com')).toBe('missing');
    table.set('shop.example.com', HERE);
    expect(await resolve('shop.example.com')).toBe('found');
    table.delete('shop.example.com');
    expect(await resolve('shop.example.com')).toBe('missing');
  });

  test('that is silent ends the lookup after the timeout', async () => {
    const { address } = await serve({ '*': SILENT });
    const manual = createManualTimer();
    const resolution = lookUp([address], 'shop.example.com', manual);
    expect(manual.times()).toEqual([3000]);
    manual.pass();
    expect(await resolution).toBe('unanswered');
    expect(manual.times()).toEqual([]);
  });

  test('that loses a query is queried again', async () => {
    const { address, table, queries } = await serve({ '*': SILENT });
    const resolution = lookUp([address], 'shop.example.com');
    while ((queries.get('shop.example.com') ?? 0) < 1) await Bun.sleep(1);
    table.set('*', HERE);
    expect(await resolution).toBe('found');
  });

  test('that cannot be reached leaves the lookup unanswered', async () => {
    const { address, stop } = await startDns();
    await stop();
    const manual = createManualTimer();
    const resolution = lookUp([address], 'shop.example.com', manual);
    manual.pass();
    expect(await resolution).toBe('unanswered');
  });

  test.each(['localhost', hostname()])(
    'is queried for %s, although the hosts file contains it',
    async (name) => {
      const { address } = await serve();
      expect(await lookUp([address], name)).toBe('missing');
    },
  );

  test('is queried for long names', async () => {
    const label = 'a'.repeat(63);
    const name = `${label}.${label}.${label}.${'a'.repeat(61)}`;
    const { address } = await serve({ [name]: HERE });
    expect(await lookUp([address], name)).toBe('found');
  });

  test('is queried for the name only, not for search domains', async () => {
    const { address, queries } = await serve();
    expect(await lookUp([address], 'shop.internal')).toBe('missing');
    expect([...queries.keys()]).toEqual(['shop.internal']);
  });
});

describe('several servers', () => {
  test('are queried in order, the next one only if necessary', async () => {
    const [first, second] = [await serve({ '*': HERE }), await serve()];
    expect(await lookUp([first.address, second.address], 'shop.example.com')).toBe('found');
    expect(await lookUp([second.address, first.address], 'shop.example.com')).toBe('missing');
    expect([first.queries.size, second.queries.size]).toEqual([1, 1]);
  });

  test.each<[string, DnsAnswer]>([
    ['fails', { failure: 'SERVFAIL' }],
    ['refuses', { failure: 'REFUSED' }],
    ['sends an invalid answer', { garbage: Uint8Array.of(1, 2, 3) }],
  ])('the second is queried immediately if the first %s', async (_, answer) => {
    const [first, second] = [await serve({ '*': answer }), await serve({ 'shop.example.com': HERE })];
    expect(await lookUp([first.address, second.address], 'shop.example.com')).toBe('found');
    expect(await lookUp([first.address, second.address], 'gone.example.com')).toBe('missing');
    expect(await lookUp([first.address, first.address], 'shop.example.com')).toBe('unanswered');
  });

  test('the second is queried when the first has been silent for its share of the time', async () => {
    const [first, second] = [await serve({ '*': SILENT }), await serve({ '*': HERE })];
    const manual = createManualTimer();
    const resolution = lookUp([first.address, second.address], 'shop.example.com', manual);
    expect(manual.times()).toEqual([1500, 3000]);
    expect(second.queries.size).toBe(0);
    manual.pass();
    expect(await resolution).toBe('found');
    expect(manual.times()).toEqual([]);
  });

  test('a late answer of the first still counts after the second was queried', async () => {
    const [first, second] = [await serve({ '*': { ...HERE, delayMs: 20 } }), await serve({ '*': SILENT })];
    const third = await serve();
    const manual = createManualTimer();
    const servers = [first.address, second.address, third.address];
    const resolution = lookUp(servers, 'shop.example.com', manual);
    manual.pass();
    expect(await resolution).toBe('found');
    expect(third.queries.size).toBe(0);
    expect(manual.times()).toEqual([]);
  });

  test('that are all silent leave the lookup unanswered after the timeout', async () => {
    const [first, second] = [await serve({ '*': SILENT }), await serve({ '*': SILENT })];
    const manual = createManualTimer();
    const resolution = lookUp([first.address, second.address], 'shop.example.com', manual);
    manual.pass();
    manual.pass();
    expect(await resolution).toBe('unanswered');
    expect(manual.times()).toEqual([]);
  });
});

describe('with a real timer', () => {
  test("silence ends after the timeout, regardless of the resolver's own clock", async () => {
    const { address } = await serve({ '*': SILENT });
    const resolve = resolving({ servers: [address, address], timeoutMs: 100, timer: systemTimer });
    expect(await resolve('shop.example.com')).toBe('unanswered');
  });

  test('a server whose answers have a wrong id does not prolong the lookup', async () => {
    // Every answer has the id of another query.
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

  test('500 parallel lookups are all answered, found or missing', async () => {
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

  test('500 unanswered lookups do not disturb later ones', async () => {
    const dns = await serve({ '*': SILENT });
    const resolve = resolving({ servers: [dns.address], timeoutMs: 200, timer: systemTimer });
    const names = Array.from({ length: 500 }, (_, index) => `shop${index}.example.com`);
    expect(new Set(await Promise.all(names.map(resolve)))).toEqual(new Set(['unanswered']));
    dns.table.set('*', HERE);
    expect(await resolve('shop.example.com')).toBe('found');
  });
});
