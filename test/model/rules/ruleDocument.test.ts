import { describe, expect, test } from 'bun:test';
import { isCount } from '../../../src/lib/json.ts';
import type { Instant } from '../../../src/lib/time.ts';
import type { Rule, RuleId } from '../../../src/model/rules/rule.ts';
import {
  pathOfError,
  readRuleFile,
  sentenceOfError,
  toRuleDocument,
  toWireTest,
  withoutAllHits,
  withoutHits,
} from '../../../src/model/rules/ruleDocument.ts';

const NOW = Date.UTC(2026, 0, 31) as Instant;

function rule(id: string, action: Rule['action']): Rule {
  return {
    id: id as RuleId,
    name: `Rule ${id}`,
    isEnabled: true,
    isDryRun: false,
    action,
    conditions: { countries: ['DE'] },
  };
}

test('a document has the rules in the format of the API, with their hits', () => {
  const hits = { hits: 3, lastHitAt: NOW };
  const rules = [
    { ...rule('a', { kind: 'block' }), hits },
    { ...rule('b', { kind: 'set', level: 9 }), hits: undefined },
  ];
  expect(toRuleDocument({ revision: 7, changedAt: NOW, rules })).toMatchObject({
    revision: 7,
    changed_at: '2026-01-31T00:00:00.000Z',
    rules: [
      {
        id: 'a',
        action: 'block',
        conditions: { countries: ['DE'] },
        hits: 3,
        last_hit_at: '2026-01-31T00:00:00.000Z',
      },
      { id: 'b', action: 'set', level: 9, hits: 0, last_hit_at: null },
    ],
  });
  expect(toRuleDocument({ revision: 0, changedAt: undefined, rules: [] })).toEqual({
    revision: 0,
    changed_at: null,
    rules: [],
  });
});

test('what clients cannot set is removed from rules that they send back', () => {
  const sent = { name: 'x', hits: 3, last_hit_at: null, other: 1 };
  expect(withoutHits(sent)).toEqual({ name: 'x', other: 1 });
  for (const value of [null, 5, 'text', undefined]) expect(withoutHits(value)).toBe(value);
  expect(withoutAllHits([sent, 'text'])).toEqual([{ name: 'x', other: 1 }, 'text']);
  expect(withoutAllHits('text')).toBe('text');
});

describe('a file of rules', () => {
  const list = [{ name: 'x' }];

  test.each<[string, unknown, ReturnType<typeof readRuleFile>]>([
    ['an array', [{ name: 'x', hits: 1 }], { ok: true, rules: list, revision: undefined }],
    ['another value', 'text', { ok: true, rules: 'text', revision: undefined }],
    ['an object', { rules: [{ name: 'x', hits: 1 }] }, { ok: true, rules: list, revision: undefined }],
    [
      'an object with a revision',
      { rules: list, revision: 0, changed_at: null },
      { ok: true, rules: list, revision: 0 },
    ],
    ['an object with other members', { rules: list, extra: 1 }, { ok: false, unknown: '"extra"' }],
    ['an object without rules', { revision: 1 }, { ok: false, unknown: undefined }],
    ['an object with an invalid revision', { rules: list, revision: -1 }, { ok: false, unknown: undefined }],
  ])('can be %s', (_, value, expected) => {
    expect(readRuleFile(value)).toEqual(expected);
  });

  test.each<[unknown, boolean]>([
    [0, true],
    [1, true],
    [Number.MAX_SAFE_INTEGER, true],
    [-1, false],
    [0.5, false],
    [2 ** 53, false],
    ['1', false],
    [null, false],
    [undefined, false],
  ])('has a revision that is a whole number, unlike others: %p %p', (value, expected) => {
    expect(isCount(value)).toBe(expected);
  });
});

test.each([
  [{}, ''],
  [{ rule: 1 }, 'rules[1]'],
  [{ rule: 1, member: 'name' }, 'rules[1].name'],
  [{ rule: 1, member: 'conditions' }, 'rules[1].conditions'],
  [{ rule: 0, member: 'networks' }, 'rules[0].conditions.networks'],
  [{ rule: 0, member: 'networks', entry: 2 }, 'rules[0].conditions.networks[2]'],
] as const)('the path of the error %j is %j', (position, expected) => {
  expect(
    pathOfError({ problem: 'rule-mistyped', ...position } as unknown as Parameters<typeof pathOfError>[0]),
  ).toBe(expected);
});

test('the sentence of an error contains the name of an unknown member', () => {
  expect(sentenceOfError({ problem: 'member-unknown', rule: 0, name: '"$&"' })).toBe(
    'The member "$&" is unknown; remove it or correct its name.',
  );
  expect(sentenceOfError({ problem: 'rules-not-a-list' })).toBe('The rules must be an array.');
});

test('the result of a test has null for everything that is unknown', () => {
  const puzzle = { level: 9 } as never;
  const match = {
    scope: 'installation',
    index: 2,
    role: 'decides',
    rule: rule('a', { kind: 'set', level: 9 }),
  };
  const gone = { scope: 'property', index: 0, role: 'dry-run', rule: undefined };
  const given = {
    country: 'DE',
    asn: 64_496,
    action: { kind: 'set', level: 9 },
    matches: [match, gone],
    puzzle,
  };
  expect(toWireTest(given as unknown as Parameters<typeof toWireTest>[0])).toEqual({
    country: 'DE',
    asn: 64_496,
    action: { action: 'set', level: 9 },
    matches: [
      {
        scope: 'installation',
        index: 2,
        role: 'decides',
        rule: { id: 'a', name: 'Rule a', action: 'set', level: 9 },
      },
      { scope: 'property', index: 0, role: 'dry-run', rule: null },
    ],
    puzzle,
  } as never);
  const unknown = { country: undefined, asn: undefined, action: undefined, matches: [], puzzle: undefined };
  expect(toWireTest(unknown as unknown as Parameters<typeof toWireTest>[0])).toEqual({
    country: null,
    asn: null,
    action: null,
    matches: [],
    puzzle: null,
  } as never);
});
