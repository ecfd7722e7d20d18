import { VERDICT_CODES, type VerdictName } from '../../captcha/verdict.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { OK_CODE, OK_SENTENCE } from '../envelope.ts';
import { GENERAL_PROBLEMS, problemsIn } from './errorResponses.ts';
import { OPERATIONS } from './operations.ts';
import { TASK_PROBLEMS } from './properties.ts';

/** The meaning of each verdict. `docs/reference/api.md` has the same sentences; a test compares them. */
export const VERDICT_MEANINGS: Readonly<Record<VerdictName, string>> = {
  'no-error': 'The solution is valid, and this is its first verification.',
  'error-other':
    'The API key was rejected, the property is disabled, or the server could not verify the solution; the status shows which.',
  'solution-duplicates': 'The payload contains the same solution twice.',
  'solution-invalid': 'A solution does not solve its puzzle.',
  'solution-bad-format': 'The payload is invalid: it is empty, incomplete, or a token from another product.',
  'puzzle-expired': 'The puzzle expired before the verification.',
  'property-invalid': 'The property does not exist, or is not the expected property.',
  'property-owner-mismatch': "The owner of the API key is not a member of the property's organization.",
  'solution-verified-before':
    'The solution was verified before. It succeeds as often as `max_replay_count` allows.',
  'maintenance-mode':
    'The solution is valid, but maintenance may have prevented checking whether the API key may verify it.',
  'property-test': 'The solution is for the test property, which is only for tests.',
  'integrity-error': 'The puzzle or its signature was changed, or another installation issued the puzzle.',
  'org-scope-error': 'The API key is limited to another organization.',
};

/** @returns all problems of requests and tasks, in the order of the table of problems */
export function documentedProblems(): readonly Problem[] {
  const documented = new Set<string>([...GENERAL_PROBLEMS, ...TASK_PROBLEMS, ...problemsIn(OPERATIONS)]);
  return (Object.keys(PROBLEMS) as Problem[]).filter((problem) => documented.has(problem));
}

/** @returns the introduction of the document in Markdown: what operations have in common, and all codes */
export function introduction(): string {
  return `Issues proof-of-work puzzles to web pages, verifies their solutions for backends, and manages properties.

## Envelope

Responses of the Platform API, and error responses of all operations except \`/verify\` and \`/siteverify\`, are envelopes: \`meta\` contains the result, and \`data\` contains the requested data or null. Lists also have \`pagination\`. \`meta.code\` is ${OK_CODE} for success; it determines the HTTP status. If items of a batch are invalid, \`data.errors\` lists them.

An unknown path returns 404, and a known path with another method returns 405 with \`Allow\`. A deprecated operation has the headers \`Deprecation\` and \`Sunset\`, and returns 410 after its sunset. No operation is deprecated.

## Codes of the envelope

${table(['code', 'name', 'status', 'description'], [[OK_CODE, '`ok`', 200, OK_SENTENCE], ...problemRows()])}

## Codes of a verification

**Send your sitekey in X-PC-Sitekey, and accept a form if \`success\` is true.** This includes permitted repeats (code 8) and
solutions during maintenance (code 9). To reject those too, require code 0.

${table(['code', 'name', 'meaning'], verdictRows())}
`;
}

type Row = readonly (string | number)[];

function problemRows(): readonly Row[] {
  const rows = documentedProblems().map((name) => ({ name, ...PROBLEMS[name] }));
  return rows
    .sort((a, b) => a.code - b.code || a.status - b.status)
    .map(({ code, status, name, sentence }) => [code, `\`${name}\``, status, sentence]);
}

function verdictRows(): readonly Row[] {
  return (Object.keys(VERDICT_CODES) as VerdictName[]).map((name) => [
    VERDICT_CODES[name],
    `\`${name}\``,
    VERDICT_MEANINGS[name],
  ]);
}

function table(head: Row, rows: readonly Row[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
