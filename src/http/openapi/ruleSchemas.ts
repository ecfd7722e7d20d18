import { ADJUSTMENT, RULE_ACTIONS, RULE_LIMITS, RULE_PROBLEMS, SET_LEVEL } from '../../model/rules/rule.ts';
import { type Schema, schema } from './builders.ts';

type Members = Readonly<Record<string, Schema>>;

const text = (description: string): Schema => ({ type: 'string', description });

const REVISION: Schema = {
  type: 'integer',
  minimum: 0,
  description:
    'The revision of the list that the change is based on. If the list has changed, the status is 409. Omit it to change the list regardless of its revision.',
};
const POSITION: Schema = {
  type: 'integer',
  minimum: 0,
  description:
    'The position of the rule, from 0. A number greater than the last position stands for the end of the list.',
};
const COUNTRY: Schema = {
  type: 'string',
  nullable: true,
  description: 'The country of the client address; null if it is unknown.',
};
const ASN: Schema = {
  type: 'integer',
  nullable: true,
  description: 'The autonomous system of the client address; null if it is unknown.',
};
const LEVELS: Schema = {
  type: 'integer',
  minimum: ADJUSTMENT.min,
  maximum: ADJUSTMENT.max,
  description:
    'Only with the action `adjust`: added to the level of the property. An increase of 8 doubles the work.',
};
const LEVEL: Schema = {
  type: 'integer',
  minimum: SET_LEVEL.min,
  maximum: SET_LEVEL.max,
  description: 'Only with the action `set`: replaces the level of the property.',
};
const ACTION: Schema = { type: 'string', enum: [...RULE_ACTIONS] };

function list(items: Schema, maxItems: number, description: string): Schema {
  return { type: 'array', description, minItems: 1, maxItems, items };
}

function entries(maxItems: number, description: string): Schema {
  return list({ type: 'string', maxLength: RULE_LIMITS.entryLength }, maxItems, description);
}

const { networks, userAgents, headers, countries, asns, paths } = RULE_LIMITS.entries;

const CONDITIONS: Members = {
  networks: entries(networks, 'Networks or addresses of clients, such as `192.0.2.0/24` or `2001:db8::1`.'),
  user_agents: entries(
    userAgents,
    'Patterns for the header User-Agent; `*` stands for any text. Case is ignored.',
  ),
  headers: entries(
    headers,
    '`name: pattern` for a header, or `!name` for a missing header. Case is ignored. A request must match one entry of each name.',
  ),
  countries: entries(
    countries,
    'Two-letter ISO 3166-1 codes. They match only if the server has a GeoIP file with countries.',
  ),
  asns: list(
    { type: 'integer', minimum: 1, maximum: 4_294_967_294 },
    asns,
    'Numbers of autonomous systems. They match only if the server has a GeoIP file with these numbers.',
  ),
  paths: entries(paths, 'Patterns for the path of the page, such as `/login*`. Case matters.'),
};

const RULE_MEMBERS: Members = {
  id: { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Assigned by the server.' },
  name: text('1 to 128 characters.'),
  enabled: { type: 'boolean', description: 'Whether the rule is used.' },
  dry_run: {
    type: 'boolean',
    description: 'Whether the rule only counts its hits. The next rules then decide.',
  },
  action: {
    ...ACTION,
    description:
      '`allow` issues a puzzle that is solved immediately, `block` issues none, `adjust` adds `levels` to the level of the property, and `set` replaces it with `level`.',
  },
  levels: LEVELS,
  level: LEVEL,
  conditions: schema('RuleConditions'),
};

const HITS: Members = {
  hits: {
    type: 'integer',
    minimum: 0,
    description:
      'Number of requests that the rule matched and that no earlier rule decided. Ignored in requests.',
  },
  last_hit_at: {
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the rule was last hit; null if it never was. Ignored in requests.',
  },
};

const REQUIRED_MEMBERS = ['name', 'action', 'conditions'];

function request(properties: Members, required: string[], description: string): Schema {
  return { type: 'object', description, required, properties, additionalProperties: false };
}

function response(properties: Members, description: string, required = Object.keys(properties)): Schema {
  return { type: 'object', description, required, properties };
}

const RULE_ERROR = response(
  {
    problem: { type: 'string', enum: Object.keys(RULE_PROBLEMS) },
    description: text('The problem in a sentence.'),
    path: text(
      'The position as a path, such as `rules[1].conditions.networks[0]`; empty if the error concerns the whole list.',
    ),
    index: { type: 'integer', minimum: 0, description: 'The position of the rule in the list, from 0.' },
    member: text('The member of the rule.'),
    entry: {
      type: 'integer',
      minimum: 0,
      description: 'The position of the entry in the condition, from 0.',
    },
    offset: {
      type: 'integer',
      minimum: 0,
      description: 'The position in the text of the entry, in UTF-16 code units.',
    },
  },
  'An error of a rule with its position. Members that do not apply are missing.',
  ['problem', 'description', 'path'],
);

/** Schemas of rules by name. */
// biome-ignore format: a table of schemas
export const RULE_SCHEMAS: Members = {
  RuleConditions: request(CONDITIONS, [], 'A request must meet every condition, and meets a condition if it matches an entry of its list. A rule has at least one condition.'),
  Rule: response({ ...RULE_MEMBERS, ...HITS }, 'A rule with its hits.', ['id', ...REQUIRED_MEMBERS, 'enabled', 'dry_run', 'hits', 'last_hit_at']),
  RuleInput: request({ ...RULE_MEMBERS, ...HITS }, REQUIRED_MEMBERS, 'A rule. By default, `enabled` is true and `dry_run` is false. A rule without `id` is new.'),
  RuleList: response({
    revision: { type: 'integer', minimum: 0, description: 'Increases with each change; 0 if there never were rules.' },
    changed_at: { type: 'string', format: 'date-time', nullable: true, description: 'The last change; null if there never were rules.' },
    rules: { type: 'array', items: schema('Rule'), description: 'In the order of evaluation.' },
  }, 'The rules of a property or of the installation.'),
  RuleReplacement: request({
    revision: REVISION,
    changed_at: { ...text('Ignored.'), nullable: true },
    rules: { type: 'array', maxItems: RULE_LIMITS.rules, items: schema('RuleInput'), description: 'All rules, in the order of evaluation. Rules with the id of a current rule keep their hits; other current rules are deleted.' },
  }, ['rules'], 'All rules.'),
  RuleAddition: request({ rule: schema('RuleInput'), position: POSITION, revision: REVISION }, ['rule'], 'A new rule. Without a position, it becomes the last one.'),
  RuleUpdate: request({ rule: schema('RuleInput'), revision: REVISION }, ['rule'], 'The whole rule; missing members get their defaults. The rule keeps its position and its hits.'),
  RuleMove: request({ position: POSITION, revision: REVISION }, ['position'], 'The new position of a rule.'),
  RuleRemoval: request({ revision: REVISION }, [], 'The revision, if the deletion depends on it.'),
  RuleTestRequest: request({
    address: text('The client address.'),
    user_agent: text('The header User-Agent.'),
    headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'Other headers by name.' },
    country: { ...text('Replaces the country of the client address.'), pattern: '^[A-Za-z]{2}$' },
    asn: { type: 'integer', minimum: 1, maximum: 4_294_967_294, description: 'Replaces the autonomous system of the client address.' },
    path: text('The path of the page.'),
  }, [], 'A request for a puzzle. Omit values that are unknown and headers that the request does not have.'),
  RuleTest: response({
    country: COUNTRY,
    asn: ASN,
    action: { type: 'object', nullable: true, required: ['action'], properties: { action: ACTION, levels: LEVELS, level: LEVEL }, description: 'What happens; null if no rule decides.' },
    matches: { type: 'array', items: schema('RuleMatch'), description: 'All enabled rules that match, in the order of evaluation.' },
    puzzle: {
      type: 'object',
      nullable: true,
      required: ['level', 'growth', 'difficulty'],
      properties: {
        level: { type: 'integer', minimum: 1, maximum: 255 },
        growth: { type: 'string', enum: ['constant', 'slow', 'medium', 'fast'] },
        difficulty: { type: 'integer', minimum: 1, maximum: 255, description: 'The difficulty for a new visitor now.' },
      },
      description: 'The puzzle; null if the request is blocked, and for the rules of the installation.',
    },
  }, 'What would happen to a request.'),
  RuleMatch: response({
    scope: { type: 'string', enum: ['installation', 'property'] },
    index: { type: 'integer', minimum: 0, description: 'The position of the rule in its list, from 0.' },
    role: { type: 'string', enum: ['effective', 'dry-run', 'not-reached'], description: '`effective`: the rule decides. `dry-run`: it is only counted. `not-reached`: an earlier rule decides.' },
    rule: { type: 'object', nullable: true, allOf: [schema('MatchedRule')], description: 'Null for a rule of the installation if the user is not an administrator.' },
  }, 'A rule that matches.'),
  MatchedRule: response({ id: text('The id of the rule.'), name: text('The name of the rule.'), action: ACTION, levels: LEVELS, level: LEVEL }, 'A rule and its action.', ['id', 'name', 'action']),
  RuleError: RULE_ERROR,
  RuleErrors: { ...response({ errors: { type: 'array', items: schema('RuleError') } }, 'The errors of the rules, at most 100; null for other problems.'), nullable: true },
  RuleErrorEnvelope: response({ meta: schema('Meta'), data: schema('RuleErrors') }, 'The request was rejected and changed nothing.'),
};

/** The data of success responses by the names of their envelopes. */
export const RULE_ENVELOPES: Members = {
  RuleListEnvelope: schema('RuleList'),
  RuleTestEnvelope: schema('RuleTest'),
};
