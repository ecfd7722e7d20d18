import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { send } from './scenario.ts';

/** Two requests from one client address use one bucket, so the tests see which address the server uses. */
type Row = readonly [what: string, first: Headers, second: Headers, isSame: boolean];
type Headers = Readonly<Record<string, string>>;

const BURST = 50;

function describeWith(title: string, settings: Record<string, string>, rows: readonly Row[]): void {
  describe(title, () => {
    const server = useServer({ settings: { POSTERN_PUZZLE_BURST: String(BURST), ...settings } });
    const tenant = useTenant(server);

    const left = async (headers: Headers) => {
      const ask = {
        path: `/puzzle?sitekey=${tenant.property.sitekey}`,
        headers: { Origin: 'https://example.com', 'X-Request-Id': 'id', ...headers },
      };
      const response = await send(server.url, ask);
      expect(response.status).toBe(200);
      return Number(response.headers.get('x-ratelimit-remaining'));
    };

    for (const [what, first, second, isSame] of rows) {
      test(`${what}: ${isSame ? 'one client' : 'two clients'}`, async () => {
        // After a day, all buckets are full.
        server.clock.now = (server.clock.now + 86_400_000) as Instant;
        expect(await left(first)).toBe(BURST - 1);
        expect(await left(second)).toBe(isSame ? BURST - 2 : BURST - 1);
      });
    }
  });
}

const xff = (value: string): Headers => ({ 'X-Forwarded-For': value });
const SLOW = { POSTERN_PUZZLE_RATE: '0.01' };
/** The tests connect from 127.0.0.1. */
const TRUSTING = { ...SLOW, POSTERN_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,2001:db8:ffff::/48' };

describeWith('without trusted proxies', SLOW, [
  ['X-Forwarded-For is nothing but a claim', xff('203.0.113.1'), xff('203.0.113.2'), true],
  [
    'other headers too',
    { 'X-Real-IP': '203.0.113.1', Forwarded: 'for=203.0.113.1' },
    { 'CF-Connecting-IP': '203.0.113.2' },
    true,
  ],
]);

describeWith('if the sender is not a trusted proxy', { ...SLOW, POSTERN_TRUSTED_PROXIES: '192.0.2.0/24' }, [
  ['X-Forwarded-For is nothing but a claim', xff('203.0.113.1'), xff('203.0.113.2'), true],
]);

describeWith('behind a trusted proxy', TRUSTING, [
  ['two addresses', xff('203.0.113.1'), xff('203.0.113.2'), false],
  ['one address', xff('203.0.113.3'), xff('203.0.113.3'), true],
  [
    'addresses before the client address are ignored',
    xff('8.8.8.8, 203.0.113.4'),
    xff('9.9.9.9, 203.0.113.4'),
    true,
  ],
  ['even if one of them is a proxy', xff('10.0.0.1, 203.0.113.5'), xff('203.0.113.5'), true],
  ['further trusted proxies are skipped', xff('203.0.113.6, 10.1.2.3, 10.255.0.1'), xff('203.0.113.6'), true],
  ['and their clients are distinguished', xff('203.0.113.7, 10.1.2.3'), xff('203.0.113.8, 10.1.2.3'), false],
  ['proxies can have IPv6 addresses', xff('203.0.113.9, 2001:db8:ffff::1'), xff('203.0.113.9'), true],
  ['without an address, the proxy is the client', {}, xff(''), true],
  [
    'if there are only proxies, the first one is the client',
    xff('10.0.0.9, 10.0.0.8'),
    xff('10.0.0.9'),
    true,
  ],
  ['the port is ignored', xff('203.0.113.10:1234'), xff('203.0.113.10:5678'), true],
  ['the port of an IPv6 address is ignored', xff('[2001:db8:1::1]:1234'), xff('2001:db8:1::1'), true],
  ['spaces and empty entries are ignored', xff(' 203.0.113.11 '), xff('1.1.1.1,,\t203.0.113.11'), true],
  ['IPv6 of one /64', xff('2001:db8:2:3::1'), xff('2001:db8:2:3:ffff:ffff:ffff:ffff'), true],
  ['IPv6 of two /64s', xff('2001:db8:2:4::1'), xff('2001:db8:2:5::1'), false],
  ['IPv6 in another notation', xff('2001:DB8:2:6:0:0:0:1'), xff('2001:db8:2:6::1'), true],
  ['IPv4 inside IPv6 is IPv4', xff('::ffff:203.0.113.12'), xff('203.0.113.12'), true],
  ['IPv4 inside IPv6 in hexadecimal', xff('::ffff:cb00:710d'), xff('203.0.113.13'), true],
  ['an IPv6 zone is ignored', xff('fe80::1%eth0'), xff('fe80::1'), true],
  ['for an invalid entry, the proxy is the client', xff('unknown'), xff('_hidden'), true],
  ['other invalid entries', xff('<script>'), xff('256.256.256.256'), true],
  ['numbers that look like addresses', xff('2130706433'), xff('0x7f.1'), true],
  [
    'invalid entries before the client address are ignored',
    xff('unknown, 203.0.113.14'),
    xff('203.0.113.14'),
    true,
  ],
  [
    'an invalid entry between proxies ends the chain',
    xff('203.0.113.15, unknown, 10.0.0.7'),
    xff('203.0.113.16, x, 10.0.0.7'),
    true,
  ],
  ['a very long list', xff(`${'8.8.8.8, '.repeat(800)}203.0.113.17`), xff('203.0.113.17'), true],
  ['X-Real-IP is not believed', { 'X-Real-IP': '203.0.113.18' }, { 'X-Real-IP': '203.0.113.19' }, true],
]);

describeWith('with a configured header', { ...TRUSTING, POSTERN_CLIENT_IP_HEADER: 'CF-Connecting-IP' }, [
  ['the header is used', { 'CF-Connecting-IP': '203.0.113.1' }, { 'cf-connecting-ip': '203.0.113.2' }, false],
  ['X-Forwarded-For no more', xff('203.0.113.3'), xff('203.0.113.4'), true],
]);

describeWith('if every address is a trusted proxy', { ...SLOW, POSTERN_TRUSTED_PROXIES: '0.0.0.0/0,::/0' }, [
  ['the first address is the client', xff('203.0.113.1, 8.8.8.8'), xff('203.0.113.1, 9.9.9.9'), true],
]);
