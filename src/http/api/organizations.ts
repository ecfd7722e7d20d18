import { Elysia } from 'elysia';
import { done, type Outcome, refuse } from '../../lib/outcome.ts';
import type { AuditAction } from '../../model/audit.ts';
import { type Organization, type OrganizationId, parseOrganizationName } from '../../model/organization.ts';
import type { Audit } from '../../platform/audit.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Organizations } from '../../platform/organizations.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { type Field, type Fields, idText, parseFields, text } from './fields.ts';
import type { Answer, Call, createOperations } from './operation.ts';

export type OrganizationRoutesDeps = {
  readonly audit: Pick<Audit, 'recordAct'>;
  readonly organizations: Organizations;
  readonly ids: OpaqueIds;
  readonly operation: ReturnType<typeof createOperations>;
};

/** Bytes of a body of `/org`. */
const BODY_LIMIT = 128 * 1024;
/** What a page of other lists holds; here all are on one. */
const PAGE_MAX_SIZE = 50;

/** `/orgs` and `/org`. */
export function organizationRoutes({ organizations, audit, ids, operation }: OrganizationRoutesDeps) {
  const id = {
    key: 'id',
    absent: 'organization-id-empty',
    parse: idText(createParseOrganizationId(ids)),
  } as const;
  const name = {
    key: 'name',
    absent: 'organization-name-empty',
    parse: text(parseOrganizationName),
  } as const;
  const creation: Fields = {
    id: { key: 'id', parse: idText(parseNoId) },
    name,
  };
  // Read-only, as the list returns it.
  const owner: Field = { key: 'owner', parse: text(done) };
  const naming: Fields = { id, name, owner };
  const naked: Fields = { id };

  const write = { access: 'write', bodyLimit: BODY_LIMIT } as const;
  const tell = (outcome: Outcome<Organization, Refusal>): Answer =>
    outcome.ok ? { ok: true, data: wireOf(ids, outcome.value) } : outcome;

  /** What was done is in the audit log before it is answered. */
  async function noted<O extends Outcome<Organization, Refusal>>(
    caller: Call['caller'],
    action: AuditAction,
    outcome: O,
  ): Promise<O> {
    if (outcome.ok) {
      const { id: organizationId, name: subject } = outcome.value;
      await audit.recordAct(caller, { action, organizationId, subject });
    }
    return outcome;
  }

  async function list({ caller }: Call): Promise<Answer> {
    const found = await organizations.listFor(caller);
    const pagination = { page: 0, per_page: Math.max(found.length, PAGE_MAX_SIZE), has_more: false };
    return {
      ok: true,
      data: found.map((one) => ({ ...wireOf(ids, one), owner: one.ownerEmail })),
      pagination,
    };
  }

  async function create({ caller, body }: Call): Promise<Answer> {
    const given = parseFields(body, creation);
    if (!given.ok) return given;
    const created = await organizations.createFor(caller, given.value.name as string);
    return tell(await noted(caller, 'organization-created', created));
  }

  async function rename({ caller, body }: Call): Promise<Answer> {
    const given = parseFields(body, naming);
    if (!given.ok) return given;
    const { id, name, owner } = given.value as { id: OrganizationId; name: string; owner?: string };
    const renamed = await organizations.rename(caller, id, name, owner);
    return tell(await noted(caller, 'organization-renamed', renamed));
  }

  async function remove({ caller, body }: Call): Promise<Answer> {
    const given = parseFields(body, naked);
    if (!given.ok) return given;
    const removed = await organizations.remove(caller, given.value.id as OrganizationId);
    const ending = await noted(caller, 'organization-deleted', removed);
    return ending.ok ? { ok: true, data: null } : ending;
  }

  return new Elysia()
    .get('/orgs', operation({ access: 'read' }, list), { detail: OPERATIONS.listOrganizations })
    .post('/org', operation(write, create), { parse: 'none', detail: OPERATIONS.createOrganization })
    .put('/org', operation(write, rename), { parse: 'none', detail: OPERATIONS.updateOrganization })
    .delete('/org', operation(write, remove), { parse: 'none', detail: OPERATIONS.deleteOrganization });
}

type Refusal = Extract<Awaited<ReturnType<Organizations[keyof Organizations]>>, { ok: false }>['problem'];

/** Where an organization's id is expected. */
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
