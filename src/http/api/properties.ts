import { Elysia } from 'elysia';
import { done, type Outcome } from '../../lib/outcome.ts';
import { PROPERTY_ORDERS, type Slice } from '../../model/ports/property.ts';
import type { TaskOrder } from '../../model/task.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Properties } from '../../platform/properties.ts';
import type { Tasks } from '../../platform/tasks.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import type { Judged } from './fields.ts';
import type { Answer, Call, createOperations } from './operation.ts';
import { createParseOrganizationId } from './organizations.ts';
import {
  createParsePropertyId,
  detailOf,
  parseCreations,
  parseDeletions,
  parseUpdates,
  summaryOf,
  taskWireOf,
} from './wire.ts';

export type PropertyRoutesDeps = {
  readonly properties: Properties;
  readonly tasks: Tasks;
  readonly ids: OpaqueIds;
  readonly operation: ReturnType<typeof createOperations>;
};

/** Bytes of a batch. */
const BATCH_LIMIT = 1024 * 1024;
/** Items on a page at most, and unless said otherwise; who asks for more is told so in `pagination`. */
const PAGE_MAX_SIZE = 50;
/** Stands for a segment that the router could not decode: it is there, but no id. */
export const UNDECODED = '%';

/** Properties, read at once and changed in tasks; `/asynctask`. */
export function propertyRoutes({ properties, tasks, ids, operation }: PropertyRoutesDeps) {
  const organizationIdOf = createParseOrganizationId(ids);
  const propertyIdOf = createParsePropertyId(ids);
  const read = { access: 'read' } as const;
  const batch = { access: 'write', bodyLimit: BATCH_LIMIT } as const;

  async function start(caller: Call['caller'], order: TaskOrder): Promise<Answer> {
    const id = await tasks.start(caller, order);
    return id.ok ? { ok: true, data: { id: id.value } } : id;
  }

  async function list({ caller, params, query }: Call): Promise<Answer> {
    const organizationId = organizationIdOf(params.org_id ?? UNDECODED);
    if (!organizationId.ok) return organizationId;
    const wanted = parsePage(query);
    if (!wanted.ok) return wanted;
    const { page, perPage, order } = wanted.value;
    const slice = { offset: page * perPage, limit: perPage, order };
    const found = await properties.page(caller, organizationId.value, slice);
    if (!found.ok) return found;
    const pagination = { page, per_page: perPage, has_more: found.value.hasMore };
    return { ok: true, data: found.value.properties.map((one) => summaryOf(ids, one)), pagination };
  }

  async function show({ caller, params }: Call): Promise<Answer> {
    const organizationId = organizationIdOf(params.org_id ?? UNDECODED);
    if (!organizationId.ok) return organizationId;
    const id = propertyIdOf(params.property_id ?? UNDECODED);
    if (!id.ok) return id;
    const property = await properties.byId(caller, organizationId.value, id.value);
    return property.ok ? { ok: true, data: detailOf(ids, property.value) } : property;
  }

  async function create({ caller, params, body }: Call): Promise<Answer> {
    const organizationId = organizationIdOf(params.org_id ?? UNDECODED);
    if (!organizationId.ok) return organizationId;
    const items = parseCreations(body);
    if (!items.ok) return items;
    const order = { kind: 'create-properties', organizationId: organizationId.value } as const;
    return start(caller, { ...order, items: items.value });
  }

  async function update({ caller, body }: Call): Promise<Answer> {
    const items = parseUpdates(body, ids);
    return items.ok ? start(caller, { kind: 'update-properties', items: items.value }) : items;
  }

  async function remove({ caller, body }: Call): Promise<Answer> {
    const items = parseDeletions(body, ids);
    return items.ok ? start(caller, { kind: 'delete-properties', items: items.value }) : items;
  }

  async function task({ caller, params }: Call): Promise<Answer> {
    const found = await tasks.byId(caller, params.id ?? '');
    return found.ok ? { ok: true, data: taskWireOf(ids, found.value) } : found;
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

/** `page` from 0, `per_page` from 1, `sort`; each once at most, and nothing else. */
function parsePage(query: URLSearchParams): Judged<Page> {
  const known = ['page', 'per_page', 'sort'];
  const names = [...query.keys()];
  const wrong = names.find((name, index) => !known.includes(name) || names.indexOf(name) !== index);
  if (wrong !== undefined)
    return queryFault('each of page, per_page and sort may be there once, and no other');
  const page = parseCount(query.get('page') ?? '0', 0);
  if (!page.ok) return queryFault('page must be a whole number from 0 to 999999999999');
  const perPage = parseCount(query.get('per_page') ?? String(PAGE_MAX_SIZE), 1);
  if (!perPage.ok) return queryFault('per_page must be a whole number from 1 to 999999999999');
  const sort = query.get('sort') ?? 'date_asc';
  const order = PROPERTY_ORDERS.find((one) => one === sort);
  if (order === undefined) return queryFault(`sort must be one of ${PROPERTY_ORDERS.join(', ')}`);
  return done({ page: page.value, perPage: Math.min(perPage.value, PAGE_MAX_SIZE), order });
}

function queryFault(detail: string): Judged<never> {
  return { ok: false, problem: 'query-malformed', detail };
}

/** Twelve digits: the offset of the page stays a safe integer. */
function parseCount(given: string, min: number): Outcome<number, 'query-malformed'> {
  const value = /^\d{1,12}$/.test(given) ? Number(given) : -1;
  return value >= min ? done(value) : { ok: false, problem: 'query-malformed' };
}
