import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createRequestFacts } from '../../../src/captcha/rules/requestFacts.ts';
import type { RuleConditions } from '../../../src/model/rules/rule.ts';
import { compile, matchRules, newRules, type Sent, toSource } from './rules.ts';

/** The indexes of the rules that match. */
function match(conditions: readonly RuleConditions[], request: Sent): readonly number[] {
  const { country, asn } = request;
  return matchRules(newRules(conditions), toSource(request), { country, asn });
}

describe('a rule matches', () => {
  test.each<[string, readonly RuleConditions[], Sent, readonly number[]]>([
    ['addresses of a network', [{ networks: ['10.0.0.0/8'] }], { address: '10.255.255.255' }, [0]],
    ['no other addresses', [{ networks: ['10.0.0.0/8'] }], { address: '11.0.0.0' }, []],
    ['single addresses', [{ networks: ['192.0.2.1', '::1'] }], { address: '::1' }, [0]],
    ['all IPv4 addresses', [{ networks: ['0.0.0.0/0'] }], { address: '255.255.255.255' }, [0]],
    ['no IPv6 address with an IPv4 network', [{ networks: ['0.0.0.0/0'] }], { address: '::' }, []],
    ['IPv6 networks', [{ networks: ['2001:db8::/33'] }], { address: '2001:db8:7fff::1' }, [0]],
    ['only within the prefix', [{ networks: ['2001:db8::/33'] }], { address: '2001:db8:8000::' }, []],
    ['IPv4-mapped addresses as IPv4', [{ networks: ['192.0.2.0/24'] }], { address: '::ffff:192.0.2.9' }, [0]],
    ['no request without an address', [{ networks: ['0.0.0.0/0', '::/0'] }], {}, []],
    [
      'nested networks',
      [{ networks: ['10.0.0.0/8'] }, { networks: ['10.1.0.0/16', '10.1.2.0/24'] }],
      { address: '10.1.2.3' },
      [0, 1],
    ],
    ['user agents, ignoring case', [{ userAgents: ['*CuRL/8*'] }], { userAgent: 'xcurl/8.5' }, [0]],
    ['whole user agents', [{ userAgents: ['curl'] }], { userAgent: 'curl/8' }, []],
    ['a missing user agent as an empty one', [{ userAgents: ['*'] }, { userAgents: ['?*'] }], {}, [0]],
    ['short patterns', [{ userAgents: ['*ab*'] }, { userAgents: ['a*'] }], { userAgent: 'XAB' }, [0]],
    ['a literal asterisk', [{ userAgents: ['a\\*b'] }], { userAgent: 'a*b' }, [0]],
    ['parts in their order', [{ userAgents: ['*one*two*'] }], { userAgent: 'two one' }, []],
    ['parts that do not overlap', [{ userAgents: ['aba*aba'] }], { userAgent: 'ababa' }, []],
    ['headers by name and value', [{ headers: ['x-a: *foo*'] }], { headers: { 'x-a': 'a FOO' } }, [0]],
    ['missing headers', [{ headers: ['!x-a'] }], { headers: { 'x-b': '1' } }, [0]],
    ['any of the entries of one header', [{ headers: ['!x-a', 'x-a: 1'] }], { headers: { 'x-a': '1' } }, [0]],
    ['all headers', [{ headers: ['x-a: *', 'x-b: *'] }], { headers: { 'x-a': '1' } }, []],
    ['countries', [{ countries: ['DE', 'AT'] }], { country: 'AT' }, [0]],
    ['no unknown country', [{ countries: ['DE'] }], { address: '192.0.2.1' }, []],
    ['ASNs', [{ asns: [64_496] }], { asn: 64_496 }, [0]],
    ['paths, with case', [{ paths: ['/login*'] }, { paths: ['/LOGIN*'] }], { path: '/login/x' }, [0]],
    ['percent-encoded paths', [{ paths: ['/bücher/*'] }], { path: '/b%C3%BCcher/1' }, [0]],
    ['no unknown path', [{ paths: ['*'] }], {}, []],
    [
      'downgraded puzzles by the kind of work',
      [{ downgrades: ['hashwx'] }, { downgrades: ['argon2id'] }, { downgrades: ['argon2id', 'hashwx'] }],
      { downgrade: 'hashwx' },
      [0, 2],
    ],
    ['no puzzle that is not downgraded', [{ downgrades: ['argon2id', 'hashwx'] }], {}, []],
    ['all of its conditions', [{ networks: ['10.0.0.0/8'], asns: [1] }], { address: '10.0.0.1', asn: 2 }, []],
  ])('%s', (_, conditions, request, expected) => {
    expect(match(conditions, request)).toEqual(expected);
  });

  test('only while it is enabled', () => {
    const rules = newRules([{ userAgents: ['*'] }, { userAgents: ['*'] }]).map((rule, index) => ({
      ...rule,
      isEnabled: index === 1,
    }));
    expect(matchRules(rules, toSource({}), { country: undefined, asn: undefined })).toEqual([1]);
  });

  test('the first 1,024 characters of a header', () => {
    const long = `${'a'.repeat(1020)}beef${'c'.repeat(5000)}`;
    expect(match([{ userAgents: ['*beef'] }, { userAgents: ['*c*'] }], { userAgent: long })).toEqual([0]);
  });

  test.each([100, 1000])('in a list of %i rules', (count) => {
    const conditions = Array.from({ length: count }, (_, n) => ({
      networks: [`10.${n >> 8}.${n & 255}.0/24`],
    }));
    for (const n of [0, 31, 32, 63, 64, 99, count - 1])
      expect(match(conditions, { address: `10.${n >> 8}.${n & 255}.1` })).toEqual([n]);
  });
});

test('compiled rules can be compared with one request after the other', () => {
  const compiled = compile(newRules([{ userAgents: ['a*'] }, { userAgents: ['b*'] }, { asns: [7] }]));
  const facts = createRequestFacts(() => ({ country: undefined, asn: undefined }));
  const matchesOf = (userAgent: string) => {
    facts.begin(toSource({ userAgent }));
    return [...compiled.match(facts)];
  };
  expect(['a', 'c', 'b', 'ab', ''].map(matchesOf)).toEqual([[1], [0], [2], [1], [0]]);
});

describe('a condition on headers', () => {
  test('compares each header with its own patterns', () => {
    const conditions = [{ headers: ['x-a: 1', 'x-b: 2'] }];
    expect(match(conditions, { headers: { 'x-a': '1', 'x-b': '2' } })).toEqual([0]);
    expect(match(conditions, { headers: { 'x-a': '2', 'x-b': '2' } })).toEqual([]);
    expect(match(conditions, { headers: { 'x-a': '1', 'x-b': '1' } })).toEqual([]);
  });

  test('does not concern rules without it', () => {
    const conditions = [{ headers: ['x-a: 1'] }, { headers: ['x-b: 2'] }, { userAgents: ['*'] }];
    expect(match(conditions, { headers: { 'x-a': '1' } })).toEqual([0, 2]);
    expect(match(conditions, { headers: { 'x-a': '1', 'x-b': '2' } })).toEqual([0, 1, 2]);
  });
});

// A rule whose only condition was dropped would match every request.
test.each<[RuleConditions, string]>([
  [{ networks: ['10.0.0.0/99'] }, '10.0.0.0/99 is not a network'],
  [{ userAgents: ['\\'] }, '\\ is not a pattern'],
  [{ headers: ['x-a'] }, 'x-a is not a condition on a header'],
  [{ headers: ['x-a: \\'] }, '\\ is not a pattern'],
  [{ paths: ['\\'] }, '\\ is not a pattern'],
])('the damaged conditions %j are not compiled', (conditions, message) => {
  expect(() => compile(newRules([conditions]))).toThrow(new TypeError(message));
});

describe('the stated size of compiled rules', () => {
  const bytesOf = (...conditions: RuleConditions[]) => compile(newRules(conditions)).bytes;
  const ipv4 = (count: number) => Array.from({ length: count }, (_, n) => `10.${n >> 8}.${n & 255}.0/25`);
  const ipv6 = (count: number) => Array.from({ length: count }, (_, n) => `2001:db8:${n.toString(16)}::/49`);

  test('grows with their number, and with the networks of both families', () => {
    expect(bytesOf({ countries: ['DE'] }, { countries: ['DE'] })).toBeGreaterThan(
      bytesOf({ countries: ['DE'] }),
    );
    // Each network begins and ends a range: its first address, and the number of a set.
    expect(bytesOf({ networks: ipv4(200) }) - bytesOf({ networks: ipv4(100) })).toBe(100 * 2 * 8);
    expect(bytesOf({ networks: ipv6(200) }) - bytesOf({ networks: ipv6(100) })).toBe(100 * 2 * 20);
    expect(
      bytesOf({ networks: [...ipv4(100), ...ipv6(200)] }) -
        bytesOf({ networks: [...ipv4(100), ...ipv6(100)] }),
    ).toBe(100 * 2 * 20);
  });

  test('has at least 512 bytes for each rule, and the sets of rules, which have a bit for each rule', () => {
    const germany = { countries: ['DE'] };
    const perRule = bytesOf(germany, germany) - bytesOf(germany);
    expect(perRule).toBeGreaterThanOrEqual(512);
    const network = { networks: ['10.0.0.0/8'] };
    const rules = Array.from({ length: 64 }, () => network);
    expect(bytesOf(...rules)).toBeGreaterThan(bytesOf(network) + 63 * perRule);
  });

  test('does not include the conditions of rules that are not enabled', () => {
    const bytesIf = (isEnabled: boolean) =>
      compile(newRules([{ networks: ipv4(100) }]).map((rule) => ({ ...rule, isEnabled }))).bytes;
    expect(bytesIf(false)).toBe(bytesOf({}));
    expect(bytesIf(true)).toBeGreaterThan(bytesIf(false));
  });

  test('includes the sets of nested networks', () => {
    const nested = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ networks: [`10.0.0.0/${8 + n}`] }));
    const same = (count: number) => Array.from({ length: count }, () => ({ networks: ['10.0.0.0/8'] }));
    expect(bytesOf(...nested(16))).toBeGreaterThan(bytesOf(...same(16)));
  });
});

describe('networks', () => {
  const toIpv4 = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');

  test('of IPv4 are found as if each was compared', () => {
    const prefixes = fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 28, max: 32 })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(prefixes, (blocks) => {
        const networks = blocks.map(([at, prefix]) => [(at & -(2 ** (32 - prefix))) >>> 0, prefix] as const);
        const rules = networks.map(([at, prefix]) => ({ networks: [`${toIpv4(at)}/${prefix}`] }));
        for (let address = 0; address < 18; address++) {
          const expected = networks.flatMap(([at, prefix], rule) =>
            address >= at && address < at + 2 ** (32 - prefix) ? [rule] : [],
          );
          expect(match(rules, { address: toIpv4(address) })).toEqual(expected);
        }
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  test.each([1, 43])('of IPv6 are found among many, in any order', (step) => {
    // The rule of each network.
    const ruleOf = (n: number) => (n * step) % 60;
    const rules: RuleConditions[] = [];
    for (let n = 0; n < 60; n++) {
      const prefix = n % 2 === 0 ? 64 : 128;
      rules[ruleOf(n)] = { networks: [`2001:db8:0:${(n * 7).toString(16)}::/${prefix}`] };
    }
    for (let n = 0; n < 60; n++) {
      const base = `2001:db8:0:${(n * 7).toString(16)}:`;
      expect(match(rules, { address: `${base}:` })).toEqual([ruleOf(n)]);
      expect(match(rules, { address: `${base}:1` })).toEqual(n % 2 === 0 ? [ruleOf(n)] : []);
      expect(match(rules, { address: `2001:db8:0:${(n * 7 + 1).toString(16)}::` })).toEqual([]);
    }
    expect(match(rules, { address: '::' })).toEqual([]);
    expect(match(rules, { address: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff' })).toEqual([]);
  });

  test('can end at a boundary of a word, and at the last address', () => {
    const rules = [
      { networks: ['2001:db8:ffff:ffff::/64'] },
      { networks: ['ffff:ffff::/32'] },
      { networks: ['255.255.255.0/24'] },
    ];
    expect(match(rules, { address: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff' })).toEqual([0]);
    expect(match(rules, { address: '2001:db9::' })).toEqual([]);
    expect(match(rules, { address: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff' })).toEqual([1]);
    expect(match(rules, { address: '255.255.255.255' })).toEqual([2]);
  });
});

test('a request is read only as far as the rules need it', () => {
  const facts = createRequestFacts(() => {
    throw new Error('the GeoIP files were read');
  });
  const read: string[] = [];
  const compiled = compile(
    newRules([
      { networks: ['10.0.0.0/8'], countries: ['DE'] },
      { networks: ['10.0.0.0/8'], headers: ['x-a: *'] },
    ]),
  );
  facts.begin({
    address: () => {
      read.push('address');
      return '192.0.2.1';
    },
    header: (name) => {
      read.push(name);
      return null;
    },
    path: () => undefined,
  });
  expect([...compiled.match(facts)]).toEqual([0]);
  expect(read).toEqual(['address']);
});
