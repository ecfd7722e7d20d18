import { describe, expect, test } from 'bun:test';
import { createRequestContext } from '../../src/http/requestContext.ts';
import { parseCidr } from '../../src/lib/address.ts';

/** Explains the client address of a request from this peer with this header. */
function explain(peer: string | undefined, value: string | null, trusted: readonly string[]) {
  const requestContext = createRequestContext({
    newId: () => 'id',
    peerOf: () => peer,
    trustedProxies: trusted.map((text) => parseCidr(text) ?? { bytes: new Uint8Array(), prefix: 0 }),
    clientIpHeader: 'X-Real-Way',
  });
  const headers = new Headers(value === null ? {} : { 'X-Real-Way': value });
  const request = new Request('http://localhost/', { headers });
  const explained = requestContext.explainAddress(request);
  // The explained address is the one that the server uses.
  expect(explained.address).toBe(requestContext.addressOf(request));
  expect(explained).toMatchObject({ peer, header: 'X-Real-Way', headerValue: value });
  return {
    hops: explained.hops.map(({ address, isTrusted }) => (isTrusted ? `${address} trusted` : address)),
    address: explained.address,
    countedAs: explained.countedAs,
    reason: explained.reason,
  };
}

const PROXIES = ['10.0.0.0/8', '2001:db8:ffff::/48'];

describe('the client address', () => {
  test.each([
    [
      'is the peer without trusted proxies',
      '203.0.113.9',
      '198.51.100.1',
      [],
      ['203.0.113.9'],
      '203.0.113.9',
      'proxies-none',
    ],
    [
      'is the peer if it is not a proxy',
      '203.0.113.9',
      '198.51.100.1',
      PROXIES,
      ['203.0.113.9'],
      '203.0.113.9',
      'not-trusted',
    ],
    [
      'is the address that a trusted proxy reports',
      '10.0.0.1',
      '198.51.100.1',
      PROXIES,
      ['10.0.0.1 trusted', '198.51.100.1'],
      '198.51.100.1',
      'not-trusted',
    ],
    [
      'is the address before two trusted proxies, not one that the client sent',
      '10.0.0.1',
      '1.2.3.4, 198.51.100.1:4711, 10.9.9.9',
      PROXIES,
      ['10.0.0.1 trusted', '10.9.9.9 trusted', '198.51.100.1'],
      '198.51.100.1',
      'not-trusted',
    ],
    [
      'is the proxy if it reports nothing',
      '10.0.0.1',
      null,
      PROXIES,
      ['10.0.0.1 trusted'],
      '10.0.0.1',
      'header-ended',
    ],
    [
      'is the proxy if it reports no address',
      '10.0.0.1',
      'unknown',
      PROXIES,
      ['10.0.0.1 trusted'],
      '10.0.0.1',
      'entry-malformed',
    ],
    [
      'is the first address if all are trusted',
      '10.0.0.1',
      '10.0.0.2',
      PROXIES,
      ['10.0.0.1 trusted', '10.0.0.2 trusted'],
      '10.0.0.2',
      'header-ended',
    ],
  ] as const)('%s', (_, peer, value, trusted, hops, address, reason) => {
    expect(explain(peer, value, trusted)).toEqual({ hops: [...hops], address, countedAs: address, reason });
  });

  test('is the 32nd trusted proxy if a header contains more', () => {
    const seen = explain(
      '10.0.0.1',
      Array.from({ length: 40 }, (_, at) => `10.0.1.${at}`).join(','),
      PROXIES,
    );
    // The peer and the last 31 addresses of the header.
    expect([seen.hops.length, seen.address, seen.reason]).toEqual([32, '10.0.1.9', 'hops-too-many']);
  });

  test('is not parsed from an entry of more than 128 characters', () => {
    const seen = explain('10.0.0.1', `198.51.100.1,${' '.repeat(200)}10.0.0.2`, PROXIES);
    expect(seen).toMatchObject({ address: '10.0.0.1', reason: 'entry-malformed' });
  });

  test('of IPv6 is explained in full, with its network', () => {
    const seen = explain('2001:db8:ffff::1', '[2001:db8:0:7:1:2:3:4]:443', PROXIES);
    expect(seen).toEqual({
      hops: ['2001:db8:ffff::1 trusted', '2001:db8:0:7:1:2:3:4'],
      address: '2001:db8:0:7:1:2:3:4',
      countedAs: '2001:db8:0:7::/64',
      reason: 'not-trusted',
    });
  });

  test('is IPv4 if a dual-stack socket reports an IPv4-mapped IPv6 address', () => {
    const seen = explain('::ffff:10.0.0.1', '::ffff:198.51.100.1', PROXIES);
    expect(seen).toMatchObject({ address: '198.51.100.1', countedAs: '198.51.100.1', reason: 'not-trusted' });
    expect(seen.hops).toEqual(['::ffff:10.0.0.1 trusted', '::ffff:198.51.100.1']);
  });

  test('is undefined for a closed connection', () => {
    expect(explain(undefined, '198.51.100.1', PROXIES)).toEqual({
      hops: [],
      address: undefined,
      countedAs: undefined,
      reason: 'connection-closed',
    });
  });
});
