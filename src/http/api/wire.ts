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
import { createParseObject, type Parsed, parseIdWith } from './jsonObject.ts';
import type { OperationResult } from './operation.ts';

/** Properties and tasks as JSON. */

const parseCreation = createParseObject(PROPERTY_FIELDS);

/** An update may contain the sitekey, but cannot change it: the task compares it with the stored one. */
const SITEKEY = textField({ name: 'sitekey' }, parseReadOnlySitekey);

/** The items of a batch, or the response that rejects the whole batch. */
export type Batch<Item> =
  | { readonly ok: true; readonly value: readonly Item[] }
  | Extract<OperationResult, { ok: false }>;

/** Parses new properties. Names that differ only in case are rejected. */
export function parseCreations(body: unknown): Batch<PropertyCreation> {
  return parseBatch(
    body,
    'property-name-taken',
    ({ name }) => foldName(name),
    (item) => {
      const given = parseCreation(item);
      return given.ok ? done({ ...DEFAULT_SETTINGS, ...given.value }) : given;
    },
  );
}

/** @returns a parser of changes to properties, at most one for each property; omitted settings keep their values */
export function createParseUpdates(ids: OpaqueIds): (body: unknown) => Batch<PropertyUpdate> {
  const { name, domain } = PROPERTY_FIELDS;
  const parseUpdate = createParseObject({
    id: { name: 'id', parse: parseIdWith(createParsePropertyId(ids)), missing: 'property-id-empty' },
    sitekey: SITEKEY,
    name: { name: name.name, parse: name.parse },
    domain: { name: domain.name, parse: domain.parse },
    ...SETTING_FIELDS,
  });
  return (body) =>
    parseBatch(
      body,
      'property-id-repeated',
      (item) => item.id,
      (item) => {
        const given = parseUpdate(item);
        if (!given.ok) return given;
        const { id, sitekey, ...change } = given.value;
        return done({ id, change, ...(sitekey === undefined ? {} : { sitekey }) });
      },
    );
}

/** @returns a parser of the ids of properties to delete; repeated ids are rejected */
export function createParseDeletions(ids: OpaqueIds): (body: unknown) => Batch<PropertyId> {
  const parse = parseIdWith(createParsePropertyId(ids));
  return (body) =>
    parseBatch(
      body,
      'property-id-repeated',
      (id) => id,
      (item) => {
        const id = parse(item);
        if (id.ok || id.problem !== 'field-mistyped') return id;
        return { ok: false, problem: 'field-mistyped', detail: 'ids are strings' };
      },
    );
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

/** @returns a parser of the opaque ids of properties */
export function createParsePropertyId(ids: OpaqueIds) {
  return (given: string): Outcome<PropertyId, 'property-id-empty' | 'property-id-malformed'> => {
    if (given === '') return reject('property-id-empty');
    const id = ids.open('property', given);
    return id === undefined ? reject('property-id-malformed') : done(id);
  };
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

function toWireProblem(rejection: Rejection) {
  return { code: PROBLEMS[rejection.problem].code, description: sentenceOf(rejection) };
}
