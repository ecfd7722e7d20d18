import { describe, expect, test } from 'bun:test';
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
    [[rule, { ...rule, x: 1 }], [{ problem: 'member-unknown', rule: 1 }]],
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

  test('that are damaged in the database are not used', () => {
    expect(() => rulesFromJson('[{"name":"x"}]')).toThrow('the stored rules are damaged');
    expect(() => rulesFromJson(JSON.stringify([rule]))).toThrow('rule 0 has no id');
  });
});
