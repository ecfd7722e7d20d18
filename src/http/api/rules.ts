import { Elysia } from 'elysia';
import { done } from '../../lib/outcome.ts';
import type { RuleId, RuleScope } from '../../model/rules/rule.ts';
import {
  isRevision,
  toRuleDocument,
  toWireTest,
  withoutAllHits,
  withoutHits,
} from '../../model/rules/ruleDocument.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Properties } from '../../platform/properties/properties.ts';
import type { RuleChange, RuleChangeProblem, Rules } from '../../platform/rules/rules.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { createParseObject, type Parsed } from './jsonObject.ts';
import type { Call, createOperations, OperationResult } from './operation.ts';
import { createParseOrganizationId } from './organizations.ts';
import { UNDECODED } from './properties.ts';
import { parseRuleTest, toWireErrors } from './ruleWire.ts';
import { createParsePropertyId } from './wire.ts';

export type RuleRoutesDeps = {
  readonly rules: Rules;
  readonly properties: Properties;
  readonly ids: OpaqueIds;
  readonly operation: ReturnType<typeof createOperations>;
};

/** Maximum size of a list of rules in bytes: twice the limit of their compact JSON, for spaces and escapes. */
const LIST_LIMIT = 512 * 1024;
/** Maximum size of other bodies, in bytes. */
const SMALL_LIMIT = 32 * 1024;

/** The routes of the rules of a property, and of the installation. */
export function ruleRoutes(deps: RuleRoutesDeps) {
  const { operation } = deps;
  const ofProperty = createHandlers(deps.rules, createPropertyScope(deps));
  const ofAll = createHandlers(deps.rules, async () => done('installation'));
  const read = { access: 'read' } as const;
  const change = { access: 'write', bodyLimit: LIST_LIMIT } as const;
  const move = { access: 'write', bodyLimit: SMALL_LIMIT } as const;
  const remove = { ...move, isBodyOptional: true } as const;
  const test = { access: 'read', bodyLimit: SMALL_LIMIT, isUncached: true } as const;
  const withBody = (detail: (typeof OPERATIONS)[keyof typeof OPERATIONS]) =>
    ({ parse: 'none', detail }) as const;
  const property = '/org/:org_id/property/:property_id';
  return new Elysia()
    .get(`${property}/rules`, operation(read, ofProperty.list), { detail: OPERATIONS.listPropertyRules })
    .put(
      `${property}/rules`,
      operation(change, ofProperty.replace),
      withBody(OPERATIONS.replacePropertyRules),
    )
    .post(`${property}/rules`, operation(change, ofProperty.add), withBody(OPERATIONS.addPropertyRule))
    .post(`${property}/rules/test`, operation(test, ofProperty.test), withBody(OPERATIONS.testPropertyRules))
    .put(
      `${property}/rule/:rule_id`,
      operation(change, ofProperty.update),
      withBody(OPERATIONS.updatePropertyRule),
    )
    .put(
      `${property}/rule/:rule_id/position`,
      operation(move, ofProperty.move),
      withBody(OPERATIONS.movePropertyRule),
    )
    .delete(
      `${property}/rule/:rule_id`,
      operation(remove, ofProperty.remove),
      withBody(OPERATIONS.deletePropertyRule),
    )
    .get('/rules', operation(read, ofAll.list), { detail: OPERATIONS.listRules })
    .put('/rules', operation(change, ofAll.replace), withBody(OPERATIONS.replaceRules))
    .post('/rules', operation(change, ofAll.add), withBody(OPERATIONS.addRule))
    .post('/rules/test', operation(test, ofAll.test), withBody(OPERATIONS.testRules))
    .put('/rule/:rule_id', operation(change, ofAll.update), withBody(OPERATIONS.updateRule))
    .put('/rule/:rule_id/position', operation(move, ofAll.move), withBody(OPERATIONS.moveRule))
    .delete('/rule/:rule_id', operation(remove, ofAll.remove), withBody(OPERATIONS.deleteRule));
}

/** Finds the list of rules that the path names. */
type ScopeOf = (call: Call) => Promise<Parsed<RuleScope>>;

function createPropertyScope({ properties, ids }: RuleRoutesDeps): ScopeOf {
  const organizationIdOf = createParseOrganizationId(ids);
  const propertyIdOf = createParsePropertyId(ids);
  return async ({ actor, params }) => {
    const organizationId = organizationIdOf(params.org_id ?? UNDECODED);
    if (!organizationId.ok) return organizationId;
    const id = propertyIdOf(params.property_id ?? UNDECODED);
    if (!id.ok) return id;
    const property = await properties.byId(actor, organizationId.value, id.value);
    return property.ok ? done(property.value.id) : property;
  };
}

function createHandlers(rules: Rules, scopeOf: ScopeOf) {
  /** Runs work with the scope that the path names. */
  const within =
    (work: (call: Call, scope: RuleScope) => Promise<OperationResult>) =>
    async (call: Call): Promise<OperationResult> => {
      const scope = await scopeOf(call);
      return scope.ok ? work(call, scope.value) : scope;
    };

  return {
    list: within(async ({ actor }, scope) => {
      const list = await rules.list(actor, scope);
      return list.ok ? { ok: true, data: toRuleDocument(list.value) } : list;
    }),
    replace: within(async ({ actor, body }, scope) => {
      const given = parseReplacement(body);
      if (!given.ok) return given;
      const { rules: items, revision } = given.value;
      return toResult(await rules.replace(actor, scope, withoutAllHits(items), { revision }));
    }),
    add: within(async ({ actor, body }, scope) => {
      const given = parseAddition(body);
      if (!given.ok) return given;
      const { rule, position, revision } = given.value;
      return toResult(await rules.add(actor, scope, withoutHits(rule), { position, revision }));
    }),
    update: within(async ({ actor, params, body }, scope) => {
      const given = parseUpdate(body);
      if (!given.ok) return given;
      const { rule, revision } = given.value;
      return toResult(await rules.update(actor, scope, ruleIdIn(params), withoutHits(rule), { revision }));
    }),
    move: within(async ({ actor, params, body }, scope) => {
      const given = parseMove(body);
      if (!given.ok) return given;
      const { position, revision } = given.value;
      return toResult(await rules.move(actor, scope, ruleIdIn(params), position, { revision }));
    }),
    remove: within(async ({ actor, params, body }, scope) => {
      const given = parseRemoval(body);
      if (!given.ok) return given;
      const { revision } = given.value;
      return toResult(await rules.remove(actor, scope, ruleIdIn(params), { revision }));
    }),
    test: within(async ({ actor, body }, scope) => {
      const request = parseRuleTest(body);
      if (!request.ok) return request;
      const test = await rules.test(actor, scope, request.value);
      return test.ok ? { ok: true, data: toWireTest(test.value) } : test;
    }),
  };
}

/** The use case rejects a text that is not the id of a rule. */
function ruleIdIn(params: Call['params']): RuleId {
  return (params.rule_id ?? UNDECODED) as RuleId;
}

function toResult(change: RuleChange<RuleChangeProblem | 'rule-unknown'>): OperationResult {
  if (change.ok) return { ok: true, data: toRuleDocument(change.value) };
  return 'errors' in change ? toWireErrors(change.errors) : change;
}

/** The use case parses the rules. */
const RULES = { name: 'rules', parse: done<unknown> } as const;
const RULE = { name: 'rule', parse: done<unknown> } as const;

const REVISION = {
  name: 'revision',
  parse: (value: unknown) =>
    isRevision(value) ? done(value) : ({ ok: false, problem: 'rules-number-malformed' } as const),
} as const;

const POSITION = {
  name: 'position',
  parse: (value: unknown) =>
    isRevision(value) ? done(value) : ({ ok: false, problem: 'rules-number-malformed' } as const),
} as const;

/** A client can send the whole list back as it received it. */
const CHANGED_AT = { name: 'changed_at', parse: done<unknown> } as const;

const parseReplacement = createParseObject({ rules: RULES, revision: REVISION, changedAt: CHANGED_AT });
const parseAddition = createParseObject({ rule: RULE, position: POSITION, revision: REVISION });
const parseUpdate = createParseObject({ rule: RULE, revision: REVISION });
const parseMove = createParseObject({
  position: { ...POSITION, missing: 'rules-number-malformed' } as const,
  revision: REVISION,
});
const parseRemoval = createParseObject({ revision: REVISION });
