import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Field, Fields, ValuesOf } from '../../model/field.ts';
import type { Problem } from '../../model/problems.ts';
import type { Rejection } from '../envelope.ts';

/** A value, or the reason why it was rejected. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | (Rejection & { readonly ok: false });

/** Maximum length of an unknown name in an error message. */
const QUOTED_LENGTH = 40;

/**
 * Creates a parser of JSON objects with these fields, which returns the first problem in the order of the fields. Members with other
 * names are rejected, because a misspelled setting would otherwise be ignored.
 */
export function createParseObject<F extends Fields>(fields: F): (value: unknown) => Parsed<ValuesOf<F>> {
  const entries = Object.entries(fields);
  const names = new Set(entries.map(([, { name }]) => name));
  return (value) => {
    if (!isObject(value)) return { ok: false, problem: 'field-mistyped', detail: 'an object is expected' };
    const unknown = Object.keys(value).find((name) => !names.has(name));
    if (unknown !== undefined) return { ok: false, problem: 'field-unknown', detail: quoted(unknown) };
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

/** @returns the start of a name that the client sent, in quotation marks */
export function quoted(name: string): string {
  const start = name.length > QUOTED_LENGTH ? `${name.slice(0, QUOTED_LENGTH)}...` : name;
  return JSON.stringify(start.toWellFormed());
}
