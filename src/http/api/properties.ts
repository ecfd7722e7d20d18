import { Elysia } from 'elysia';
import { done } from '../../lib/outcome.ts';
import { PROPERTY_ORDERS, type Slice } from '../../model/ports/property.ts';
import type { TaskOrder } from '../../model/task.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Properties } from '../../platform/properties/properties.ts';
import type { Tasks } from '../../platform/properties/tasks.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import type { Parsed } from './jsonObject.ts';
import type { Call, createOperations, OperationResult } from './operation.ts';
import { createParseOrganizationId } from './organizations.ts';
import { checkParameters, rejectQuery } from './queryParameters.ts';
import {
  createParseDeletions,
  createParsePropertyId,
  createParseUpdates,
  parseCreations,
  toDetails,
  toSummary,
  toWireTask,
} from './wire.ts';

export type PropertyRoutesDeps = {
  readonly properties: Properties;
  readonly tasks: Tasks;
  readonly ids: OpaqueIds;
  readonly operation: ReturnType<typeof createOperations>;
};

/** Maximum size of a batch in bytes. */
const BATCH_LIMIT = 1024 * 1024;
/** Maximum and default number of items on a page; `pagination` has the number that applies. */
const PAGE_MAX_SIZE = 50;
/** Stands for a path segment that the router could not decode: an invalid id. */
export const UNDECODED = '%';

/** Routes that read properties, start tasks to change them, and read tasks. */
export function propertyRoutes({ properties, tasks, ids, operation }: PropertyRoutesDeps) {
  const organizationIdOf = createParseOrganizationId(ids);
  const propertyIdOf = createParsePropertyId(ids);
  const parseUpdates = createParseUpdates(ids);
  const parseDeletions = createParseDeletions(ids);
  const read = { access: 'read' } as const;
  const batch = { access: 'write', bodyLimit: BATCH_LIMIT } as const;

  async function start(actor: Call['actor'], order: TaskOrder): Promise<OperationResult> {
    const id = await tasks.start(actor, order);
    return id.ok ? { ok: true, data: { id: id.value } } : id;
  }

  async function list({ actor, params, query }: Call): Promise<OperationResult> {
    const organizationId = organizationIdOf(params.org_id ?? UNDECODED);
    if (!organizationId.ok) return organizationId;
    const wanted = parsePage(query);
    if (!wanted.ok) return wanted;
    const { page, perPage, order } = wanted.value;
    const slice = { offset: page * perPage, limit: perPage, order };
    const found = await properties.page(actor, organizationId.value, slice);
    if (!found.ok) return found;
    const pagination = { page, per_page: perPage, has_more: found.value.hasMore };
    return { ok: true, data: found.value.items.map((one) => toSummary(ids, one)), pagination };
  }

  async function show({ actor, params }: Call): Promise<OperationResult> {
    const organizationId = organizationIdOf(params.org_id ?? UNDECODED);
    if (!organizationId.ok) return organizationId;
    const id = propertyIdOf(params.property_id ?? UNDECODED);
    if (!id.ok) return id;
    const property = await properties.byId(actor, organizationId.value, id.value);
    return property.ok ? { ok: true, data: toDetails(ids, property.value) } : property;
  }

  async function create({ actor, params, body }: Call): Promise<OperationResult> {
    const organizationId = organizationIdOf(params.org_id ?? UNDECODED);
    if (!organizationId.ok) return organizationId;
    const items = parseCreations(body);
    if (!items.ok) return items;
    const order = { kind: 'create-properties', organizationId: organizationId.value } as const;
    return start(actor, { ...order, items: items.value });
  }

  async function update({ actor, body }: Call): Promise<OperationResult> {
    const items = parseUpdates(body);
    return items.ok ? start(actor, { kind: 'update-properties', items: items.value }) : items;
  }

  async function remove({ actor, body }: Call): Promise<OperationResult> {
    const items = parseDeletions(body);
    return items.ok ? start(actor, { kind: 'delete-properties', items: items.value }) : items;
  }

  async function task({ actor, params }: Call): Promise<OperationResult> {
    const found = await tasks.byId(actor, params.id ?? '');
    return found.ok ? { ok: true, data: toWireTask(ids, found.value) } : found;
  }

  return new Elysia()
    .get('/org/:org_id/properties', operation(read, list), { detail: OPERATIONS.listProperties })
    .get('/org/:org_id/property/:property_id', operation(read, show), { detail: OPERATIONS.getProperty })
    .post('/org/:org_id/properties', operation(batch, create), {
      parse: 'none',
      detail: OPERATIONS.createProperties,
    })
    .put('/properties', operation(batch, update), { parse: 'none', detail: OPERATIONS.updateProperties })
    .delete('/properties', operation(batch, remove), { parse: 'none', detail: OPERATIONS.deleteProperties })
    .get('/asynctask/:id', operation(read, task), { detail: OPERATIONS.getTask });
}

type Page = { readonly page: number; readonly perPage: number; readonly order: Slice['order'] };

/** Parses `page` (from 0), `per_page` (from 1), and `sort`. */
function parsePage(query: URLSearchParams): Parsed<Page> {
  const known = checkParameters(query, ['page', 'per_page', 'sort']);
  if (!known.ok) return known;
  const page = parseCount(query.get('page') ?? '0', 0);
  if (page === undefined) return rejectQuery('page must be a whole number from 0 to 999999999999');
  const perPage = parseCount(query.get('per_page') ?? String(PAGE_MAX_SIZE), 1);
  if (perPage === undefined) return rejectQuery('per_page must be a whole number from 1 to 999999999999');
  const sort = query.get('sort') ?? 'date_asc';
  const order = PROPERTY_ORDERS.find((one) => one === sort);
  if (order === undefined) return rejectQuery(`sort must be one of ${PROPERTY_ORDERS.join(', ')}`);
  return done({ page, perPage: Math.min(perPage, PAGE_MAX_SIZE), order });
}

/** At most twelve digits, so that the offset of the page is a safe integer. */
function parseCount(given: string, min: number): number | undefined {
  const value = /^\d{1,12}$/.test(given) ? Number(given) : -1;
  return value >= min ? value : undefined;
}
