import { reasonOf } from '../../lib/log.ts';

/** The result of one check, with its name. */
export type Check = Finding & { readonly name: string };

/** The result of one check. */
export type Finding = {
  /** True for warnings too. */
  readonly ok: boolean;
  readonly isWarning: boolean;
  readonly detail: string;
  /** What to do about the problem; undefined if there is none. */
  readonly fix: string | undefined;
};

/** A check that found no problem. */
export function passed(detail: string): Finding {
  return { ok: true, isWarning: false, detail, fix: undefined };
}

/** A check that found a possible problem, which does not change the exit code. */
export function warning(detail: string, fix: string): Finding {
  return { ok: true, isWarning: true, detail, fix };
}

/** A check that found a problem; the exit code is 1. */
export function failed(detail: string, fix: string): Finding {
  return { ok: false, isWarning: false, detail, fix };
}

/** Runs one check. If it throws, the check has failed. @param fix what to do if it throws */
export function runCheck(name: string, fix: string, check: () => Finding): Check {
  try {
    return { name, ...check() };
  } catch (error) {
    return { name, ...failed(reasonOf(error), fix) };
  }
}
