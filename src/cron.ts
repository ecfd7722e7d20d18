import { Cron } from 'croner';

/** The options of all schedules, which are in UTC. A time zone would need `Intl.DateTimeFormat`, which takes 28 ms to create. */
const OPTIONS = { protect: true, utcOffset: 0, unref: true } as const;

/** Five fields, or a name such as `@daily`. Croner also accepts a single date. */
const SHAPE = /^(?:@[a-z]{1,20}|\S{1,100}(?: \S{1,100}){4})$/;

/** @returns whether a text is a cron expression with five fields, or a name such as `@daily`, that has a next time */
export function isCronExpression(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  try {
    return new Cron(text, { ...OPTIONS, mode: '5-part', paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
}

/** @returns the next time of a pattern after `now`, both in milliseconds since 1970; undefined if there is none */
export function nextTimeOf(pattern: string, now: number): number | undefined {
  return new Cron(pattern, { ...OPTIONS, paused: true }).nextRun(new Date(now))?.getTime();
}

/**
 * Runs work on a schedule in UTC. Runs never overlap.
 *
 * @param pattern a cron expression with five fields, or with six fields, the first of which is the second
 */
export function startCron(pattern: string, work: () => Promise<void>): { readonly stop: () => void } {
  return new Cron(pattern, OPTIONS, work);
}
