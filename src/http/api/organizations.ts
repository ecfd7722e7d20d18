import { Elysia } from 'elysia';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { textField } from '../../model/field.ts';
import { type Organization, type OrganizationId, parseOrganizationName } from '../../model/organization.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Organizations } from '../../platform/organizations/organizations.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { createParseObject, parseIdWith } from './jsonObject.ts';
import type { Call, createOperations, OperationResult } from './operation.ts';

export type OrganizationRoutesDeps = {
  readonly organizations: Organizations;
  readonly ids: OpaqueIds;
  readonly operation: ReturnType<typeof createOperations>;
};

/** Maximum size of a body of `/org` in bytes. */
const BODY_LIMIT = 128 * 1024;
/** Items on a page of other lists; this list has all organizations on one page. */
const PAGE_MAX_SIZE = 50;

const NAME = textField({ name: 'name', missing: 'organization-name-empty' }, parseOrganizationName);
/** Read-only, as the list returns it. */
const OWNER = textField({ name: 'owner' }, done);

/** Routes of `/orgs` and `/org`. */
export function organizationRoutes({ organizations, ids, operation }: OrganizationRoutesDeps) {
  const id = {
    name: 'id',
    parse: parseIdWith(createParseOrganizationId(ids)),
    missing: 'organization-id-empty',
  } as const;
  const parseCreation = createParseObject({ id: { name: 'id', parse: parseIdWith(parseNoId) }, name: NAME });
  const parseRenaming = createParseObject({ id, name: NAME, owner: OWNER });
  const parseReference = createParseObject({ id });

  const write = { access: 'write', bodyLimit: BODY_LIMIT } as const;
  const toResult = (outcome: Outcome<Organization, OrganizationProblem>): OperationResult =>
    outcome.ok ? { ok: true, data: toWire(ids, outcome.value) } : outcome;

  async function list({ actor }: Call): Promise<OperationResult> {
    const found = await organizations.list(actor);
    const pagination = { page: 0, per_page: Math.max(found.length, PAGE_MAX_SIZE), has_more: false };
    return {
      ok: true,
      data: found.map((one) => ({ ...toWire(ids, one), owner: one.ownerEmail })),
      pagination,
    };
  }

  async function create({ actor, body }: Call): Promise<OperationResult> {
    const given = parseCreation(body);
    if (!given.ok) return given;
    if (actor.source === 'organization-key') return { ok: false, problem: 'key-organization-only' };
    const created = await organizations.create(actor, { name: given.value.name, ownerId: actor.user });
    return toResult(created);
  }

  async function rename({ actor, body }: Call): Promise<OperationResult> {
    const given = parseRenaming(body);
    if (!given.ok) return given;
    const { id, name, owner } = given.value;
    const renamed = await organizations.rename(actor, id, name, owner);
    return toResult(renamed);
  }

  async function remove({ actor, body }: Call): Promise<OperationResult> {
    const given = parseReference(body);
    if (!given.ok) return given;
    const removed = await organizations.remove(actor, given.value.id);
    return removed.ok ? { ok: true, data: null } : removed;
  }

  return new Elysia()
    .get('/orgs', operation({ access: 'read' }, list), { detail: OPERATIONS.listOrganizations })
    .post('/org', operation(write, create), { parse: 'none', detail: OPERATIONS.createOrganization })
    .put('/org', operation(write, rename), { parse: 'none', detail: OPERATIONS.updateOrganization })
    .delete('/org', operation(write, remove), { parse: 'none', detail: OPERATIONS.deleteOrganization });
}

type OrganizationProblem = Extract<
  Awaited<ReturnType<Organizations[keyof Organizations]>>,
  { ok: false }
>['problem'];

/** @returns a parser of the opaque ids of organizations */
export function createParseOrganizationId(ids: OpaqueIds) {
  return (given: string): Outcome<OrganizationId, 'organization-id-empty' | 'organization-id-malformed'> => {
    if (given === '') return reject('organization-id-empty');
    const id = ids.open('organization', given);
    return id === undefined ? reject('organization-id-malformed') : done(id);
  };
}

function parseNoId(given: string): Outcome<undefined, 'organization-id-not-empty'> {
  return given === '' ? done(undefined) : reject('organization-id-not-empty');
}

function toWire(ids: OpaqueIds, { id, name }: Organization) {
  return { id: ids.seal('organization', id), name };
}
