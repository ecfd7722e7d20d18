/** The result of an operation that may be rejected: a value or a named problem. Unexpected failures throw instead. */
export type Outcome<T, Problem extends string> = Done<T> | Rejected<Problem>;

export type Done<T> = { readonly ok: true; readonly value: T };

export type Rejected<Problem extends string> = { readonly ok: false; readonly problem: Problem };

/** @returns a successful outcome */
export function done<T>(value: T): Done<T> {
  return { ok: true, value };
}

/** @returns a rejected outcome */
export function reject<Problem extends string>(problem: Problem): Rejected<Problem> {
  return { ok: false, problem };
}

/** @returns the value of a successful outcome; undefined if it was rejected */
export function valueOrUndefined<T>(outcome: Outcome<T, string>): T | undefined {
  return outcome.ok ? outcome.value : undefined;
}

declare const brand: unique symbol;

/** A nominal type: assignable to `T`, but only a parser creates its values. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
