import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Problem } from './problems.ts';

/** The definition of a field, shared by the Platform API, the OpenAPI document, the portal's forms, and the command line. */
export type Field<Value = unknown> = {
  /** The name in the API and in forms. The command line writes it with dashes. */
  readonly name: string;
  /** @param value any JSON value */
  readonly parse: (value: unknown) => Outcome<Value, Problem>;
  /** The problem if the field is missing; undefined for an optional field. */
  readonly missing?: Problem;
};

/** Fields by their keys in the code, in the order in which they are checked. */
export type Fields = Readonly<Record<string, Field>>;

export type ValueOf<F> = F extends Field<infer Value> ? Value : never;

type RequiredKeys<F extends Fields> = {
  [Key in keyof F]: F[Key] extends { readonly missing: Problem } ? Key : never;
}[keyof F];

/** An object with these fields. */
export type ValuesOf<F extends Fields> = {
  readonly [Key in RequiredKeys<F>]: ValueOf<F[Key]>;
} & { readonly [Key in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[Key]> };

/** The texts that forms, help, and the OpenAPI document show. */
type Wording = { readonly name: string; readonly label: string; readonly help: string };

/** Defines a text field. A value of another type is rejected with `field-mistyped`. */
export function textField<const Definition extends Pick<Field, 'name' | 'missing'>, Value, P extends Problem>(
  definition: Definition,
  parseText: (text: string) => Outcome<Value, P>,
) {
  function parse(text: string): Outcome<Value, P>;
  function parse(value: unknown): Outcome<Value, P | 'field-mistyped'>;
  function parse(value: unknown): Outcome<Value, P | 'field-mistyped'> {
    return typeof value === 'string' ? parseText(value) : reject('field-mistyped');
  }
  return { kind: 'text', ...definition, parse } as const;
}

/** Defines a numeric field from `min` to `max`, inclusive. @param problem for all other values, and for fractions if `isWhole` */
export function numberField<
  const Definition extends Wording & {
    readonly min: number;
    readonly max: number;
    readonly isWhole: boolean;
  },
  P extends string,
>(definition: Definition, problem: P) {
  const { min, max, isWhole } = definition;
  const parse = (value: unknown): Outcome<number, P> => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) return reject(problem);
    return isWhole && !Number.isInteger(value) ? reject(problem) : done(value);
  };
  return { kind: 'number', ...definition, problem, parse } as const;
}

/** Defines a field with a fixed set of texts. @param problem for all other values */
export function choiceField<
  const Definition extends Wording & { readonly choices: readonly string[] },
  P extends Problem,
>(definition: Definition, problem: P) {
  const choices: readonly Definition['choices'][number][] = definition.choices;
  const parse = (value: unknown): Outcome<Definition['choices'][number], P> => {
    const choice = choices.find((known) => known === value);
    return choice === undefined ? reject(problem) : done(choice);
  };
  return { kind: 'choice', ...definition, problem, parse } as const;
}

/** Defines a Boolean field. @param problem for all other values */
export function booleanField<const Definition extends Wording, P extends Problem>(
  definition: Definition,
  problem: P,
) {
  const parse = (value: unknown): Outcome<boolean, P> =>
    typeof value === 'boolean' ? done(value) : reject(problem);
  return { kind: 'boolean', ...definition, problem, parse } as const;
}

/** @returns the values by the names of their fields, instead of by their keys in the code */
export function toNamedValues<F extends Fields>(
  fields: F,
  values: { readonly [Key in keyof F]: ValueOf<F[Key]> },
): Record<string, ValueOf<F[keyof F]>> {
  const named: Record<string, ValueOf<F[keyof F]>> = {};
  for (const key in fields) named[fields[key]?.name ?? key] = values[key];
  return named;
}

/** Fields by their names, instead of by their keys in the code. */
export type NamedFields<F extends Fields> = { readonly [Key in keyof F as F[Key]['name']]: F[Key] };

/** @returns the fields by their names */
export function toNamedFields<F extends Fields>(fields: F): NamedFields<F> {
  return Object.fromEntries(Object.values(fields).map((field) => [field.name, field])) as NamedFields<F>;
}

/** The inverse of `toNamedValues`. @returns the values of the fields by their keys in the code */
export function fromNamedValues<F extends Fields>(
  fields: F,
  named: { readonly [Name in keyof NamedFields<F>]: ValueOf<NamedFields<F>[Name]> },
): { readonly [Key in keyof F]: ValueOf<F[Key]> } {
  const values: Readonly<Record<string, unknown>> = named;
  const entries = Object.entries(fields).map(([key, { name }]) => [key, values[name]]);
  return Object.fromEntries(entries) as { readonly [Key in keyof F]: ValueOf<F[Key]> };
}
