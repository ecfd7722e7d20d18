import { describe, expect, test } from 'bun:test';
import { parseRuleId, parseRules } from '../../../src/model/rules/parseRules.ts';
import { matchesPattern, parsePagePath, parsePattern } from '../../../src/model/rules/pattern.ts';
import { RULE_LIMITS } from '../../../src/model/rules/rule.ts';
import { rulesFromJson } from '../../../src/model/rules/rulesJson.ts';

function matches(pattern: string, text: string): boolean {
  const parsed = parsePattern(pattern);
  if (!parsed.ok) throw new Error(parsed.problem);
  return matchesPattern(parsed.value, text);
}

describe('a pattern', () => {
  test.each([
    ['abc', ['abc'], ['', 'ab', 'abcd', 'xabc']],
    ['', [''], ['a']],
    ['*', ['', 'a', 'a*b'], []],
    ['a*', ['a', 'ab'], ['', 'ba', 'xa']],
    ['*a', ['a', 'ba'], ['', 'ab']],
    ['a*b', ['ab', 'axb', 'abab'], ['a', 'b', 'ba', 'abx', 'xab']],
    ['*a*', ['a', 'xay'], ['', 'b']],
    ['a*b*c', ['abc', 'axbyc', 'abbc'], ['ac', 'acb', 'bac', 'abcx']],
    ['ab*ba', ['abba', 'abxba'], ['aba', 'ab', 'ba']],
    ['*ab*ab*', ['abab', 'xabyabz'], ['ab', 'aba']],
    ['a\\*b', ['a*b'], ['ab', 'axb', 'a\\*b']],
    ['a\\\\b', ['a\\b'], ['a\\\\b', 'ab']],
  ])('%j', (pattern, accepted, rejected) => {
    expect(accepted.filter((text) => !matches(pattern, text))).toEqual([]);
    expect(rejected.filter((text) => matches(pattern, text))).toEqual([]);
  });

  test.each([
    ['a\\', 1],
    ['a\\b', 1],
    ['ab\u0000', 2],
    ['\u001f', 0],
    ['a\u007f', 1],
    ['a\u009f', 1],
  ])('%j is malformed at %i', (pattern, offset) => {
    expect(parsePattern(pattern)).toEqual({ ok: false, problem: 'pattern-malformed', offset });
  });

  test('can have printable characters of every range', () => {
    for (const text of [' ', '~', '\u00a0', 'é', '😀']) expect(matches(text, text)).toBe(true);
  });

  test('has a maximum number of wildcards', () => {
    const most = '*'.repeat(RULE_LIMITS.wildcards);
    expect(parsePattern(most).ok).toBe(true);
    const offset = RULE_LIMITS.wildcards;
    expect(parsePattern(`${most}*`)).toEqual({ ok: false, problem: 'wildcards-too-many', offset });
  });
});

test.each([
  ['/a?b#c', '/a'],
  ['/', '/'],
  [`/${'a'.repeat(2047)}`, `/${'a'.repeat(2047)}`],
  [`/${'a'.repeat(2048)}`, undefined],
  ['//host/a', undefined],
  ['/\\host/a', undefined],
  ['a', undefined],
  ['', undefined],
  ['https://host/a', undefined],
])('the path of %j is %j', (text, path) => {
  expect(parsePagePath(text)).toBe(path as never);
});

test('the id of a rule has 16 hexadecimal digits', () => {
  const id = '0123456789abcdef';
  expect(parseRuleId(id)).toBe(id as never);
  for (const text of ['', id.slice(1), `${id}0`, `0${id}`, id.toUpperCase()])
    expect(parseRuleId(text)).toBeUndefined();
});

describe('stored rules', () => {
  const rule = {
    id: '0123456789abcdef',
    name: 'A',
    enabled: true,
    dry_run: false,
    action: 'block',
    conditions: { user_agents: ['a*'] },
  };

  test('are read as they were written', () => {
    expect(rulesFromJson(JSON.stringify([rule]))).toEqual([
      {
        id: rule.id as never,
        name: 'A',
        isEnabled: true,
        isDryRun: false,
        action: { kind: 'block' },
        conditions: { userAgents: ['a*'] },
      },
    ]);
  });

  test.each([
    ['not an array', {}],
    ['rule 0 has no id', [{ ...rule, id: 7 }]],
    ['rule 0 has no id', [{ ...rule, id: 'x' }]],
    ['rule 0 has the action', [{ ...rule, action: 'x' }]],
    ['rule 0 is incomplete', [{ ...rule, name: 7 }]],
    ['rule 0 is incomplete', [{ ...rule, enabled: 1 }]],
    ['rule 0 is incomplete', [{ ...rule, dry_run: undefined }]],
    ['rule 0 has no conditions', [{ ...rule, conditions: null }]],
    ['rule 0 has no conditions', [{ ...rule, conditions: 'a' }]],
    ['rule 0 has the condition x', [{ ...rule, conditions: { x: [] } }]],
    ['rule 0 has the condition asns', [{ ...rule, conditions: { asns: '1' } }]],
  ])('that are damaged throw: %s', (message, stored) => {
    expect(() => rulesFromJson(JSON.stringify(stored))).toThrow(message);
  });
});

describe('a rule with a wrong member', () => {
  const rule = { name: 'A', action: 'block', conditions: { asns: [1] } };
  const problemsOf = (changed: object) => {
    const parsed = parseRules([{ ...rule, ...changed }]);
    return parsed.ok ? [] : parsed.errors.map(({ problem }) => problem);
  };

  test.each<[string, object]>([
    ['rule-id-malformed', { id: 7 }],
    ['rule-name-malformed', { name: 7 }],
    ['rule-name-empty', { name: undefined }],
    ['boolean-malformed', { enabled: 'true' }],
    ['boolean-malformed', { dry_run: 0 }],
    ['levels-malformed', { action: 'adjust', levels: 1.5 }],
    ['levels-malformed', { action: 'adjust', levels: '1' }],
    ['level-malformed', { action: 'set', level: 0 }],
    ['level-malformed', { action: 'set', level: 256 }],
    ['conditions-not-an-object', { conditions: 7 }],
    ['member-unknown', { conditions: { asns: [1], x: [] } }],
    ['member-unknown', { x: 1 }],
    ['asn-malformed', { conditions: { asns: [0] } }],
    ['asn-malformed', { conditions: { asns: [2 ** 32 - 1] } }],
    ['asn-malformed', { conditions: { asns: [1.5] } }],
    ['asn-malformed', { conditions: { asns: ['as1x'] } }],
    ['asn-malformed', { conditions: { asns: ['xas1'] } }],
    ['entry-repeated', { conditions: { networks: ['1.11.1.1', '1.11.1.1/32'] } }],
    ['entry-repeated', { conditions: { user_agents: ['A*', 'a*'] } }],
    ['entry-repeated', { conditions: { headers: ['x-a: B', 'X-A: b'] } }],
    ['entry-repeated', { conditions: { headers: ['!x-a', '! X-A'] } }],
    ['path-malformed', { conditions: { paths: ['a/b'] } }],
    ['path-malformed', { conditions: { paths: ['?a'] } }],
    ['pattern-malformed', { conditions: { paths: ['/a\\b'] } }],
    ['condition-not-a-list', { conditions: { paths: '/a' } }],
    ['condition-not-a-list', { conditions: { paths: '' } }],
  ])('has the problem %s: %p', (problem, changed) => {
    expect(problemsOf(changed)).toContain(problem as never);
  });

  test('has other entries that are valid', () => {
    expect(problemsOf({ id: '0123456789abcdef' })).toEqual([]);
    expect(problemsOf({ action: 'set', level: 1 })).toEqual([]);
    expect(problemsOf({ conditions: { networks: ['1.11.1.1', '11.1.1.1'], asns: [2 ** 32 - 2] } })).toEqual(
      [],
    );
    expect(problemsOf({ conditions: { headers: ['x-a: a', '!x-a', '!x-b'] } })).toEqual([]);
  });
});
