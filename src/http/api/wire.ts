import { done, type Outcome, refuse } from '../../lib/outcome.ts';
import { parseDomain } from '../../model/domain.ts';
import { foldName } from '../../model/name.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import {
  DEFAULT_SETTINGS,
  type Property,
  type PropertyId,
  parseAllowsLocalhost,
  parseAllowsSubdomains,
  parseGrowth,
  parseIntegerSetting,
  parseIsEnabled,
  parsePropertyName,
  parseSitekey,
  type Sitekey,
} from '../../model/property.ts';
import {
  BATCH_MAX_ITEMS,
  type PropertyChange,
  type PropertyCreation,
  type PropertyUpdate,
  type Task,
  type TaskResult,
} from '../../model/task.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import { type Fault, OK_CODE, OK_SENTENCE, sentenceOf } from '../envelope.ts';
import { type Field, type Fields, idText, type Judged, parseFields, text } from './fields.ts';
import type { Answer } from './operation.ts';

/** Properties and tasks as JSON: names of the wire are here and nowhere else. */

const SETTINGS: Fields = {
  level: { key: 'level', parse: (value) => parseIntegerSetting('level', value) },
  growth: { key: 'growth', parse: parseGrowth },
  validity_seconds: {
    key: 'validitySeconds',
    parse: (value) => parseIntegerSetting('validitySeconds', value),
  },
  allow_subdomains: { key: 'allowsSubdomains', parse: parseAllowsSubdomains },
  allow_localhost: { key: 'allowsLocalhost', parse: parseAllowsLocalhost },
  max_replay_count: { key: 'allowance', parse: (value) => parseIntegerSetting('allowance', value) },
  enabled: { key: 'isEnabled', parse: parseIsEnabled },
};

/** What an update may contain although it cannot change it: the task compares it with the stored value. */
const READ_ONLY: Fields = { sitekey: { key: 'sitekey', parse: text(parseReadOnlySitekey) } };

const NAME: Field = { key: 'name', parse: text(parsePropertyName) };
const DOMAIN: Field = { key: 'domain', parse: text(parseDomain) };

const CREATION: Fields = {
  name: { ...NAME, absent: 'property-name-empty' },
  domain: { ...DOMAIN, absent: 'domain-empty' },
  ...SETTINGS,
};

/** Items as they were asked for, or the answer that refuses them all. */
export type Batch<Item> =
  | { readonly ok: true; readonly value: readonly Item[] }
  | Extract<Answer, { ok: false }>;

/** Properties to be made: their names differ from each other in more than case. */
export function parseCreations(body: unknown): Batch<PropertyCreation> {
  return parseBatch(
    body,
    'property-name-taken',
    ({ name }) => foldName(name),
    (item) => {
      const given = parseFields(item, CREATION);
      return given.ok ? done({ ...DEFAULT_SETTINGS, ...given.value } as PropertyCreation) : given;
    },
  );
}

/** Properties to be changed: each once, and of each only what is to be different. */
export function parseUpdates(body: unknown, ids: OpaqueIds): Batch<PropertyUpdate> {
  const id: Field = { key: 'id', absent: 'property-id-empty', parse: idText(createParsePropertyId(ids)) };
  const fields: Fields = { id, ...READ_ONLY, name: NAME, domain: DOMAIN, ...SETTINGS };
  return parseBatch(
    body,
    'property-id-repeated',
    (item) => item.id,
    (item) => {
      const given = parseFields(item, fields);
      if (!given.ok) return given;
      const { id, sitekey, ...change } = given.value as Omit<PropertyUpdate, 'change'> & PropertyChange;
      return done({ id, change, ...(sitekey === undefined ? {} : { sitekey }) });
    },
  );
}

/** Properties to be deleted: each once. */
export function parseDeletions(body: unknown, ids: OpaqueIds): Batch<PropertyId> {
  const parse = idText(createParsePropertyId(ids));
  return parseBatch(
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
 * 1 to 128 items, judged each by itself and then against those before it. Where any is wrong, the answer has the first
 * wrong one's code, and `data.errors` names them all.
 */
function parseBatch<Item>(
  body: unknown,
  repeated: Problem,
  keyOf: (item: Item) => string | number,
  parse: (item: unknown) => Judged<Item>,
): Batch<Item> {
  if (!Array.isArray(body) || body.length === 0) return refuse('batch-malformed');
  if (body.length > BATCH_MAX_ITEMS) return refuse('batch-too-large');
  const seen = new Set<string | number>();
  const items: Item[] = [];
  const faults: (Fault & { readonly index: number })[] = [];
  for (const [index, given] of body.entries()) {
    const item = parse(given);
    if (!item.ok) {
      faults.push({ index, ...item });
    } else if (seen.has(keyOf(item.value))) {
      faults.push({ index, problem: repeated });
    } else {
      seen.add(keyOf(item.value));
      items.push(item.value);
    }
  }
  const [first] = faults;
  if (first === undefined) return done(items);
  const { problem, detail } = first;
  const data = { errors: faults.map(({ index, ...fault }) => ({ index, ...codeOf(fault) })) };
  return { ok: false, problem, ...(detail === undefined ? {} : { detail }), data };
}

/** Where a property's id is expected. */
export function createParsePropertyId(ids: OpaqueIds) {
  return (given: string): Outcome<PropertyId, 'property-id-empty' | 'property-id-malformed'> => {
    if (given === '') return refuse('property-id-empty');
    const id = ids.open('property', given);
    return id === undefined ? refuse('property-id-malformed') : done(id);
  };
}

/** A malformed one cannot be the stored one. */
function parseReadOnlySitekey(given: string): Outcome<Sitekey, 'sitekey-read-only'> {
  const sitekey = parseSitekey(given);
  return sitekey.ok ? sitekey : refuse('sitekey-read-only');
}

/** In a list. */
export function summaryOf(ids: OpaqueIds, { id, name, sitekey }: Property) {
  return { id: ids.seal('property', id), name, sitekey };
}

/** By itself. */
export function detailOf(ids: OpaqueIds, property: Property) {
  return {
    id: ids.seal('property', property.id),
    name: property.name,
    domain: property.domain,
    sitekey: property.sitekey,
    level: property.level,
    growth: property.growth,
    validity_seconds: property.validitySeconds,
    allow_subdomains: property.allowsSubdomains,
    allow_localhost: property.allowsLocalhost,
    max_replay_count: property.allowance,
    enabled: property.isEnabled,
  };
}

/** `result` is null until the task is finished. */
export function taskWireOf(ids: OpaqueIds, { id, results }: Task) {
  const result = results?.map((one) => resultOf(ids, one)) ?? null;
  return { id, finished: result !== null, result };
}

function resultOf(ids: OpaqueIds, { problem, propertyId, name, sitekey }: TaskResult) {
  return {
    ...(problem === undefined ? { code: OK_CODE, description: OK_SENTENCE } : codeOf({ problem })),
    ...(propertyId === undefined ? {} : { id: ids.seal('property', propertyId) }),
    ...(name === undefined ? {} : { name }),
    ...(sitekey === undefined ? {} : { sitekey }),
  };
}

function codeOf(fault: Fault) {
  return { code: PROBLEMS[fault.problem].code, description: sentenceOf(fault) };
}
