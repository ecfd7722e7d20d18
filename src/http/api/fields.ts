import { done, type Outcome, refuse } from '../../lib/outcome.ts';
import type { Problem } from '../../model/problems.ts';
import type { Fault } from '../envelope.ts';

/** A good ending, or what is wrong with one thing. */
export type Judged<T> = { readonly ok: true; readonly value: T } | (Fault & { readonly ok: false });

/** How one member of a JSON object becomes a value of ours. */
export type Field = {
  /** The name of ours. */
  readonly key: string;
  /** The problem where the member is absent; undefined where it may be. */
  readonly absent?: Problem;
  readonly parse: (value: unknown) => Outcome<unknown, Problem>;
};

/** By the member's name on the wire, in the order in which they are judged. */
export type Fields = Readonly<Record<string, Field>>;

type Json = Readonly<Record<string, unknown>>;

/** How much of a name that we do not know is said back. */
const SHOWN_LENGTH = 40;

/**
 * Reads a JSON object by its table of fields; the first problem in the order of the table counts. What the table does
 * not name is refused, for it may be a setting with a slip of the pen.
 */
export function parseFields(value: unknown, fields: Fields): Judged<Json> {
  if (!isObject(value)) return { ok: false, problem: 'field-mistyped', detail: 'an object is expected' };
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return { ok: false, problem: 'field-unknown', detail: shown(unknown) };
  const parsed: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(value, name)) {
      if (field.absent !== undefined) return refuse(field.absent);
      continue;
    }
    const outcome = field.parse(value[name]);
    if (!outcome.ok) return faultOf(name, outcome.problem);
    parsed[field.key] = outcome.value;
  }
  return done(parsed);
}

/** Text is wanted; then it is judged. */
export function text<T, P extends Problem>(
  parse: (text: string) => Outcome<T, P>,
): (value: unknown) => Outcome<T, P | 'field-mistyped'> {
  return (value) => (typeof value === 'string' ? parse(value) : refuse('field-mistyped'));
}

/** An id: text as in `text`, and null means the same as "". */
export function idText<T, P extends Problem>(
  parse: (text: string) => Outcome<T, P>,
): (value: unknown) => Outcome<T, P | 'field-mistyped'> {
  const parseText = text(parse);
  return (value) => parseText(value === null ? '' : value);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The other problems name the member in their sentence. */
function faultOf(name: string, problem: Problem): Judged<never> {
  if (problem !== 'field-mistyped') return refuse(problem);
  return { ok: false, problem, detail: `${name} must be a string` };
}

/** A name of the client, as far as it is said back. */
export function shown(name: string): string {
  const cut = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}...` : name;
  return JSON.stringify(cut.toWellFormed());
}
