import { describe, expect, test } from 'bun:test';
import { isCountry } from '../../../src/model/rules/countries.ts';
import { parseRules, toWireRule } from '../../../src/model/rules/parseRules.ts';
import { RULE_LIMITS } from '../../../src/model/rules/rule.ts';
import { rulesFromJson } from '../../../src/model/rules/rulesJson.ts';

const rule = { name: 'Bots', action: 'block', conditions: { user_agents: ['*bot*'] } };

function errorsOf(value: unknown, acceptsText = false) {
  const parsed = parseRules(value, { acceptsText });
  return parsed.ok ? [] : parsed.errors;
}

/** The errors of one rule with these conditions. */
function errorsIn(conditions: object, acceptsText = false) {
  return errorsOf([{ ...rule, conditions }], acceptsText).map(({ rule: _, ...error }) => error);
}

describe('rules', () => {
  test('are parsed with defaults, and converted back to the same format', () => {
    const wire = [
      { id: '00000000000000aa', ...rule, enabled: false, dry_run: true },
      { ...rule, enabled: true, dry_run: false, action: 'adjust', levels: -16 },
      { ...rule, enabled: true, dry_run: false, action: 'set', level: 255 },
      {
        ...rule,
        enabled: true,
        dry_run: false,
        action: 'allow',
        conditions: {
          networks: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'],
          user_agents: ['*', 'curl/*', '\\*\\\\'],
          headers: ['accept-language: *', '!sec-ch-ua'],
          countries: ['DE', 'XK'],
          asns: [1, 4_294_967_294],
          paths: ['/login*', '*/admin'],
          downgrades: ['argon2id', 'hashwx'],
        },
      },
    ];
    const parsed = parseRules(wire);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
    expect(parsed.value.map(toWireRule)).toEqual(wire as never);
    expect(parseRules([rule])).toMatchObject({ ok: true, value: [{ isEnabled: true, isDryRun: false }] });
    expect(parseRules([])).toEqual({ ok: true, value: [] });
  });

  test('have canonical entries', () => {
    const conditions = {
      networks: [' 2001:DB8::/32 '],
      countries: ['de'],
      asns: ['AS64496', '7'],
      headers: ['Accept-Language:de*', '! X-Test'],
    };
    const parsed = parseRules([{ ...rule, name: ' Bots ', conditions }]);
    expect(parsed).toMatchObject({
      ok: true,
      value: [
        {
          name: 'Bots',
          conditions: {
            networks: ['2001:db8::/32'],
            countries: ['DE'],
            asns: [64_496, 7],
            headers: ['accept-language: de*', '!x-test'],
          },
        },
      ],
    });
  });

  test.each([
    ['x', [{ problem: 'rules-not-a-list' }]],
    [[null], [{ problem: 'rule-not-an-object', rule: 0 }]],
    [[rule, { ...rule, x: 1 }], [{ problem: 'member-unknown', rule: 1, name: '"x"' }]],
    [[{ ...rule, name: undefined }], [{ problem: 'rule-name-empty', rule: 0, member: 'name' }]],
    [[{ ...rule, name: 'a'.repeat(129) }], [{ problem: 'rule-name-too-long', rule: 0, member: 'name' }]],
    [[{ ...rule, name: 'a\nb' }], [{ problem: 'rule-name-malformed', rule: 0, member: 'name' }]],
    [[{ ...rule, id: 'ABCDEF0123456789' }], [{ problem: 'rule-id-malformed', rule: 0, member: 'id' }]],
    [[{ ...rule, enabled: 'yes' }], [{ problem: 'boolean-malformed', rule: 0, member: 'enabled' }]],
    [[{ ...rule, dry_run: null }], [{ problem: 'boolean-malformed', rule: 0, member: 'dry_run' }]],
    [[{ ...rule, action: 'deny' }], [{ problem: 'action-unknown', rule: 0, member: 'action' }]],
    [[{ ...rule, action: 'adjust' }], [{ problem: 'levels-malformed', rule: 0, member: 'levels' }]],
    [
      [{ ...rule, action: 'adjust', levels: 255 }],
      [{ problem: 'levels-malformed', rule: 0, member: 'levels' }],
    ],
    [
      [{ ...rule, action: 'adjust', levels: 1.5 }],
      [{ problem: 'levels-malformed', rule: 0, member: 'levels' }],
    ],
    [[{ ...rule, action: 'set', level: 0 }], [{ problem: 'level-malformed', rule: 0, member: 'level' }]],
    [[{ ...rule, levels: 1 }], [{ problem: 'levels-not-accepted', rule: 0, member: 'levels' }]],
    [[{ ...rule, level: 1 }], [{ problem: 'level-not-accepted', rule: 0, member: 'level' }]],
    [
      [{ ...rule, conditions: [] }],
      [
        { problem: 'conditions-not-an-object', rule: 0, member: 'conditions' },
        { problem: 'conditions-missing', rule: 0, member: 'conditions' },
      ],
    ],
    [[{ ...rule, conditions: {} }], [{ problem: 'conditions-missing', rule: 0, member: 'conditions' }]],
  ])('%j are rejected with the position of the error', (value, errors) => {
    expect(errorsOf(value)).toEqual(errors as never);
  });

  test.each([
    [{ networks: ['10.0.0.0/8', '10.0.0.1/8'] }, 'networks', 1, 'network-has-host-bits', 0],
    [{ networks: ['2001:db8::1/32'] }, 'networks', 0, 'network-has-host-bits', 0],
    [{ networks: ['10.0.0.0/33'] }, 'networks', 0, 'network-malformed', 0],
    [{ networks: ['fe80::1%eth0'] }, 'networks', 0, 'network-malformed', 0],
    [{ networks: ['::ffff:10.0.0.0/104', '10.0.0.0/8'] }, 'networks', 1, 'entry-repeated', 0],
    [{ networks: [' '] }, 'networks', 0, 'entry-empty', 0],
    [{ networks: [7] }, 'networks', 0, 'entry-mistyped', undefined],
    [{ user_agents: ['ab\\c'] }, 'user_agents', 0, 'pattern-malformed', 2],
    [{ user_agents: ['ab\u0007'] }, 'user_agents', 0, 'pattern-malformed', 2],
    [{ user_agents: [' a*b*c*d*e*f*g*h*i*'] }, 'user_agents', 0, 'wildcards-too-many', 18],
    [{ user_agents: ['a'.repeat(257)] }, 'user_agents', 0, 'entry-too-long', 256],
    [{ user_agents: ['A*', 'a*'] }, 'user_agents', 1, 'entry-repeated', 0],
    [{ headers: ['accept'] }, 'headers', 0, 'header-malformed', 0],
    [{ headers: ['a b: c'] }, 'headers', 0, 'header-malformed', 0],
    [{ headers: ['accept:'] }, 'headers', 0, 'header-malformed', 0],
    [{ headers: ['accept: a\\b'] }, 'headers', 0, 'pattern-malformed', 9],
    [{ headers: ['Cookie: *'] }, 'headers', 0, 'header-not-accepted', 0],
    [{ countries: ['UK'] }, 'countries', 0, 'country-unknown', 0],
    [{ asns: [0] }, 'asns', 0, 'asn-malformed', undefined],
    [{ asns: ['AS'] }, 'asns', 0, 'asn-malformed', 0],
    [{ paths: ['login'] }, 'paths', 0, 'path-malformed', 0],
    [{ paths: ['/a?b'] }, 'paths', 0, 'path-malformed', 2],
    [{ downgrades: ['blake2b'] }, 'downgrades', 0, 'downgrade-unknown', 0],
    [{ downgrades: ['hashwx', 'HashWX'] }, 'downgrades', 1, 'entry-repeated', 0],
  ])('the condition %j is rejected at %s[%i]', (conditions, member, entry, problem, offset) => {
    expect(errorsIn(conditions)).toEqual([
      { problem, member, entry, ...(offset === undefined ? {} : { offset }) } as never,
    ]);
  });

  test('conditions can be texts; errors have the position in the text', () => {
    const text = '10.0.0.0/8, 172.16.0.0/12,\n192.168.0.0/99';
    expect(errorsIn({ networks: text }, true)).toEqual([
      { problem: 'network-malformed', member: 'networks', entry: 2, offset: text.indexOf('192') },
    ]);
    const lines = 'curl/*\r\n  Mozilla/5.0 (compatible, *\n\nbad\\pattern';
    expect(errorsIn({ user_agents: lines }, true)).toEqual([
      { problem: 'pattern-malformed', member: 'user_agents', entry: 2, offset: lines.indexOf('\\') },
    ]);
    const parsed = parseRules(
      [{ ...rule, conditions: { user_agents: 'a, b*\n*c', asns: 'AS1 2;3', paths: ' ' } }],
      {
        acceptsText: true,
      },
    );
    expect(parsed).toMatchObject({
      value: [{ conditions: { userAgents: ['a, b*', '*c'], asns: [1, 2, 3] } }],
    });
    expect(errorsIn({ networks: text })).toEqual([{ problem: 'condition-not-a-list', member: 'networks' }]);
  });

  test('all errors are reported, up to a limit', () => {
    const bad = { name: '', action: 'x', conditions: { asns: [0, -1] } };
    expect(errorsOf([rule, bad]).map(({ problem }) => problem)).toEqual([
      'rule-name-empty',
      'action-unknown',
      'asn-malformed',
      'asn-malformed',
    ]);
    expect(errorsOf(Array.from({ length: 100 }, () => bad))).toHaveLength(RULE_LIMITS.errors);
  });

  test('are limited in number and size', () => {
    const many = <T>(count: number, create: (index: number) => T) =>
      Array.from({ length: count }, (_, at) => create(at));
    const of = (conditions: object) => ({ ...rule, conditions });
    expect(errorsOf(many(101, () => rule))).toEqual([{ problem: 'rules-too-many', rule: 100 }]);
    expect(errorsIn({ asns: many(1001, (n) => n + 1) })).toEqual([
      { problem: 'condition-too-long', member: 'asns', entry: 1000 },
    ]);
    expect(errorsIn({ asns: [] })).toEqual([{ problem: 'condition-empty', member: 'asns' }]);
    const patterns = many(11, (n) => of({ user_agents: many(100, (m) => `*${n} ${m}*`) }));
    expect(errorsOf(patterns)).toEqual([{ problem: 'patterns-too-many', rule: 10 }]);
    const headers = many(17, (n) => of({ headers: [`x-${n}: *`] }));
    expect(errorsOf(headers)).toEqual([{ problem: 'header-names-too-many', rule: 16 }]);
    const networks = many(10_000, (n) => `2001:db8:${n.toString(16)}:aaaa::/64`);
    expect(errorsOf([of({ networks }), of({ networks })])).toEqual([{ problem: 'rules-too-large', rule: 1 }]);
    const twins = many(2, () => ({ ...rule, id: '00000000000000aa' }));
    expect(errorsOf(twins)).toEqual([{ problem: 'rule-id-repeated', rule: 1, member: 'id' }]);
  });

  test('have at most 1,000 patterns of all kinds', () => {
    const names = (count: number, create: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => create(at));
    const full = names(10, (n) => String(n)).map(() => ({
      ...rule,
      conditions: {
        user_agents: names(40, (m) => `*${m}`),
        headers: names(30, (m) => `x-${m % 16}: ${m}`),
        paths: names(30, (m) => `/${m}`),
      },
    }));
    expect(errorsOf(full)).toEqual([]);
    for (const conditions of [{ user_agents: ['*'] }, { headers: ['x-0: *'] }, { paths: ['*'] }])
      expect(errorsOf([...full, { ...rule, conditions }])).toEqual([
        { problem: 'patterns-too-many', rule: 10 },
      ]);
    for (const [member, of] of [
      ['user_agents', (at: number) => `*${at}`],
      ['headers', (at: number) => `x-a: ${at}`],
      ['paths', (at: number) => `/${at}`],
    ] as const) {
      const list = names(10, (n) => String(n)).map(() => ({
        ...rule,
        conditions: { [member]: names(100, of) },
      }));
      expect(errorsOf(list)).toEqual([]);
      expect(errorsOf([...list, { ...rule, conditions: { [member]: [of(1)] } }])).toHaveLength(1);
    }
    const sixteen = names(16, (n) => `x-${n}: *`);
    expect(errorsOf([{ ...rule, conditions: { headers: [...sixteen, '!x-3', 'x-4: b'] } }])).toEqual([]);
  });

  test('have at most 256 KiB as JSON', () => {
    const networks = Array.from({ length: 10_000 }, (_, n) => `10.${n >> 8}.${n & 255}.0`);
    const sizeOf = (list: readonly object[]) => Buffer.byteLength(JSON.stringify(list)) + 1;
    const of = (count: number, name: string) => ({
      name,
      enabled: true,
      dry_run: false,
      action: 'block',
      conditions: { networks: networks.slice(0, count) },
    });
    const first = of(10_000, 'first');
    const isSmall = (networksOfSecond: number) =>
      sizeOf([first, of(networksOfSecond, 'x')]) <= RULE_LIMITS.bytes;
    let [count, tooMany] = [1, 10_000];
    while (tooMany - count > 1) {
      const middle = (count + tooMany) >> 1;
      if (isSmall(middle)) count = middle;
      else tooMany = middle;
    }
    const name = 'x'.repeat(1 + RULE_LIMITS.bytes - sizeOf([first, of(count, 'x')]));
    expect(sizeOf([first, of(count, name)])).toBe(RULE_LIMITS.bytes);
    expect(errorsOf([first, of(count, name)])).toEqual([]);
    expect(errorsOf([first, of(count, `${name}x`)])).toEqual([{ problem: 'rules-too-large', rule: 1 }]);
  });

  test('with errors have no other ones: limits of the list are checked when all rules are valid', () => {
    const twin = { ...rule, id: '00000000000000aa' };
    const bad = { ...rule, action: 'x' };
    expect(errorsOf([twin, twin, bad])).toEqual([{ problem: 'action-unknown', rule: 2, member: 'action' }]);
    expect(errorsOf(Array.from({ length: 101 }, () => bad))).toEqual([
      { problem: 'rules-too-many', rule: 100 },
    ]);
  });

  test('have at most 100 errors, also within one rule', () => {
    const asns = Array.from({ length: 300 }, () => 0);
    expect(errorsIn({ asns })).toHaveLength(RULE_LIMITS.errors);
  });

  test('have no members that they do not need', () => {
    const parsed = parseRules([rule]);
    if (!parsed.ok) throw new Error('the rule has errors');
    const [one] = parsed.value;
    expect(Object.keys(one ?? {}).toSorted()).toEqual([
      'action',
      'conditions',
      'isDryRun',
      'isEnabled',
      'name',
    ]);
    expect(one && Object.keys(toWireRule(one))).toEqual([
      'name',
      'enabled',
      'dry_run',
      'action',
      'conditions',
    ]);
    expect(errorsIn({ networks: [7] }).map((error) => Object.keys(error))).toEqual([
      ['problem', 'member', 'entry'],
    ]);
  });

  test.each([
    [{ name: 'x', action: 'block' }, [['conditions-missing', 'conditions']]],
    [
      { ...rule, conditions: 'x' },
      [
        ['conditions-not-an-object', 'conditions'],
        ['conditions-missing', 'conditions'],
      ],
    ],
    [
      { ...rule, conditions: { x: [] } },
      [
        ['member-unknown', 'conditions'],
        ['conditions-missing', 'conditions'],
      ],
    ],
    [{ ...rule, id: 1_234_567_890_123_456 }, [['rule-id-malformed', 'id']]],
    [{ ...rule, action: 'set', level: '7' }, [['level-malformed', 'level']]],
  ])('%j has exactly its errors', (given, expected) => {
    expect(errorsOf([given]).map(({ problem, member }) => [problem, member as string])).toEqual(expected);
  });

  test('have different entries if their keys differ in any way', () => {
    expect(errorsIn({ networks: ['0:1:0:b::/64', '0:b:0:1::/64'] })).toEqual([]);
    expect(errorsIn({ user_agents: ['straße*', 'strasse*'] })).toEqual([]);
    expect(errorsIn({ headers: ['x-a: ß', 'x-a: ss', 'x-b: ß', '!x-a'] })).toEqual([]);
    expect(errorsIn({ user_agents: ['a'.repeat(256)] })).toEqual([]);
  });

  test.each(['Authorization', 'COOKIE', 'Proxy-Authorization', 'x-api-key'])(
    'cannot depend on the header %s',
    (name) => {
      const expected = [{ problem: 'header-not-accepted', member: 'headers', entry: 0, offset: 0 }] as never;
      expect(errorsIn({ headers: [`${name}: *`] })).toEqual(expected);
      expect(errorsIn({ headers: [`!${name}`] })).toEqual(expected);
    },
  );

  test('tell a missing header from a value with an exclamation mark', () => {
    expect(parseRules([{ ...rule, conditions: { headers: ['x-a: !y'] } }])).toMatchObject({
      value: [{ conditions: { headers: ['x-a: !y'] } }],
    });
    expect(errorsIn({ headers: ['!x-a: b'] })).toMatchObject([{ problem: 'header-malformed' }]);
  });

  test('can have patterns with spaces and commas in texts, and texts have the limits of lists', () => {
    const conditions = { headers: 'accept-language: de, en*\n!x-test', paths: '/a b\n/c;d,e' };
    expect(parseRules([{ ...rule, conditions }], { acceptsText: true })).toMatchObject({
      value: [
        { conditions: { headers: ['accept-language: de, en*', '!x-test'], paths: ['/a b', '/c;d,e'] } },
      ],
    });
    const asns = Array.from({ length: 1001 }, (_, n) => n + 1);
    expect(errorsIn({ asns: asns.join(' ') }, true)).toEqual([
      { problem: 'condition-too-long', member: 'asns', entry: 1000 },
    ]);
    expect(errorsIn({ asns: asns.slice(1).join(' ') }, true)).toEqual([]);
  });

  test('that are damaged in the database are not used', () => {
    expect(() => rulesFromJson('[{"name":"x"}]')).toThrow('the stored rules are damaged');
    expect(() => rulesFromJson(JSON.stringify([rule]))).toThrow('rule 0 has no id');
    const stored = { id: 1_234_567_890_123_456, ...rule, enabled: true, dry_run: false };
    expect(() => rulesFromJson(JSON.stringify([stored]))).toThrow('rule 0 has no id');
    expect(rulesFromJson(JSON.stringify([{ ...stored, id: String(stored.id) }]))).toHaveLength(1);
  });
});

test('a country has two uppercase letters, so an empty text is not a country', () => {
  expect(['DE', 'XK', 'AD', 'ZW'].every(isCountry)).toBe(true);
  expect(['', 'de', 'UK', 'D', 'DEU'].some(isCountry)).toBe(false);
});
