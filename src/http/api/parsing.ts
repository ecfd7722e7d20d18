import { quoted, unknownMembers } from '../../lib/memberNames.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Field, Fields, ValuesOf } from '../../model/field.ts';
import type { Problem } from '../../model/problems.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Rejection } from '../envelope.ts';
import type { Params } from '../router.ts';

/** Parses the ids, queries, and JSON objects of requests to the Platform API. */

/** A value, or the reason why it was rejected. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | (Rejection & { readonly ok: false });

/** Stands for a path segment that the router could not decode: an invalid id. */
const UNDECODED = '%';

/** Creates the parsers of opaque ids, in bodies and in paths. */
export function createIdParsers(ids: OpaqueIds) {
  const parserOf = <Kind extends 'organization' | 'property'>(kind: Kind) => {
    return (given: string) => {
      if (given === '') return reject(`${kind}-id-empty` as const);
      const id = ids.open(kind, given);
      return id === undefined ? reject(`${kind}-id-malformed` as const) : done(id);
    };
  };
  const [organizationId, propertyId] = [parserOf('organization'), parserOf('property')];
  const organizationIn = ({ org_id = UNDECODED }: Params) => organizationId(org_id);
  return {
    organizationId,
    propertyId,
    /** The organization that a path names. */
    organizationIn,
    /** The property that a path names, and its organization. */
    propertyIn(params: Params) {
      const organization = organizationIn(params);
      if (!organization.ok) return organization;
      const property = propertyId(params.property_id ?? UNDECODED);
      return property.ok ? done({ organization: organization.value, property: property.value }) : property;
    },
  };
}

/**
 * Creates a parser of JSON objects with these fields, which returns the first problem in the order of the fields. Members with other
 * names are rejected, because a misspelled setting would otherwise be ignored.
 */
export function createParseObject<F extends Fields>(fields: F): (value: unknown) => Parsed<ValuesOf<F>> {
  const entries = Object.entries(fields);
  const names = entries.map(([, { name }]) => name);
  return (value) => {
    if (!isObject(value)) return { ok: false, problem: 'field-mistyped', detail: 'an object is expected' };
    const [unknown] = unknownMembers(value, names);
    if (unknown !== undefined) return { ok: false, problem: 'field-unknown', detail: unknown };
    const parsed: Record<string, unknown> = {};
    for (const [key, field] of entries) {
      const outcome = parseMember(value, field);
      if (outcome?.ok === false) return outcome;
      if (outcome !== undefined) parsed[key] = outcome.value;
    }
    return done(parsed as ValuesOf<F>);
  };
}

/** @returns undefined if the field is optional and missing */
function parseMember(value: JsonObject, { name, missing, parse }: Field): Parsed<unknown> | undefined {
  if (!Object.hasOwn(value, name)) return missing === undefined ? undefined : reject(missing);
  const outcome = parse(value[name]);
  if (outcome.ok || outcome.problem !== 'field-mistyped') return outcome;
  // The sentences of all other problems name the field.
  return { ok: false, problem: 'field-mistyped', detail: `${name} must be a string` };
}

/** Creates a parser of ids in JSON; null counts as an empty string. */
export function parseIdWith<T, P extends Problem>(
  parse: (text: string) => Outcome<T, P>,
): (value: unknown) => Outcome<T, P | 'field-mistyped'> {
  return (value) => {
    const text = value ?? '';
    return typeof text === 'string' ? parse(text) : reject('field-mistyped');
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks that a query has no other parameters than these, each at most once. */
export function checkParameters(query: URLSearchParams, known: readonly string[]): Parsed<URLSearchParams> {
  const names = [...query.keys()];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return rejectQuery(`there is no parameter ${quoted(unknown)}`);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? done(query) : rejectQuery(`${repeated} can be given only once`);
}

/** @param detail a clause about the invalid parameter */
export function rejectQuery(detail: string): Parsed<never> {
  return { ok: false, problem: 'query-malformed', detail };
}
