import { describe, expect, test } from 'bun:test';
import type { AppliedRules } from '../../../src/captcha/rules/ruleCache.ts';
import { createDecide, toRuling } from '../../../src/captcha/rules/rulings.ts';
import type { Instant } from '../../../src/lib/time.ts';
import type { RuleAction } from '../../../src/model/rules/rule.ts';
import { compile, newRules, toSource } from './rules.ts';

const property = { level: 100, growth: 'fast' } as const;

describe('a ruling', () => {
  test.each<[RuleAction, object]>([
    [{ kind: 'block' }, { kind: 'block' }],
    [{ kind: 'allow' }, { kind: 'issue', level: 1, growth: 'constant', countsAsLoad: false }],
    [
      { kind: 'adjust', levels: 16 },
      { kind: 'issue', level: 116, growth: 'fast', countsAsLoad: true },
    ],
    [
      { kind: 'adjust', levels: -200 },
      { kind: 'issue', level: 1, growth: 'fast', countsAsLoad: true },
    ],
    [
      { kind: 'adjust', levels: 200 },
      { kind: 'issue', level: 255, growth: 'fast', countsAsLoad: true },
    ],
    [
      { kind: 'set', level: 7 },
      { kind: 'issue', level: 7, growth: 'fast', countsAsLoad: true },
    ],
  ])('of the action %p is %p', (action, expected) => {
    expect(toRuling(action, property)).toEqual(expected as never);
  });
});

describe('the rules for a puzzle', () => {
  const source = () => ({ address: () => undefined, header: () => null, path: () => undefined });

  /** A list in which the rules with these indexes match. */
  function listOf(
    actions: readonly (RuleAction & { readonly isDryRun?: boolean })[],
    matching: readonly number[],
  ) {
    const bits = new Uint32Array(Math.ceil(actions.length / 32));
    for (const index of matching) bits[index >>> 5] = (bits[index >>> 5] as number) | (1 << (index & 31));
    const rules = actions.map((action, index) => ({
      id: `${action.kind}${index}`,
      action,
      isDryRun: action.isDryRun ?? false,
    }));
    return { match: () => bits, rules };
  }

  function decideWith(lists: { readonly installation?: object; readonly property?: object }) {
    const hits: string[] = [];
    const decide = createDecide({ geoip: () => ({}) as never, countHit: ({ id }) => hits.push(id) });
    const applied = { installation: undefined, property: undefined, ...lists } as unknown as AppliedRules;
    return { ruling: decide(property, applied, source, 0 as Instant), hits };
  }

  test('decide nothing if none matches', () => {
    expect(decideWith({})).toEqual({ ruling: undefined, hits: [] });
    const none = listOf([{ kind: 'block' }], []);
    expect(decideWith({ installation: none, property: none })).toEqual({ ruling: undefined, hits: [] });
  });

  test('decide by the first match that is not a dry run, and count the hits up to it', () => {
    const actions = [
      { kind: 'block', isDryRun: true },
      { kind: 'allow' },
      { kind: 'set', level: 9 },
      { kind: 'block' },
    ] as const;
    const { ruling, hits } = decideWith({ property: listOf(actions, [0, 2, 3]) });
    expect(ruling).toMatchObject({ level: 9 });
    expect(hits).toEqual(['block0', 'set2']);
  });

  test('of the installation decide before those of the property', () => {
    const installation = listOf([{ kind: 'set', level: 5 }], [0]);
    const own = listOf([{ kind: 'block' }], [0]);
    expect(decideWith({ installation, property: own })).toMatchObject({
      ruling: { level: 5 },
      hits: ['set0'],
    });
    const dry = listOf([{ kind: 'allow', isDryRun: true }], [0]);
    expect(decideWith({ installation: dry, property: own })).toEqual({
      ruling: { kind: 'block' },
      hits: ['allow0', 'block0'],
    });
  });
});

describe('rules that were compiled', () => {
  const sent = (userAgent: string) => toSource({ userAgent, address: '192.0.2.1' });

  test('are compared with the request, the facts about its address, and no earlier request', () => {
    const rules = newRules([{ userAgents: ['curl*'] }, { countries: ['DE'] }]);
    const geoip = { country: 'FR' as string | undefined, asn: undefined };
    const decide = createDecide({ geoip: () => geoip, countHit: () => {} });
    const applied: AppliedRules = { installation: undefined, property: compile(rules) };
    const decided = (userAgent: string) => decide(property, applied, () => sent(userAgent), 0 as Instant);
    expect(decided('curl/8')).toEqual({ kind: 'block' });
    expect(decided('Firefox')).toBeUndefined();
    geoip.country = 'DE';
    expect(decided('Firefox')).toEqual({ kind: 'block' });
  });

  test('that set a level result in a puzzle with this level', () => {
    const [rule] = newRules([{ userAgents: ['*'] }]);
    if (rule === undefined) throw new Error('no rule');
    const decide = createDecide({
      geoip: () => ({ country: undefined, asn: undefined }),
      countHit: () => {},
    });
    const applied: AppliedRules = {
      installation: compile([{ ...rule, action: { kind: 'set', level: 9 } }]),
      property: undefined,
    };
    expect(decide(property, applied, () => sent('x'), 0 as Instant)).toEqual({
      kind: 'issue',
      level: 9,
      growth: 'fast',
      countsAsLoad: true,
    });
  });
});
