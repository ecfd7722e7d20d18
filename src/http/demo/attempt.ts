import { VERDICT_CODES, type VerdictName } from '../../captcha/verdict.ts';

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

const REASONS: Readonly<Record<VerdictName, string>> = {
  'no-error': 'The solution is correct and was not used before.',
  'error-other': 'Postern could not check the solution.',
  'solution-duplicates': 'The solution contains the same answer twice.',
  'solution-invalid': 'The solution does not solve the puzzle.',
  'solution-bad-format': 'The text is not a solution.',
  'puzzle-expired': 'The puzzle expired before the form was sent.',
  'property-invalid': 'The solution belongs to another property.',
  'property-owner-mismatch': 'The user of the API key has no access to the property.',
  'solution-verified-before': 'This solution was already used. Each solution counts only once.',
  'maintenance-mode':
    'Maintenance is on, so Postern checked the solution but not whether it was used before.',
  'property-test': 'The solution belongs to the test property.',
  'integrity-error': 'The signature of the puzzle is invalid.',
  'org-scope-error': 'The API key is limited to another organization.',
};

/** @returns the verdict in words of a response of `/verify` */
export function verdictOf({ json, status }: Attempt): VerdictText {
  const { success, code } = JSON.parse(json) as { readonly success?: unknown; readonly code?: unknown };
  const names = Object.keys(VERDICT_CODES) as VerdictName[];
  const name = names.find((each) => VERDICT_CODES[each] === code);
  return {
    isAccepted: success === true,
    reason: name === undefined ? `Postern did not check the solution (status ${status}).` : REASONS[name],
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
