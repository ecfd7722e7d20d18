import { done } from '../../lib/outcome.ts';
import { type Parsed, quoted } from './jsonObject.ts';

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
