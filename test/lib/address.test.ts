import { describe, expect, test } from 'bun:test';
import { Resolver } from 'node:dns';
import {
  isLoopbackAddress,
  isWithin,
  parseAddress,
  parseCidr,
  parseDnsServers,
} from '../../src/lib/address.ts';

const hex = (text: string) => parseAddress(text)?.toHex();

describe('an address', () => {
  test.each([
    ['0.0.0.0', '00000000'],
    ['192.0.2.255', 'c00002ff'],
    ['::', '0'.repeat(32)],
    ['::1', `${'0'.repeat(31)}1`],
    ['2001:db8::8:800:200c:417a', '20010db80000000000080800200c417a'],
    ['2001:DB8:0:0:8:800:200C:417A', '20010db80000000000080800200c417a'],
    ['1::', `0001${'0'.repeat(28)}`],
    // Bun 1.4.5 rejects this address in a URL.
    ['1::2:3:4:192.0.2.33', '000100000000000200030004c0000221'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001'],
    ['64:ff9b::192.0.2.33', '0064ff9b0000000000000000c0000221'],
  ])('%s is converted to bytes', (text, expected) => {
    expect(hex(text)).toBe(expected);
  });

  test.each(['::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:c000:0201', '::ffff:192.0.2.1%lo'])(
    '%s, as a dual-stack socket reports it, is converted to IPv4',
    (text) => {
      expect(hex(text)).toBe('c0000201');
    },
  );

  test.each([
    '',
    'localhost',
    '256.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4:80',
    // Octal to some programs, decimal to others.
    '010.0.0.1',
    '1.2.3.4 ',
    '1.2.3.4%eth0',
    '2130706433',
    '0x7f.0.0.1',
    ':',
    ':::',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1.2.3',
    '::1.2.3.256',
    '::1.2.3.4:5',
    ':1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:8:',
    '::g',
    '[::1]',
    '::1%',
    '::1 ',
    '::1\n',
    // A URL parser alone would read these as ::1.
    '::1]/x',
    'a:b@[::1',
    '::1]:80',
  ])('%j is not an address', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe('a CIDR block', () => {
  test.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['192.0.2.128/25', '192.0.2.127', false],
    ['192.0.2.128/25', '192.0.2.128', true],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.6', false],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '192.0.2.1', false],
    ['2001:db8::/33', '2001:db8:7fff::', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.9.9.9', true],
    ['::ffff:10.0.0.0/104', '11.9.9.9', false],
    ['::ffff:0.0.0.0/96', '203.0.113.1', true],
  ])('%s contains %s: %p', (block, address, expected) => {
    const cidr = parseCidr(block);
    const bytes = parseAddress(address);
    if (cidr === undefined || bytes === undefined) throw new Error('invalid test case');
    expect(isWithin(bytes, cidr)).toBe(expected);
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/8 ',
    '/8',
    '::/129',
    'example.com/8',
    // A prefix of eight IPv6 bits, not of eight IPv4 bits.
    '::ffff:10.0.0.0/8',
  ])('%j is not a block', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });
});

describe('DNS servers', () => {
  test.each([
    ['192.0.2.53', ['192.0.2.53']],
    ['192.0.2.53:5353', ['192.0.2.53:5353']],
    ['192.0.2.53:00053', ['192.0.2.53:53']],
    ['2001:db8::53', ['2001:db8::53']],
    ['[2001:db8::53]', ['2001:db8::53']],
    ['[2001:db8::53]:65535', ['[2001:db8::53]:65535']],
    ['::ffff:192.0.2.53', ['::ffff:192.0.2.53']],
    // Eight groups; the last is not a port.
    ['1:2:3:4:5:6:7:8', ['1:2:3:4:5:6:7:8']],
    [' 192.0.2.53:1 , ::1,[::1]:5353 ', ['192.0.2.53:1', '::1', '[::1]:5353']],
  ])('%s are parsed', (text, expected) => {
    expect(parseDnsServers(text)).toEqual(expected);
  });

  test('are accepted by the resolver', () => {
    const servers = ['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:5353'];
    const resolver = new Resolver();
    resolver.setServers(parseDnsServers(servers.join(',')) ?? []);
    expect(resolver.getServers()).toEqual(servers);
  });

  test.each([
    '',
    ',',
    '192.0.2.53,',
    'dns.example.com',
    'localhost:53',
    '192.0.2.53:',
    '192.0.2.53:0',
    '192.0.2.53:65536',
    '192.0.2.53:123456',
    '192.0.2.53:-1',
    '192.0.2.53:53:53',
    '[192.0.2.53]',
    '[192.0.2.53]:53',
    '192.0.2.256',
    '192.0.2',
    '[::1',
    '::1]',
    '[::1]53',
    '[[::1]]',
    '[]:53',
    '[fe80::1%eth0]:53',
    'fe80::1%eth0',
    'udp://192.0.2.53',
    '192.0.2.53;192.0.2.54',
    '192.0.2.53 192.0.2.54',
  ])('%j is rejected', (text) => {
    expect(parseDnsServers(text)).toBeUndefined();
  });
});

test('only 127.0.0.0/8 and ::1 are loopback addresses', () => {
  const loopback = ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::1%lo'];
  const other = ['128.0.0.1', '126.255.255.255', '::', '::2', '1::1', '::ffff:10.0.0.1', 'localhost', ''];
  expect(loopback.filter((address) => !isLoopbackAddress(address))).toEqual([]);
  expect(other.filter(isLoopbackAddress)).toEqual([]);
});
