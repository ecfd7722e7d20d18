import { Elysia } from 'elysia';
import { done, type Outcome, refuse } from '../../lib/outcome.ts';
import type { AuditAction } from '../../model/audit.ts';
import { textField } from '../../model/field.ts';
import { type Organization, type OrganizationId, parseOrganizationName } from '../../model/organization.ts';
import type { Audit } from '../../platform/audit.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Organizations } from '../../platform/organizations.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { createParseObject, parseIdWith } from './jsonObject.ts';
import type { Call, createOperations, OperationResult } from './operation.ts';

export type OrganizationRoutesDeps = {
  readonly audit: Pick<Audit, 'recordAct'>;
  readonly organizations: Organizations;
  readonly ids: OpaqueIds;
  readonly operation: ReturnType<typeof createOperations>;
};

/** Bytes of a body of `/org`. */
const BODY_LIMIT = 128 * 1024;
/** Items on a page of other lists; this list has all organizations on one page. */
const PAGE_MAX_SIZE = 50;

const NAME = textField({ name: 'name', missing: 'organization-name-empty' }, parseOrganizationName);
/** Read-only, as the list returns it. */
const OWNER = textField({ name: 'owner' }, done);

/** Routes of `/orgs` and `/org`. */
export function organizationRoutes({ organizations, audit, ids, operation }: OrganizationRoutesDeps) {
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
    outcome.ok ? { ok: true, data: wireOf(ids, outcome.value) } : outcome;

  /** Writes the audit log entry of a successful change. */
  async function audited<O extends Outcome<Organization, OrganizationProblem>>(
    actor: Call['actor'],
    action: AuditAction,
    outcome: O,
  ): Promise<O> {
    if (outcome.ok) {
      const { id: organizationId, name: subject } = outcome.value;
      await audit.recordAct(actor, { action, organizationId, subject });
    }
    return outcome;
  }

  async function list({ actor }: Call): Promise<OperationResult> {
    const found = await organizations.listFor(actor);
    const pagination = { page: 0, per_page: Math.max(found.length, PAGE_MAX_SIZE), has_more: false };
    return {
      ok: true,
      data: found.map((one) => ({ ...wireOf(ids, one), owner: one.ownerEmail })),
      pagination,
    };
  }

  async function create({ actor, body }: Call): Promise<OperationResult> {
    const given = parseCreation(body);
    if (!given.ok) return given;
    const created = await organizations.createFor(actor, given.value.name);
    return toResult(await audited(actor, 'organization-created', created));
  }

  async function rename({ actor, body }: Call): Promise<OperationResult> {
    const given = parseRenaming(body);
    if (!given.ok) return given;
    const { id, name, owner } = given.value;
    const renamed = await organizations.rename(actor, id, name, owner);
    return toResult(await audited(actor, 'organization-renamed', renamed));
  }

  async function remove({ actor, body }: Call): Promise<OperationResult> {
    const given = parseReference(body);
    if (!given.ok) return given;
    const removed = await organizations.remove(actor, given.value.id);
    const result = await audited(actor, 'organization-deleted', removed);
    return result.ok ? { ok: true, data: null } : result;
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
    if (given === '') return refuse('organization-id-empty');
    const id = ids.open('organization', given);
    return id === undefined ? refuse('organization-id-malformed') : done(id);
  };
}

function parseNoId(given: string): Outcome<undefined, 'organization-id-not-empty'> {
  return given === '' ? done(undefined) : refuse('organization-id-not-empty');
}

function wireOf(ids: OpaqueIds, { id, name }: Organization) {
  return { id: ids.seal('organization', id), name };
}
