import { isCount } from '../../lib/json.ts';
import { done, reject } from '../../lib/outcome.ts';
import { SETTING_FIELDS } from '../../model/propertyFields.ts';
import type { RuleTestRequest } from '../../model/rules/evaluation.ts';
import {
  ADJUSTMENT,
  CONDITION_NAMES,
  DOWNGRADES,
  downgradeOf,
  RULE_ACTIONS,
  RULE_LIMITS,
  RULE_PROBLEMS,
  type RuleCondition,
  type RuleError,
  SET_LEVEL,
} from '../../model/rules/rule.ts';
import { pathOfError, sentenceOfError } from '../../model/rules/ruleDocument.ts';
import { type Schema, schema } from '../operationDocs.ts';
import type { OperationResult } from './operation.ts';
import { createParseObject, type Parsed } from './parsing.ts';
import { count, envelope, type Members, request, response, schemaOf, text, time } from './schemas.ts';

/** The bodies of the operations on rules: parsers, schemas, and errors. */

const LEVELS = schema('RuleLevels');
const LEVELS_SCHEMA: Schema = {
  type: 'integer',
  minimum: ADJUSTMENT.min,
  maximum: ADJUSTMENT.max,
  description: 'With the action `adjust`: added to the level of the property. 8 more levels double the work.',
};
const LEVEL = schema('RuleLevel');
const LEVEL_SCHEMA: Schema = {
  type: 'integer',
  minimum: SET_LEVEL.min,
  maximum: SET_LEVEL.max,
  description: 'With the action `set`: replaces the level of the property.',
};
const DOWNGRADE: Schema = { type: 'string', enum: [...DOWNGRADES] };
const ACTION = schema('RuleAction');
const ACTION_SCHEMA: Schema = {
  type: 'string',
  enum: [...RULE_ACTIONS],
  description:
    '`allow` issues a puzzle that is solved immediately, `block` issues none, `adjust` adds `levels` to the level of the property, and `set` replaces it with `level`.',
};
const ASN = { type: 'integer', minimum: 1, maximum: 4_294_967_294 } as const;

const REVISION = {
  name: 'revision',
  parse: parseNumber,
  schema: schema('RuleRevision'),
} as const;
const REVISION_SCHEMA = count(
  'The revision on which the change is based. If the list has changed, the status is 409. Omit it to change any revision.',
);
const POSITION = {
  name: 'position',
  parse: parseNumber,
  schema: count(
    'The position of the rule, from 0. A number greater than the last position stands for the end of the list.',
  ),
} as const;

function parseNumber(value: unknown) {
  return isCount(value) ? done(value) : reject('rules-number-malformed');
}

/** The use case parses the rules. */
const RULE = { name: 'rule', parse: done<unknown>, schema: schema('RuleInput') } as const;
const RULES = {
  name: 'rules',
  parse: done<unknown>,
  schema: {
    type: 'array',
    maxItems: RULE_LIMITS.rules,
    items: schema('RuleInput'),
    description:
      'All rules, in the order of evaluation. Rules with the id of a current rule keep their hits; other current rules are deleted.',
  },
} as const;
/** A client can send the whole list back as it received it. */
const CHANGED_AT = {
  name: 'changed_at',
  parse: done<unknown>,
  schema: { ...text('Ignored.'), nullable: true },
} as const;

const REPLACEMENT = { rules: RULES, revision: REVISION, changedAt: CHANGED_AT };
const ADDITION = { rule: RULE, position: POSITION, revision: REVISION };
const UPDATE = { rule: RULE, revision: REVISION };
const MOVE = { position: { ...POSITION, missing: 'rules-number-malformed' } as const, revision: REVISION };
const REMOVAL = { revision: REVISION };

export const parseReplacement = createParseObject(REPLACEMENT);
export const parseAddition = createParseObject(ADDITION);
export const parseUpdate = createParseObject(UPDATE);
export const parseMove = createParseObject(MOVE);
export const parseRemoval = createParseObject(REMOVAL);

const TEXT_MAX_LENGTH = 8192;
const HEADERS_MAX = 64;

const HEADERS: Schema = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Other headers by name.',
};
const COUNTRY: Schema = { ...text('Replaces the country of the client address.'), pattern: '^[A-Za-z]{2}$' };

const member = (name: string, schema: Schema) => ({ name, parse: done<unknown>, schema });
const TEST_REQUEST = {
  address: member('address', text('The client address.')),
  userAgent: member('user_agent', text('The header User-Agent.')),
  headers: member('headers', HEADERS),
  country: member('country', COUNTRY),
  asn: member('asn', { ...ASN, description: 'Replaces the autonomous system of the client address.' }),
  path: member('path', text('The path of the page.')),
  downgrade: member('downgrade', {
    ...DOWNGRADE,
    description: 'The kind of work from which the puzzle is downgraded.',
  }),
};
const parseTestRequest = createParseObject(TEST_REQUEST);

/** Parses a request for the tester. Every member is optional. */
export function parseRuleTest(body: unknown): Parsed<RuleTestRequest> {
  const given = parseTestRequest(body);
  if (!given.ok) return given;
  const { address, userAgent, headers = {}, country, asn, path, downgrade } = given.value;
  const texts = Object.entries({ address, user_agent: userAgent, path });
  const long = texts.find(([, value]) => value !== undefined && !isText(value));
  if (long !== undefined)
    return mistyped(`${long[0]} must be a string of at most ${TEXT_MAX_LENGTH} characters`);
  if (!isHeaders(headers)) return mistyped(`headers must be an object of at most ${HEADERS_MAX} strings`);
  if (country !== undefined && !isCountry(country)) return mistyped('country must be a two-letter code');
  if (asn !== undefined && !isAsn(asn))
    return mistyped(`asn must be a whole number from ${ASN.minimum} to ${ASN.maximum}`);
  if (downgrade !== undefined && downgradeOf(downgrade) === undefined)
    return mistyped(`downgrade must be one of ${DOWNGRADES.join(', ')}`);
  return done({
    ...(isText(address) && { address }),
    ...(isText(userAgent) && { userAgent }),
    ...(isText(path) && { path }),
    headers,
    country: country?.toUpperCase(),
    asn,
    downgrade: downgradeOf(downgrade),
  });
}

function mistyped(detail: string): Parsed<never> {
  return { ok: false, problem: 'field-mistyped', detail };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TEXT_MAX_LENGTH;
}

function isCountry(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z]{2}$/.test(value);
}

function isAsn(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= ASN.minimum && Number(value) <= ASN.maximum;
}

function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length <= HEADERS_MAX && values.every(isText);
}

/** The response to rules with errors. `data.errors` lists them with their positions. */
export function toWireErrors(errors: readonly RuleError[]): Extract<OperationResult, { ok: false }> {
  const [first] = errors;
  const data = { errors: errors.map(toWireError) };
  if (first === undefined) return { ok: false, problem: 'rules-invalid', data };
  const path = pathOfError(first);
  const sentence = sentenceOfError(first).slice(0, -1);
  return {
    ok: false,
    problem: 'rules-invalid',
    detail: path === '' ? sentence : `${path}: ${sentence}`,
    data,
  };
}

function toWireError(error: RuleError) {
  const { problem, rule, member, entry, offset } = error;
  return {
    problem,
    description: sentenceOfError(error),
    path: pathOfError(error),
    ...(rule === undefined ? {} : { index: rule }),
    ...(member === undefined ? {} : { member }),
    ...(entry === undefined ? {} : { entry }),
    ...(offset === undefined ? {} : { offset }),
  };
}

const CONDITION_TEXTS: Readonly<Record<RuleCondition, string>> = {
  networks: 'Networks or addresses of clients, such as `192.0.2.0/24` or `2001:db8::1`.',
  userAgents: 'Patterns for the header User-Agent; `*` stands for any text. Case is ignored.',
  headers:
    '`name: pattern` for a header, or `!name` for a missing header. Case is ignored. A request must match one entry of each name.',
  countries: 'Two-letter ISO 3166-1 codes. They match only if the server has a GeoIP file with countries.',
  asns: 'Numbers of autonomous systems. They match only if the server has a GeoIP file with these numbers.',
  paths: 'Patterns for the path of the page, such as `/login*`. Case matters.',
  downgrades:
    'Kinds of work of properties. They match if the client announces an older version of puzzles and would get a BLAKE2b puzzle.',
};

const ENTRY_SCHEMAS: Readonly<Partial<Record<RuleCondition, Schema>>> = { asns: ASN, downgrades: DOWNGRADE };

const CONDITIONS = Object.fromEntries(
  (Object.keys(CONDITION_NAMES) as RuleCondition[]).map((condition) => {
    const items = ENTRY_SCHEMAS[condition] ?? { type: 'string', maxLength: RULE_LIMITS.entryLength };
    const [maxItems, description] = [RULE_LIMITS.entries[condition], CONDITION_TEXTS[condition]];
    const list: Schema = { type: 'array', description, minItems: 1, maxItems, items };
    return [condition, member(CONDITION_NAMES[condition], list)];
  }),
);

const RULE_MEMBERS: Members = {
  id: { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Assigned by the server.' },
  name: text('1 to 128 characters.'),
  enabled: { type: 'boolean', description: 'Whether the rule is used.' },
  dry_run: {
    type: 'boolean',
    description: 'Whether the rule only counts its hits. The next rules then decide.',
  },
  action: ACTION,
  levels: LEVELS,
  level: LEVEL,
  conditions: schema('RuleConditions'),
  hits: count('Requests that the rule matched and that no earlier rule decided. Ignored in requests.'),
  last_hit_at: {
    ...time('When the rule was last hit; null if it never was. Ignored in requests.'),
    nullable: true,
  },
};

const REQUIRED_MEMBERS = ['name', 'action', 'conditions'];

// biome-ignore format: a table of schemas
export const RULE_SCHEMAS: Members = {
  RuleConditions: request(CONDITIONS, 'A request must meet every condition, and meets a condition if it matches an entry of its list. A rule has at least one condition.'),
  Rule: response(RULE_MEMBERS, 'A rule with its hits.', ['id', ...REQUIRED_MEMBERS, 'enabled', 'dry_run', 'hits', 'last_hit_at']),
  RuleInput: { ...response(RULE_MEMBERS, 'A rule. By default, `enabled` is true and `dry_run` is false. A rule without `id` is new.', REQUIRED_MEMBERS), additionalProperties: false },
  RuleList: response({
    revision: count('Increases with each change; 0 if there never were rules.'),
    changed_at: { ...time('The last change; null if there never were rules.'), nullable: true },
    rules: { type: 'array', items: schema('Rule'), description: 'In the order of evaluation.' },
  }, 'The rules of a property or of the installation.'),
  RuleRevision: REVISION_SCHEMA,
  RuleAction: ACTION_SCHEMA,
  RuleLevels: LEVELS_SCHEMA,
  RuleLevel: LEVEL_SCHEMA,
  RuleReplacement: { ...request(REPLACEMENT, 'All rules.'), required: ['rules'] },
  RuleAddition: { ...request(ADDITION, 'A new rule. Without a position, it becomes the last one.'), required: ['rule'] },
  RuleUpdate: { ...request(UPDATE, 'The whole rule; missing members get their defaults. The rule keeps its position and its hits.'), required: ['rule'] },
  RuleMove: request(MOVE, 'The new position of a rule.'),
  RuleRemoval: request(REMOVAL, 'The revision, if the deletion depends on it.'),
  RuleTestRequest: request(TEST_REQUEST, 'A request for a puzzle. Omit values that are unknown and headers that the request does not have.'),
  RuleTest: response({
    country: { ...text('The country of the client address; null if it is unknown.'), nullable: true },
    asn: { type: 'integer', nullable: true, description: 'The autonomous system of the client address; null if it is unknown.' },
    action: { ...response({ action: ACTION, levels: LEVELS, level: LEVEL }, 'What happens; null if no rule decides.', ['action']), nullable: true },
    matches: { type: 'array', items: schema('RuleMatch'), description: 'All enabled rules that match, in the order of evaluation.' },
    puzzle: {
      ...response({
        level: schemaOf(SETTING_FIELDS.level, ''),
        growth: schemaOf(SETTING_FIELDS.growth, ''),
        difficulty: schemaOf(SETTING_FIELDS.level, 'The difficulty for a new visitor now.'),
      }, 'The puzzle; null if the request is blocked, and for the rules of the installation.'),
      nullable: true,
    },
  }, 'What would happen to a request.'),
  RuleMatch: response({
    scope: { type: 'string', enum: ['installation', 'property'] },
    index: count('The position of the rule in its list, from 0.'),
    role: { type: 'string', enum: ['effective', 'dry-run', 'not-reached'], description: '`effective`: the rule decides. `dry-run`: it is only counted. `not-reached`: an earlier rule decides.' },
    rule: { type: 'object', nullable: true, allOf: [schema('MatchedRule')], description: 'Null for a rule of the installation if the user is not an administrator.' },
  }, 'A rule that matches.'),
  MatchedRule: response({ id: text('The id of the rule.'), name: text('The name of the rule.'), action: ACTION, levels: LEVELS, level: LEVEL }, 'A rule and its action.', ['id', 'name', 'action']),
  RuleError: response({
    problem: { type: 'string', enum: Object.keys(RULE_PROBLEMS) },
    description: text('The problem in a sentence.'),
    path: text('The position as a path, such as `rules[1].conditions.networks[0]`; empty if the error concerns the whole list.'),
    index: count('The position of the rule in the list, from 0.'),
    member: text('The member of the rule.'),
    entry: count('The position of the entry in the condition, from 0.'),
    offset: count('The position in the text of the entry, in UTF-16 code units.'),
  }, 'An error of a rule with its position. Members that do not apply are missing.', ['problem', 'description', 'path']),
  RuleErrors: { ...response({ errors: { type: 'array', items: schema('RuleError') } }, 'The errors of the rules, at most 100; null for other problems.'), nullable: true },
  RuleErrorEnvelope: response({ meta: schema('Meta'), data: schema('RuleErrors') }, 'The request was rejected and changed nothing.'),
  RuleListEnvelope: envelope(schema('RuleList')),
  RuleTestEnvelope: envelope(schema('RuleTest')),
};
