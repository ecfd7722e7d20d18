import { compileRules } from '../../../../src/captcha/rules/compileRules.ts';
import { createRequestFacts } from '../../../../src/captcha/rules/requestFacts.ts';
import { nextBit } from '../../../../src/captcha/rules/ruleSets.ts';
import { createBatchParsers } from '../../../../src/http/api/propertyItems.ts';
import {
  parseAddition,
  parseMove,
  parseRemoval,
  parseReplacement,
  parseRuleTest,
  parseUpdate,
} from '../../../../src/http/api/ruleFields.ts';
import { exceededLimit } from '../../../../src/lib/json.ts';
import { runSteps } from '../../../../src/lib/pacer.ts';
import { parseRules, toWireRule } from '../../../../src/model/rules/parseRules.ts';
import { matchesPattern, parsePagePath, parsePattern } from '../../../../src/model/rules/pattern.ts';
import type { Rule, RuleId } from '../../../../src/model/rules/rule.ts';
import { readRuleFile } from '../../../../src/model/rules/ruleDocument.ts';
import { rulesFromJson, toRulesJson } from '../../../../src/model/rules/rulesJson.ts';
import { createOpaqueIds } from '../../../../src/platform/opaqueId.ts';
import { matchRules, newRules, toSource } from '../../../captcha/rules/rules.ts';
import { JSON_PUNCTUATION, must, mustEqual, type Target } from '../engine/target.ts';

/** Rules, and the other JSON bodies of the Platform API. */

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FULL = {
  id: '0123456789abcdef',
  name: 'Block a network',
  enabled: true,
  dry_run: false,
  action: 'adjust',
  levels: -8,
  conditions: {
    networks: ['192.0.2.0/24', '2001:db8::/32'],
    user_agents: ['*bot*', 'curl/*'],
    headers: ['accept: *', '!dnt'],
    countries: ['DE', 'xk'],
    asns: [64496, 'AS1'],
    paths: ['/login*'],
    downgrades: ['hashwx'],
  },
};
const SHORT = { name: 'x', action: 'block', conditions: { user_agents: ['*'] } };
const AS_TEXT = {
  name: 'y',
  action: 'set',
  level: 3,
  conditions: { networks: '10.0.0.0/8, ::1;\n1.2.3.4', paths: '/a\r\n/b', asns: 'AS5 6' },
};

const unknown = { country: undefined, asn: undefined };
const request = toSource({
  address: '192.0.2.1',
  userAgent: 'curl/8',
  headers: { accept: 'x' },
  path: '/login',
});

/** Rules that the parser accepts can be stored, compiled, and compared with a request. */
function checkAccepted(drafts: readonly Omit<Rule, 'id'>[]): void {
  const rules = drafts.map((draft, index) => ({
    ...draft,
    id: index.toString(16).padStart(16, '0') as RuleId,
  }));
  mustEqual(toRulesJson(rulesFromJson(toRulesJson(rules))), toRulesJson(rules), 'the stored rules');
  const facts = createRequestFacts(() => unknown);
  facts.begin(request);
  const matching = runSteps(compileRules('installation', rules)).match(facts);
  for (let at = nextBit(matching, 0); at >= 0; at = nextBit(matching, at + 1)) {
    must(rules[at]?.isEnabled === true, 'a rule matches that is not enabled');
  }
}

const JSON_TOKENS = [
  ...JSON_PUNCTUATION,
  'null',
  'true',
  'false',
  '1',
  '-0',
  '1e400',
  '{}',
  '[]',
  '""',
  '"__proto__":',
  '\\u0000',
  '\\ud800',
];

const rules: Target = {
  name: 'rules',
  share: 0.3,
  kind: 'text',
  seeds: [
    ...[
      [FULL, SHORT],
      [AS_TEXT],
      [],
      { revision: 3, changed_at: null, rules: [{ ...SHORT, hits: 1, last_hit_at: null }] },
    ].map((value) => JSON.stringify(value)),
  ],
  tokens: [
    ...JSON_TOKENS,
    '"id":',
    '"levels":',
    '"level":',
    '"headers":',
    '"!dnt"',
    '"a: b*"',
    '"10.0.0.0/8"',
    '"10.0.0.1/8"',
    '"AS1"',
    '"DE"',
    '\\\\',
    '\\*',
    '*',
  ],
  cost: { fixed: 60_000, perCharacter: 120 },
  check(input) {
    const value = parseJson(input);
    const file = readRuleFile(value);
    const results = [false, true].map((acceptsText) => {
      const parsed = parseRules(file.ok ? file.rules : undefined, { acceptsText });
      if (!parsed.ok) {
        must(parsed.errors.length > 0 && parsed.errors.length <= 100, 'the number of errors');
        return parsed;
      }
      const written = JSON.stringify(parsed.value.map(toWireRule));
      const again = parseRules(JSON.parse(written));
      must(again.ok, 'the written rules are rejected');
      mustEqual(JSON.stringify(again.value.map(toWireRule)), written, 'the rules that were written again');
      checkAccepted(parsed.value);
      return parsed;
    });
    const [strict, lenient] = results;
    if (strict?.ok) mustEqual(lenient, strict, 'the result if texts are accepted');
    return results;
  },
};

/** Whether a text consists of the parts of a pattern in order, with anything between them: a table of all prefixes of both. */
function matchesParts(parts: readonly string[], text: string): boolean {
  const units = parts.flatMap((part, index) => [...(index === 0 ? [] : [undefined]), ...part.split('')]);
  let row = Array.from({ length: text.length + 1 }, (_, at) => at === 0);
  for (const unit of units) {
    const next: boolean[] = [unit === undefined && row[0] === true];
    for (let at = 1; at <= text.length; at++) {
      const isMatch =
        unit === undefined
          ? row[at] === true || next[at - 1] === true
          : row[at - 1] === true && text[at - 1] === unit;
      next.push(isMatch);
    }
    row = next;
  }
  return row[text.length] === true;
}

const pattern: Target = {
  name: 'pattern',
  share: 0.3,
  kind: 'text',
  seeds: ['*bot*\nGooglebot/2', 'a\\*b\na*b', '/login*\n/login?x', 'abc\nabc', '*a*b*a\nababa', '\\\\*\n\\x'],
  tokens: ['*', '\\', '\\*', '\\\\', '\n', 'a', 'b', 'ab', '\u0130', '\x80'],
  maxLength: 100,
  check(input) {
    const [text = '', compared = ''] = input.split('\n', 2);
    const page = parsePagePath(compared);
    // `/.//a` is `//a`, which is a URL with another host.
    if (page !== undefined && !page.startsWith('//'))
      mustEqual(parsePagePath(page), page, 'the same path again');
    const parsed = parsePattern(text);
    if (!parsed.ok) {
      must(parsed.offset !== undefined && parsed.offset < text.length, 'the offset of the problem');
      return parsed;
    }
    // The reference takes quadratic time.
    if (input.length > 200) return [parsed, matchesPattern(parsed.value, compared)];
    const { parts } = parsed.value;
    mustEqual(matchesPattern(parsed.value, compared), matchesParts(parts, compared), 'the match');
    if (text === '' || text !== text.trim() || compared === '') return parsed;
    const lower = parts.map((part) => part.toLowerCase());
    const found = matchRules(newRules([{ userAgents: [text] }]), toSource({ userAgent: compared }), unknown);
    mustEqual(found.length > 0, matchesParts(lower, compared.toLowerCase()), 'the match in an index');
    return parsed;
  },
};

const ids = createOpaqueIds(new Uint8Array(32).fill(3));
const PROPERTY_ID = ids.seal('property', 5 as never);
const batches = createBatchParsers(ids);
const LIMITS = { tokens: 200, depth: 8 };

/** Separators and depth of a JSON value, counted in the value. */
function measure(value: unknown, depth = 0): { readonly tokens: number; readonly depth: number } {
  if (typeof value !== 'object' || value === null) return { tokens: 0, depth };
  const members = Object.values(value);
  const own = 2 + Math.max(0, members.length - 1) + (Array.isArray(value) ? 0 : members.length);
  const inner = members.map((member) => measure(member, depth + 1));
  return {
    tokens: inner.reduce((sum, { tokens }) => sum + tokens, own),
    depth: inner.reduce((deepest, one) => Math.max(deepest, one.depth), depth + 1),
  };
}

const apiBody: Target = {
  name: 'api-body',
  share: 0.3,
  kind: 'text',
  seeds: [
    [
      {
        name: 'Shop',
        domain: 'example.com',
        level: 128,
        growth: 'fast',
        challenge: 'argon2id',
        validity_seconds: 60,
        allow_subdomains: true,
        allow_localhost: false,
        max_replay_count: 2,
        enabled: true,
      },
    ],
    [{ id: PROPERTY_ID, sitekey: '0123456789abcdef0123456789abcdef', name: 'New name' }, { id: null }],
    [PROPERTY_ID],
    { rules: [SHORT], revision: 1, changed_at: null },
    { rule: SHORT, position: 0, revision: 1 },
    { address: '192.0.2.1', user_agent: 'x', headers: { accept: '*' }, country: 'de', asn: 1, path: '/' },
  ].map((value) => JSON.stringify(value)),
  tokens: [...JSON_TOKENS, '"name":', '"domain":', '"id":', PROPERTY_ID, '"position":', '"revision":'],
  check(input) {
    const bytes = new TextEncoder().encode(input);
    const exceeded = exceededLimit(bytes, LIMITS);
    const value = parseJson(input);
    if (value !== undefined) {
      const { tokens, depth } = measure(value);
      // Repeated members are in the text, but not in the value.
      if (tokens > LIMITS.tokens || depth > LIMITS.depth)
        must(exceeded !== undefined, 'a limit that was not noticed');
      if (JSON.stringify(value) === input)
        mustEqual(
          exceeded !== undefined,
          tokens > LIMITS.tokens || depth > LIMITS.depth,
          'whether a limit is exceeded',
        );
    }
    const creations = batches.creations(value);
    if (creations.ok)
      must(creations.value.length >= 1 && creations.value.length <= 128, 'the size of a batch');
    return [
      creations,
      batches.updates(value),
      batches.deletions(value),
      ...[parseReplacement, parseAddition, parseUpdate, parseMove, parseRemoval, parseRuleTest].map((parse) =>
        parse(value),
      ),
    ];
  },
};

export const RULE_TARGETS: readonly Target[] = [rules, pattern, apiBody];
