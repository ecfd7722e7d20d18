import { VERDICT_CODES, type VerdictName } from '../../captcha/verdict.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { OK_CODE, OK_SENTENCE } from '../envelope.ts';
import { OPERATIONS } from './operations.ts';
import type { Operation } from './parts.ts';
import { TASK_PROBLEMS } from './properties.ts';
import { GENERAL_PROBLEMS } from './refusals.ts';

/** What each verdict means; `docs/reference/api.md` holds the same sentences, a test compares. */
export const VERDICT_MEANINGS: Readonly<Record<VerdictName, string>> = {
  'no-error': 'The solution is good, and this was its first verification.',
  'error-other':
    'The key was not accepted, the property is disabled, or nothing was decided; the status says which.',
  'solution-duplicates': 'Two of the solutions are the same.',
  'solution-invalid': 'A solution does not solve its puzzle.',
  'solution-bad-format': 'The payload is invalid: it is empty, incomplete, or a token of another product.',
  'puzzle-expired': 'The puzzle was solved, or sent, too late.',
  'property-invalid': 'There is no such property, or it is not the expected one.',
  'property-owner-mismatch': "The key's owner has no part in the property's organization.",
  'solution-verified-before':
    'The solution was verified before; success as often as `max_replay_count` allows.',
  'maintenance-mode': 'The proof is good, the account could perhaps not be checked.',
  'property-test': 'The test property: good for tests only.',
  'integrity-error': 'The puzzle or its signature was changed, or another installation issued it.',
  'org-scope-error': 'The key is for another organization.',
};

/** Every problem that a request can meet, in the order of the table of problems. */
export function documentedProblems(): readonly Problem[] {
  const inAnswers = Object.values<Operation>(OPERATIONS).flatMap(({ responses = {} }) =>
    Object.values(responses).flatMap((response) =>
      '$ref' in response ? [] : Object.keys(response.content?.['application/json']?.examples ?? {}),
    ),
  );
  const met = new Set<string>([...GENERAL_PROBLEMS, ...TASK_PROBLEMS, ...inAnswers]);
  return (Object.keys(PROBLEMS) as Problem[]).filter((problem) => met.has(problem));
}

/** The document's introduction, in Markdown: what all operations have in common, and all codes. */
export function introduction(): string {
  return `Issues proof-of-work puzzles to web pages, verifies their solutions for the backends of sites, and manages the sites.

## Envelope

Answers of the Platform API, and refusals of all but \`/verify\` and \`/siteverify\`, are an envelope: \`meta\` says how it went, \`data\` is what was asked for, or null, and lists have \`pagination\` beside it. \`meta.code\` is ${OK_CODE} where all went well; the HTTP status follows from it. Where items of a batch are wrong, \`data.errors\` names them.

An unknown path is 404, a known path with another method 405 with \`Allow\`. A deprecated operation says so in the headers \`Deprecation\` and \`Sunset\`, and after its sunset answers 410; there is none now.

## Codes of the envelope

${table(['code', 'name', 'status', 'description'], [[OK_CODE, '`ok`', 200, OK_SENTENCE], ...problemRows()])}

## Codes of a verification

**Send your sitekey in X-PC-Sitekey, and accept a form if \`success\` is true.** That includes permitted repeats (code 8) and
solutions during maintenance (code 9). To reject those as well, require code 0.

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
