import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { textField, toNamedValues } from '../../model/field.ts';
import { foldName } from '../../model/name.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { type Property, type PropertyId, parseSitekey, type Sitekey } from '../../model/property.ts';
import { DEFAULT_SETTINGS, PROPERTY_FIELDS, SETTING_FIELDS } from '../../model/propertyFields.ts';
import {
  BATCH_MAX_ITEMS,
  type PropertyCreation,
  type PropertyUpdate,
  type Task,
  type TaskResult,
} from '../../model/task.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import { OK_CODE, OK_SENTENCE, type Rejection, sentenceOf } from '../envelope.ts';
import { type Schema, schema } from '../operationDocs.ts';
import type { OperationResult } from './operation.ts';
import { createIdParsers, createParseObject, type Parsed, parseIdWith } from './parsing.ts';
import {
  CODE,
  envelope,
  ID,
  type Members,
  membersOf,
  request,
  response,
  SENTENCE,
  schemaOf,
  withDefaults,
} from './schemas.ts';

/** Properties, tasks, and the items of batches as JSON, and their schemas. */

const { name: NAME, domain: DOMAIN } = PROPERTY_FIELDS;
const EXISTING_ID = { name: 'id', missing: 'property-id-empty', schema: ID } as const;

/** An update may contain the sitekey, but cannot change it: the task compares it with the stored one. */
const KNOWN_SITEKEY = textField(
  { name: 'sitekey', help: 'Read-only: omit it, or send the current sitekey.' },
  parseReadOnlySitekey,
);

const UPDATE = {
  sitekey: KNOWN_SITEKEY,
  name: { name: NAME.name, help: NAME.help, parse: NAME.parse },
  domain: { name: DOMAIN.name, help: DOMAIN.help, parse: DOMAIN.parse },
  ...SETTING_FIELDS,
};

const HEX: Schema = { type: 'string', pattern: '^[0-9a-f]{32}$' };
const SITEKEY: Schema = { ...HEX, description: 'The public key of the property, for pages.' };
const SUMMARY: Members = { id: ID, name: schemaOf(NAME), sitekey: SITEKEY };

export const PROPERTY_SCHEMAS: Members = {
  PropertySummary: response(SUMMARY),
  Property: response({ ...SUMMARY, ...membersOf(PROPERTY_FIELDS) }, 'A website that Postern protects.'),
  PropertyCreation: request(withDefaults(PROPERTY_FIELDS), 'A new property.'),
  PropertyUpdate: request(
    { id: EXISTING_ID, ...UPDATE },
    'The id of a property, and the settings to change.',
  ),
  PropertyCreationBatch: batchOf(schema('PropertyCreation'), 'New properties with different names.'),
  PropertyUpdateBatch: batchOf(schema('PropertyUpdate'), 'Changes, at most one for each property.'),
  PropertyDeletionBatch: batchOf(ID, 'Ids of different properties.'),
  TaskReference: response({ id: HEX }),
  Task: response({
    id: HEX,
    finished: { type: 'boolean' },
    result: {
      type: 'array',
      nullable: true,
      items: schema('TaskResult'),
      description: 'An entry for each item, in the order of the request; null until the task is finished.',
    },
  }),
  TaskResult: response(
    { code: CODE, description: SENTENCE, ...SUMMARY },
    'The result of one item. `id`, `name`, and `sitekey` are present if they are known.',
    ['code', 'description'],
  ),
  PropertyListEnvelope: envelope({ type: 'array', items: schema('PropertySummary') }, true),
  PropertyEnvelope: envelope(schema('Property')),
  TaskStartedEnvelope: envelope(schema('TaskReference')),
  TaskEnvelope: envelope(schema('Task')),
};

function batchOf(items: Schema, description: string): Schema {
  return { type: 'array', description, minItems: 1, maxItems: BATCH_MAX_ITEMS, items };
}

/** The items of a batch, or the response that rejects the whole batch. */
type Batch<Item> =
  | { readonly ok: true; readonly value: readonly Item[] }
  | Extract<OperationResult, { ok: false }>;

/** Creates the parsers of batches. Each batch has at most one item for each property or name. */
export function createBatchParsers(ids: OpaqueIds) {
  const parseId = parseIdWith(createIdParsers(ids).propertyId);
  const parseCreation = createParseObject(PROPERTY_FIELDS);
  const parseUpdate = createParseObject({ id: { ...EXISTING_ID, parse: parseId }, ...UPDATE });

  function toCreation(item: unknown): Parsed<PropertyCreation> {
    const given = parseCreation(item);
    return given.ok ? done({ ...DEFAULT_SETTINGS, ...given.value }) : given;
  }

  function toUpdate(item: unknown): Parsed<PropertyUpdate> {
    const given = parseUpdate(item);
    if (!given.ok) return given;
    const { id, sitekey, ...change } = given.value;
    return done({ id, change, ...(sitekey === undefined ? {} : { sitekey }) });
  }

  function toId(item: unknown): Parsed<PropertyId> {
    const id = parseId(item);
    if (id.ok || id.problem !== 'field-mistyped') return id;
    return { ok: false, problem: 'field-mistyped', detail: 'ids are strings' };
  }

  return {
    /** Names that differ only in case are equal. */
    creations: (body: unknown) =>
      parseBatch(body, 'property-name-taken', ({ name }) => foldName(name), toCreation),
    /** Omitted settings keep their values. */
    updates: (body: unknown) => parseBatch(body, 'property-id-repeated', ({ id }) => id, toUpdate),
    deletions: (body: unknown) => parseBatch(body, 'property-id-repeated', (id) => id, toId),
  };
}

/**
 * Parses 1 to 128 items, each by itself and then against the items before it. If any item is invalid, the whole batch is
 * rejected with the code of the first invalid item, and `data.errors` lists all invalid items.
 */
function parseBatch<Item>(
  body: unknown,
  repeated: Problem,
  keyOf: (item: Item) => string | number,
  parse: (item: unknown) => Parsed<Item>,
): Batch<Item> {
  if (!Array.isArray(body) || body.length === 0) return reject('batch-malformed');
  if (body.length > BATCH_MAX_ITEMS) return reject('batch-too-large');
  const seen = new Set<string | number>();
  const items: Item[] = [];
  const errors: (Rejection & { readonly index: number })[] = [];
  for (const [index, given] of body.entries()) {
    const item = parse(given);
    if (!item.ok) {
      errors.push({ index, ...item });
    } else if (seen.has(keyOf(item.value))) {
      errors.push({ index, problem: repeated });
    } else {
      seen.add(keyOf(item.value));
      items.push(item.value);
    }
  }
  const [first] = errors;
  if (first === undefined) return done(items);
  const { problem, detail } = first;
  const data = { errors: errors.map(({ index, ...rejection }) => ({ index, ...toWireProblem(rejection) })) };
  return { ok: false, problem, ...(detail === undefined ? {} : { detail }), data };
}

/** An invalid sitekey cannot be the stored one. */
function parseReadOnlySitekey(given: string): Outcome<Sitekey, 'sitekey-read-only'> {
  const sitekey = parseSitekey(given);
  return sitekey.ok ? sitekey : reject('sitekey-read-only');
}

/** @returns a property as lists show it */
export function toSummary(ids: OpaqueIds, { id, name, sitekey }: Property) {
  return { id: ids.seal('property', id), name, sitekey };
}

/** @returns a property with all of its settings */
export function toDetails(ids: OpaqueIds, property: Property) {
  const { id, name, domain, sitekey } = property;
  const settings = toNamedValues(SETTING_FIELDS, property);
  return { id: ids.seal('property', id), name, domain, sitekey, ...settings };
}

/** @returns a task; `result` is null until it is finished */
export function toWireTask(ids: OpaqueIds, { id, results }: Task) {
  const result = results?.map((one) => toWireResult(ids, one)) ?? null;
  return { id, finished: result !== null, result };
}

function toWireResult(ids: OpaqueIds, { problem, propertyId, name, sitekey }: TaskResult) {
  return {
    ...(problem === undefined ? { code: OK_CODE, description: OK_SENTENCE } : toWireProblem({ problem })),
    ...(propertyId === undefined ? {} : { id: ids.seal('property', propertyId) }),
    ...(name === undefined ? {} : { name }),
    ...(sitekey === undefined ? {} : { sitekey }),
  };
}

/** @returns the code and the sentence of a problem of an item */
export function toWireProblem(rejection: Rejection) {
  return { code: PROBLEMS[rejection.problem].code, description: sentenceOf(rejection) };
}
