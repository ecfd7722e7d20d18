import { done } from '../../lib/outcome.ts';
import type { Problem } from '../../model/problems.ts';
import type { RuleId, RuleScope } from '../../model/rules/rule.ts';
import { toRuleDocument, toWireTest, withoutAllHits, withoutHits } from '../../model/rules/ruleDocument.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Properties } from '../../platform/properties/properties.ts';
import type { RuleChange, RuleChangeProblem, Rules } from '../../platform/rules/rules.ts';
import { jsonBody, type Response, schema } from '../operationDocs.ts';
import type { Params, Route } from '../router.ts';
import {
  type Call,
  type CreateHandler,
  type Operation,
  type OperationResult,
  operationRoutes,
} from './operation.ts';
import {
  EXAMPLE_IDS,
  IN_PROPERTY,
  OBJECT_PROBLEMS,
  type PlatformOperation,
  read,
  written,
} from './operationDocs.ts';
import { createIdParsers, type Parsed } from './parsing.ts';
import {
  parseAddition,
  parseMove,
  parseRemoval,
  parseReplacement,
  parseRuleTest,
  parseUpdate,
  toWireErrors,
} from './ruleFields.ts';

export type RuleRoutesDeps = {
  readonly rules: Rules;
  readonly properties: Properties;
  readonly ids: OpaqueIds;
  readonly operation: CreateHandler;
};

/** Maximum size of a list of rules in bytes: twice the limit of their compact JSON, for spaces and escapes. */
const LIST_LIMIT = 512 * 1024;
/** Maximum size of other bodies, in bytes. */
const SMALL_LIMIT = 32 * 1024;

const NEW_RULE = {
  name: 'Block a network',
  dry_run: true,
  action: 'block',
  conditions: { networks: ['198.51.100.0/24', '2001:db8:bad::/48'] },
};
const HARDER_RULE = {
  name: 'Harder sign-in for hosting providers',
  action: 'adjust',
  levels: 16,
  conditions: { asns: [64496], paths: ['/login*'] },
};
const STORED_RULE = { id: EXAMPLE_IDS.rule_id, ...NEW_RULE, enabled: true };
const LIST = {
  revision: 4,
  changed_at: '2026-01-31T12:00:00.000Z',
  rules: [{ ...STORED_RULE, hits: 1312, last_hit_at: '2026-01-31T13:00:00.000Z' }],
};
const MATCHED_RULE = { id: EXAMPLE_IDS.rule_id, name: NEW_RULE.name, action: NEW_RULE.action };
const TEST = {
  country: null,
  asn: null,
  action: null,
  matches: [{ scope: 'property', index: 0, role: 'dry-run', rule: MATCHED_RULE }],
  puzzle: { level: 128, growth: 'medium', difficulty: 128 },
};

/** The components of the document that several operations refer to. */
export const RULE_RESPONSES: Readonly<Record<string, Response>> = {
  RulesListed: read('The rules.', 'RuleListEnvelope', { rules: { data: LIST } }),
  RulesChanged: written('The rules after the change.', 'RuleListEnvelope', { rules: { data: LIST } }),
  RulesTested: written('The result.', 'RuleTestEnvelope', { dry_run: { data: TEST } }),
};

/** The request bodies of the document that several operations refer to. */
export const RULE_BODIES = {
  RuleReplacement: jsonBody('All rules.', schema('RuleReplacement'), {
    rules: { rules: [NEW_RULE, HARDER_RULE] },
  }),
  RuleAddition: jsonBody('The new rule.', schema('RuleAddition'), { first: { rule: NEW_RULE, position: 0 } }),
  RuleUpdate: jsonBody('The whole rule.', schema('RuleUpdate'), {
    active: { rule: { ...NEW_RULE, dry_run: false } },
  }),
  RuleMove: jsonBody('The new position.', schema('RuleMove'), { first: { position: 0 } }),
  RuleRemoval: {
    ...jsonBody('The revision, if the deletion depends on it.', schema('RuleRemoval'), { any: {} }),
    required: false,
  },
  RuleTest: jsonBody('The request.', schema('RuleTestRequest'), {
    request: { address: '198.51.100.7', user_agent: 'curl/8.5.0', path: '/login' },
  }),
} as const;

const CHANGES: readonly Problem[] = [...OBJECT_PROBLEMS, 'rules-number-malformed', 'rules-changed-meanwhile'];
const ERRORS =
  'If a rule is invalid, nothing changes, and `data.errors` lists the errors with their positions.';

/** The lists of rules: the same operations with other paths and access. */
type Place = {
  readonly path: string;
  /** As in “the rules of …”. */
  readonly owner: string;
  readonly note: string;
  readonly problems: readonly Problem[];
};

const OF_PROPERTY: Place = {
  path: '/org/:org_id/property/:property_id',
  owner: 'a property',
  note: '',
  problems: IN_PROPERTY,
};
const OF_INSTALLATION: Place = {
  path: '',
  owner: 'the installation',
  note: ' They apply to all properties, before the rules of the property. Only for keys of administrators that are not limited to an organization.',
  problems: ['admin-only'],
};

/** The operations that read a list, or test it. */
function readingOperations({ path, owner, note, problems }: Place) {
  return {
    list: {
      method: 'GET',
      path: `${path}/rules`,
      access: 'read',
      tag: 'Rules',
      summary: `List the rules of ${owner}`,
      description: `Returns the rules in the order of evaluation, with their hits, which the server writes every few seconds.${note}`,
      response: 'RulesListed',
      problems,
    },
    test: {
      method: 'POST',
      path: `${path}/rules/test`,
      access: 'read',
      bodyLimit: SMALL_LIMIT,
      isUncached: true,
      tag: 'Rules',
      summary: `Test the rules of ${owner}`,
      description: 'Shows what would happen to a request for a puzzle. Counts nothing and changes nothing.',
      body: 'RuleTest',
      response: 'RulesTested',
      problems: [...problems, ...OBJECT_PROBLEMS, 'address-malformed', 'page-path-malformed'],
    },
  } as const satisfies Record<string, PlatformOperation>;
}

/** The operations that change a list. */
function changingOperations({ path, owner, problems }: Place) {
  const change = { tag: 'Rules', access: 'write', bodyLimit: LIST_LIMIT, response: 'RulesChanged' } as const;
  const rule = `${path}/rule/:rule_id`;
  return {
    replace: {
      ...change,
      method: 'PUT',
      path: `${path}/rules`,
      summary: `Replace the rules of ${owner}`,
      description: `Replaces the whole list. A client can change the list that it received and send it back: its \`revision\` ensures that no other change is lost. ${ERRORS}`,
      body: 'RuleReplacement',
      problems: [...problems, ...CHANGES, 'rules-invalid'],
    },
    add: {
      ...change,
      method: 'POST',
      path: `${path}/rules`,
      summary: `Add a rule to ${owner}`,
      description: `Adds a rule at a position, or at the end. ${ERRORS}`,
      body: 'RuleAddition',
      problems: [...problems, ...CHANGES, 'rules-invalid'],
    },
    update: {
      ...change,
      method: 'PUT',
      path: rule,
      summary: `Change a rule of ${owner}`,
      description: `Replaces one rule. ${ERRORS}`,
      body: 'RuleUpdate',
      problems: [...problems, ...CHANGES, 'rules-invalid', 'rule-unknown'],
    },
    move: {
      ...change,
      method: 'PUT',
      path: `${rule}/position`,
      bodyLimit: SMALL_LIMIT,
      summary: `Move a rule of ${owner}`,
      description: 'Changes the position of a rule. The order of the other rules stays the same.',
      body: 'RuleMove',
      problems: [...problems, ...CHANGES, 'rule-unknown'],
    },
    remove: {
      ...change,
      method: 'DELETE',
      path: rule,
      bodyLimit: SMALL_LIMIT,
      isBodyOptional: true,
      summary: `Delete a rule of ${owner}`,
      description: 'Deletes a rule and its hits. The body is optional.',
      body: 'RuleRemoval',
      problems: [...problems, ...CHANGES, 'rule-unknown'],
    },
  } as const satisfies Record<string, PlatformOperation>;
}

/** Gives the operations on a list their ids. */
function named<T>(of: Readonly<Record<keyof ReturnType<typeof operationsOn>, T>>, infix: '' | 'Property') {
  return {
    [`list${infix}Rules`]: of.list,
    [`replace${infix}Rules`]: of.replace,
    [`add${infix}Rule`]: of.add,
    [`test${infix}Rules`]: of.test,
    [`update${infix}Rule`]: of.update,
    [`move${infix}Rule`]: of.move,
    [`delete${infix}Rule`]: of.remove,
  };
}

function operationsOn(place: Place) {
  return { ...readingOperations(place), ...changingOperations(place) };
}

/** The routes of the rules of a property, and of the installation. */
export function ruleRoutes({ rules, properties, ids, operation }: RuleRoutesDeps): readonly Route[] {
  const { propertyIn } = createIdParsers(ids);
  const ofProperty = createHandlers(rules, async ({ actor, params }) => {
    const named = propertyIn(params);
    if (!named.ok) return named;
    const property = await properties.byId(actor, named.value.organization, named.value.property);
    return property.ok ? done(property.value.id) : property;
  });
  const ofInstallation = createHandlers(rules, async () => done('installation'));
  return operationRoutes(
    operation,
    {
      ...named<PlatformOperation>(operationsOn(OF_PROPERTY), 'Property'),
      ...named<PlatformOperation>(operationsOn(OF_INSTALLATION), ''),
    },
    { ...named(ofProperty, 'Property'), ...named(ofInstallation, '') },
  );
}

/** Creates the handlers of the operations on a list. @param scopeOf finds the list that the path names */
function createHandlers(rules: Rules, scopeOf: (call: Call) => Promise<Parsed<RuleScope>>) {
  /** Runs work with the list that the path names, and with the parsed body. */
  const within =
    <T>(
      parse: (body: unknown) => Parsed<T>,
      work: (call: Call, scope: RuleScope, given: T) => Promise<OperationResult>,
    ): Operation =>
    async (call) => {
      const scope = await scopeOf(call);
      if (!scope.ok) return scope;
      const given = parse(call.body);
      return given.ok ? work(call, scope.value, given.value) : given;
    };

  return {
    list: within(done<unknown>, async ({ actor }, scope) => {
      const list = await rules.list(actor, scope);
      return list.ok ? { ok: true, data: toRuleDocument(list.value) } : list;
    }),
    replace: within(parseReplacement, async ({ actor }, scope, { rules: items, revision }) =>
      toResult(await rules.replace(actor, scope, withoutAllHits(items), { revision })),
    ),
    add: within(parseAddition, async ({ actor }, scope, { rule, position, revision }) =>
      toResult(await rules.add(actor, scope, withoutHits(rule), { position, revision })),
    ),
    update: within(parseUpdate, async ({ actor, params }, scope, { rule, revision }) =>
      toResult(await rules.update(actor, scope, ruleIdIn(params), withoutHits(rule), { revision })),
    ),
    move: within(parseMove, async ({ actor, params }, scope, { position, revision }) =>
      toResult(await rules.move(actor, scope, ruleIdIn(params), position, { revision })),
    ),
    remove: within(parseRemoval, async ({ actor, params }, scope, { revision }) =>
      toResult(await rules.remove(actor, scope, ruleIdIn(params), { revision })),
    ),
    test: within(parseRuleTest, async ({ actor }, scope, request) => {
      const test = await rules.test(actor, scope, request);
      return test.ok ? { ok: true, data: toWireTest(test.value) } : test;
    }),
  };
}

/** The use case rejects a text that is not the id of a rule. */
function ruleIdIn({ rule_id = '' }: Params): RuleId {
  return rule_id as RuleId;
}

function toResult(change: RuleChange<RuleChangeProblem | 'rule-unknown'>): OperationResult {
  if (change.ok) return { ok: true, data: toRuleDocument(change.value) };
  return 'errors' in change ? toWireErrors(change.errors) : change;
}
