import { reasonOf } from '../../lib/log.ts';

/** The result of one check. */
export type Check = {
  readonly name: string;
  /** True for warnings too. */
  readonly ok: boolean;
  readonly isWarning: boolean;
  readonly detail: string;
  /** What to do about the problem; undefined if there is none. */
  readonly fix: string | undefined;
};

/** A check that found no problem. */
export function passed(name: string, detail: string): Check {
  return { name, ok: true, isWarning: false, detail, fix: undefined };
}

/** A check that found a possible problem, which does not change the exit code. */
export function warning(name: string, detail: string, fix: string): Check {
  return { name, ok: true, isWarning: true, detail, fix };
}

/** A check that found a problem; the exit code is 1. */
export function failed(name: string, detail: string, fix: string): Check {
  return { name, ok: false, isWarning: false, detail, fix };
}

/** Runs one check. If it throws, the check has failed. @param fix what to do if it throws */
export function runCheck(name: string, fix: string, check: () => Check): Check {
  try {
    return check();
  } catch (error) {
    return failed(name, reasonOf(error), fix);
  }
}
