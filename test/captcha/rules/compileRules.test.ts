import { describe, expect, test } from 'bun:test';
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

  test('in a list of 100 rules', () => {
    const conditions = Array.from({ length: 100 }, (_, n) => ({ networks: [`10.${n}.0.0/16`] }));
    for (const n of [0, 31, 32, 63, 64, 99])
      expect(match(conditions, { address: `10.${n}.1.1` })).toEqual([n]);
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
