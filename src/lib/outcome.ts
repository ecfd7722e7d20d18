/**
 * How an operation ends when both endings are ordinary: a value, or a named problem.
 * Bugs and broken surroundings are not outcomes; those throw.
 */
export type Outcome<T, Problem extends string> = Done<T> | Refused<Problem>;

export type Done<T> = { readonly ok: true; readonly value: T };

export type Refused<Problem extends string> = { readonly ok: false; readonly problem: Problem };

/** The good ending. */
export function done<T>(value: T): Done<T> {
  return { ok: true, value };
}

/** The refused ending. */
export function refuse<Problem extends string>(problem: Problem): Refused<Problem> {
  return { ok: false, problem };
}

/** @returns the value of the good ending, undefined for the other one */
export function valueIn<T>(outcome: Outcome<T, string>): T | undefined {
  return outcome.ok ? outcome.value : undefined;
}
