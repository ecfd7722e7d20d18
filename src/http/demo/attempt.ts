import { VERDICTS, type VerdictName, verdictNameOf } from '../../captcha/verdict.ts';

/** What a solution contains, as far as the demo shows it. */
export type SolutionFacts = {
  readonly difficulty: number;
  readonly solutionCount: number;
  /** Milliseconds, as reported by the widget; undefined if it is missing. */
  readonly elapsedMs: number | undefined;
};

/** A form that was sent to the demo, and the response of `/verify`. */
export type Attempt = {
  readonly solution: string;
  /** The HTTP status of `/verify`. */
  readonly status: number;
  /** The body of its response. */
  readonly json: string;
  /** Undefined if the solution is malformed. */
  readonly facts: SolutionFacts | undefined;
};

/** The verdict in words. */
export type VerdictText = { readonly isAccepted: boolean; readonly reason: string };

/** Verdicts that visitors of the demo often see, in simpler words than their meaning. */
const REASONS: Readonly<Partial<Record<VerdictName, string>>> = {
  'no-error': 'The solution is correct and was not used before.',
  'puzzle-expired': 'The puzzle expired before the form was sent.',
  'solution-verified-before': 'This solution was already used. Each solution counts only once.',
  'maintenance-mode':
    'Maintenance is on, so Postern checked the solution but not whether it was used before.',
};

/** @returns the verdict in words of a response of `/verify` */
export function verdictOf({ json, status }: Attempt): VerdictText {
  const { success, code } = JSON.parse(json) as { readonly success?: unknown; readonly code?: unknown };
  const name = verdictNameOf(code);
  return {
    isAccepted: success === true,
    reason:
      name === undefined
        ? `Postern did not check the solution (status ${status}).`
        : (REASONS[name] ?? VERDICTS[name].meaning),
  };
}

/** Characters that remain at each end of a long text. */
const SHOWN = 40;

/** @returns the beginning and the end of a long text */
export function shorten(text: string): string {
  return text.length <= 2 * SHOWN + 10 ? text : `${text.slice(0, SHOWN)}…${text.slice(-SHOWN)}`;
}

/** The characters of a payload. None of them is special in a shell. */
const SHELL_SAFE = /^[A-Za-z0-9+/=.]+$/;

/** @returns whether the text looks like a solution. Any page can send this form, and visitors copy what the demo shows into a terminal */
export function isPlainSolution(solution: string): boolean {
  return SHELL_SAFE.test(solution);
}

/** @returns the text that `/puzzle` returned: the solution without its first part; undefined if the solution is malformed */
export function puzzleOf({ solution, facts }: Attempt): string | undefined {
  return facts === undefined || !isPlainSolution(solution)
    ? undefined
    : solution.slice(solution.indexOf('.') + 1);
}
