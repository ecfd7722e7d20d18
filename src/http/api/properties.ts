import { done } from '../../lib/outcome.ts';
import { toNamedValues } from '../../model/field.ts';
import { PROPERTY_ORDERS, type Slice } from '../../model/ports/property.ts';
import type { Problem } from '../../model/problems.ts';
import { DEFAULT_SETTINGS, SETTING_FIELDS } from '../../model/propertyFields.ts';
import type { TaskOrder } from '../../model/task.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Properties } from '../../platform/properties/properties.ts';
import type { Tasks } from '../../platform/properties/tasks.ts';
import { OK_CODE, OK_SENTENCE } from '../envelope.ts';
import { jsonBody, type Response, schema } from '../operationDocs.ts';
import type { Route } from '../router.ts';
import {
  type Call,
  type CreateHandler,
  type OperationResult,
  operationRoutes,
  withBody,
} from './operation.ts';
import {
  EXAMPLE_IDS,
  IN_ORGANIZATION,
  IN_PROPERTY,
  OBJECT_PROBLEMS,
  type PlatformOperation,
  read,
  written,
} from './operationDocs.ts';
import { checkParameters, createIdParsers, type Parsed, rejectQuery } from './parsing.ts';
import { createBatchParsers, toDetails, toSummary, toWireProblem, toWireTask } from './propertyItems.ts';

export type PropertyRoutesDeps = {
  readonly properties: Properties;
  readonly tasks: Tasks;
  readonly ids: OpaqueIds;
  readonly operation: CreateHandler;
};

/** Maximum and default number of items on a page; `pagination` has the number that applies. */
const PAGE_MAX_SIZE = 50;

const SUMMARY = {
  id: EXAMPLE_IDS.property_id,
  name: 'Shop',
  sitekey: 'aea467bc315688bf55ff632df525dda8',
};
const SETTINGS = toNamedValues(SETTING_FIELDS, { ...DEFAULT_SETTINGS, allowsSubdomains: true });

const FIELD_PROBLEMS: readonly Problem[] = [
  ...OBJECT_PROBLEMS,
  'property-name-empty',
  'property-name-too-long',
  'property-name-malformed',
  'domain-empty',
  'domain-localhost',
  'domain-is-address',
  'domain-not-valid',
  'domain-single-label',
  'domain-is-suffix',
  'domain-malformed',
  ...Object.values(SETTING_FIELDS).map(({ problem }) => problem),
];
const BATCH_PROBLEMS: readonly Problem[] = ['batch-malformed', 'batch-too-large', 'task-queue-full'];
const ID_PROBLEMS: readonly Problem[] = [
  'property-id-empty',
  'property-id-malformed',
  'property-id-repeated',
];

/** Problems of items in a task. */
export const TASK_PROBLEMS: readonly Problem[] = [
  'property-name-taken',
  'domain-unresolved',
  'dns-unanswered',
  'properties-limit',
  'organization-unknown',
  'organization-not-yours',
  'property-gone',
  'property-not-yours',
  'sitekey-read-only',
  'import-not-applied',
  'task-key-revoked',
  'task-account-disabled',
  'internal-error',
];

/** Rejected creations have a name; all other rejected items have an id. */
const REJECTED_ITEMS = TASK_PROBLEMS.map((problem) => {
  const item = toWireProblem({ problem });
  if (problem === 'internal-error') return item;
  const hasId = ['property-gone', 'property-not-yours', 'sitekey-read-only'].includes(problem);
  return { ...item, ...(hasId ? { id: SUMMARY.id } : { name: SUMMARY.name }) };
});

/** The components of the document that several operations refer to. */
export const PROPERTY_RESPONSES: Readonly<Record<string, Response>> = {
  TaskStarted: written('The task. Poll it until it is finished.', 'TaskStartedEnvelope', {
    task: { data: { id: EXAMPLE_IDS.id } },
  }),
};

const VALIDATION =
  'If the request alone shows that an item is invalid, the whole batch is rejected and `data.errors` lists the invalid items. Everything else is checked for each item in the task.';

const BATCH = {
  tag: 'Properties',
  access: 'write',
  bodyLimit: 1024 * 1024,
  response: 'TaskStarted',
} as const;

// biome-ignore format: a table of operations
const OPERATIONS = {
  listProperties: {
    method: 'GET',
    path: '/org/:org_id/properties',
    access: 'read',
    tag: 'Properties',
    summary: 'List the properties of an organization',
    description: 'Returns one page. `pagination.has_more` shows whether there is another page.',
    query: [
      { name: 'page', in: 'query', description: 'The number of the page, from 0.', schema: { type: 'integer', minimum: 0, default: 0 } },
      { name: 'per_page', in: 'query', description: `Number of properties on a page, at most ${PAGE_MAX_SIZE}.`, schema: { type: 'integer', minimum: 1, default: PAGE_MAX_SIZE } },
      { name: 'sort', in: 'query', description: 'Order by creation date or by name.', schema: { type: 'string', enum: [...PROPERTY_ORDERS], default: 'date_asc' } },
    ],
    response: read('One page of properties.', 'PropertyListEnvelope', {
      properties: { data: [SUMMARY], pagination: { page: 0, per_page: PAGE_MAX_SIZE, has_more: false } },
    }),
    problems: [...IN_ORGANIZATION, 'query-malformed'],
  },
  getProperty: {
    method: 'GET',
    path: '/org/:org_id/property/:property_id',
    access: 'read',
    tag: 'Properties',
    summary: 'Get a property with its settings',
    description: 'Returns all settings of a property and its sitekey.',
    response: read('The property.', 'PropertyEnvelope', {
      property: { data: { ...SUMMARY, domain: 'example.com', ...SETTINGS } },
    }),
    problems: IN_PROPERTY,
  },
  createProperties: {
    ...BATCH,
    method: 'POST',
    path: '/org/:org_id/properties',
    summary: 'Create properties',
    description: `Starts a task that creates up to 128 properties. ${VALIDATION}`,
    body: jsonBody('The new properties. Omitted settings have their defaults.', schema('PropertyCreationBatch'), {
      required: [{ name: 'Shop', domain: 'example.com' }],
      all: [{ name: 'Forum', domain: 'forum.example.com', ...SETTINGS, challenge: 'argon2id' }],
    }),
    problems: [...BATCH_PROBLEMS, ...IN_ORGANIZATION, ...FIELD_PROBLEMS, 'property-name-taken'],
  },
  updateProperties: {
    ...BATCH,
    method: 'PUT',
    path: '/properties',
    summary: 'Change properties',
    description: `Starts a task that changes up to 128 properties of any organization that the key can access. Omitted settings keep their values. A client can send a property back exactly as the API returned it: \`sitekey\` is accepted if it is the current one. ${VALIDATION}`,
    body: jsonBody('The changes.', schema('PropertyUpdateBatch'), {
      update: [{ id: SUMMARY.id, level: 140, growth: 'fast' }],
    }),
    problems: [...BATCH_PROBLEMS, ...ID_PROBLEMS, 'sitekey-read-only', ...FIELD_PROBLEMS],
  },
  deleteProperties: {
    ...BATCH,
    method: 'DELETE',
    path: '/properties',
    summary: 'Delete properties',
    description: `Starts a task that deletes up to 128 properties of any organization that the key can access. ${VALIDATION}`,
    body: jsonBody('The ids of the properties.', schema('PropertyDeletionBatch'), { ids: [SUMMARY.id] }),
    problems: [...BATCH_PROBLEMS, ...ID_PROBLEMS, 'field-mistyped'],
  },
  getTask: {
    method: 'GET',
    path: '/asynctask/:id',
    access: 'read',
    tag: 'Tasks',
    summary: 'Get a task',
    description: 'Returns a task of the same user. `result` is null until the task is finished; then it has an entry for each item, in the order of the request.',
    response: read('The task.', 'TaskEnvelope', {
      running: { data: { id: EXAMPLE_IDS.id, finished: false, result: null } },
      finished: { data: { id: EXAMPLE_IDS.id, finished: true, result: [{ code: OK_CODE, description: OK_SENTENCE, ...SUMMARY }] } },
      rejected: { data: { id: EXAMPLE_IDS.id, finished: true, result: REJECTED_ITEMS } },
    }),
    problems: ['task-unknown'],
  },
} satisfies Record<string, PlatformOperation>;

/** The routes of properties and tasks. */
export function propertyRoutes({ properties, tasks, ids, operation }: PropertyRoutesDeps): readonly Route[] {
  const { organizationIn, propertyIn } = createIdParsers(ids);
  const parse = createBatchParsers(ids);

  async function start(actor: Call['actor'], order: TaskOrder): Promise<OperationResult> {
    const id = await tasks.start(actor, order);
    return id.ok ? { ok: true, data: { id: id.value } } : id;
  }

  return operationRoutes(operation, OPERATIONS, {
    async listProperties({ actor, params, query }) {
      const organization = organizationIn(params);
      if (!organization.ok) return organization;
      const wanted = parsePage(query);
      if (!wanted.ok) return wanted;
      const { page, perPage, order } = wanted.value;
      const slice = { offset: page * perPage, limit: perPage, order };
      const found = await properties.page(actor, organization.value, slice);
      if (!found.ok) return found;
      const pagination = { page, per_page: perPage, has_more: found.value.hasMore };
      return { ok: true, data: found.value.items.map((one) => toSummary(ids, one)), pagination };
    },
    async getProperty({ actor, params }) {
      const named = propertyIn(params);
      if (!named.ok) return named;
      const property = await properties.byId(actor, named.value.organization, named.value.property);
      return property.ok ? { ok: true, data: toDetails(ids, property.value) } : property;
    },
    async createProperties({ actor, params, body }) {
      const organization = organizationIn(params);
      if (!organization.ok) return organization;
      const items = parse.creations(body);
      if (!items.ok) return items;
      const order = { kind: 'create-properties', organizationId: organization.value } as const;
      return start(actor, { ...order, items: items.value });
    },
    updateProperties: withBody(parse.updates, (items, { actor }) =>
      start(actor, { kind: 'update-properties', items }),
    ),
    deleteProperties: withBody(parse.deletions, (items, { actor }) =>
      start(actor, { kind: 'delete-properties', items }),
    ),
    async getTask({ actor, params }) {
      const found = await tasks.byId(actor, params.id ?? '');
      return found.ok ? { ok: true, data: toWireTask(ids, found.value) } : found;
    },
  });
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
