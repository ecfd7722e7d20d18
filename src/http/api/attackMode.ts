import type { Outcome } from '../../lib/outcome.ts';
import { type Clock, toIso } from '../../lib/time.ts';
import { type Attackable, isUnderAttack } from '../../model/attackMode.ts';
import type { Problem } from '../../model/problems.ts';
import type { AttackMode } from '../../platform/attackMode.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Properties } from '../../platform/properties/properties.ts';
import { schema } from '../operationDocs.ts';
import type { Route } from '../router.ts';
import { type CreateHandler, type Operation, type OperationResult, operationRoutes } from './operation.ts';
import { IN_PROPERTY, type PlatformOperation, written } from './operationDocs.ts';
import { createIdParsers } from './parsing.ts';
import { envelope, type Members, response, time } from './schemas.ts';

export type AttackModeRoutesDeps = {
  readonly attackMode: AttackMode;
  readonly properties: Pick<Properties, 'byId'>;
  readonly ids: OpaqueIds;
  readonly operation: CreateHandler;
  readonly clock: Clock;
};

export const ATTACK_MODE_SCHEMAS: Members = {
  AttackMode: response({ until: { ...time('When attack mode ends; null if it is off.'), nullable: true } }),
  AttackModeEnvelope: envelope(schema('AttackMode')),
};

const OF_OWNER: readonly Problem[] = [
  'organization-id-malformed',
  'organization-unknown',
  'organization-not-owned',
  'key-organization-only',
];
const EFFECT =
  'Makes puzzles harder for one hour: 16 levels more, at least 144, and growth `fast`. Another request makes it end an hour after that request.';
const LATER = 'If the property and its organization are in attack mode, the later end applies.';

const OF_PROPERTY = { tag: 'Properties', path: '/org/:org_id/property/:property_id/attack' } as const;
const OF_ORGANIZATION = { tag: 'Organizations', path: '/org/:org_id/attack' } as const;
const START = { method: 'POST', access: 'write', response: 'AttackMode' } as const;
const END = { method: 'DELETE', access: 'write', response: 'AttackMode' } as const;

/** The component of the document that all operations refer to. */
export const ATTACK_MODE_RESPONSES = {
  AttackMode: written('The state after the request.', 'AttackModeEnvelope', {
    started: { data: { until: '2026-11-24T10:30:00.000Z' } },
    ended: { data: { until: null } },
  }),
} as const;

// biome-ignore format: a table of operations
const OPERATIONS = {
  startPropertyAttackMode: { ...OF_PROPERTY, ...START, summary: 'Start attack mode for a property', description: `${EFFECT} ${LATER}`, problems: IN_PROPERTY },
  endPropertyAttackMode: { ...OF_PROPERTY, ...END, summary: 'End attack mode for a property', description: `Safe to repeat. ${LATER}`, problems: IN_PROPERTY },
  startOrganizationAttackMode: { ...OF_ORGANIZATION, ...START, summary: 'Start attack mode for an organization', description: `${EFFECT} It applies to all properties of the organization. Only the owner can start it.`, problems: OF_OWNER },
  endOrganizationAttackMode: { ...OF_ORGANIZATION, ...END, summary: 'End attack mode for an organization', description: 'Only the owner can end it. Safe to repeat. Attack mode for single properties stays on.', problems: OF_OWNER },
} as const satisfies Record<string, PlatformOperation>;

/** The routes of attack mode. */
export function attackModeRoutes({
  attackMode,
  properties,
  ...deps
}: AttackModeRoutesDeps): readonly Route[] {
  const { organizationIn, propertyIn } = createIdParsers(deps.ids);

  function toResult(found: Outcome<Attackable, Problem>): OperationResult {
    if (!found.ok) return found;
    const isOn = isUnderAttack(found.value, deps.clock());
    return { ok: true, data: { until: isOn ? toIso(found.value.attackUntil) : null } };
  }

  function ofProperty(isOn: boolean): Operation {
    return async ({ actor, params }) => {
      const named = propertyIn(params);
      if (!named.ok) return named;
      const found = await properties.byId(actor, named.value.organization, named.value.property);
      return found.ok ? toResult(await attackMode.ofProperty(actor, found.value.id, isOn)) : found;
    };
  }

  function ofOrganization(isOn: boolean): Operation {
    return async ({ actor, params }) => {
      const id = organizationIn(params);
      return id.ok ? toResult(await attackMode.ofOrganization(actor, id.value, isOn)) : id;
    };
  }

  return operationRoutes(deps.operation, OPERATIONS, {
    startPropertyAttackMode: ofProperty(true),
    endPropertyAttackMode: ofProperty(false),
    startOrganizationAttackMode: ofOrganization(true),
    endOrganizationAttackMode: ofOrganization(false),
  });
}
