/** The lines of one failed test that a summary repeats at most. */
const MAX_LINES = 40;

const RESULT = /^\((pass|fail|skip|todo)\) /;
const FILE = /^\S+\.test\.tsx?:$/;

/**
 * @param output what `bun test` wrote to standard error
 * @returns for each test that failed or was skipped, its file, the last 40 lines that precede its result, and the result
 */
export function failuresIn(output: string): readonly string[] {
  const failures: string[] = [];
  let file = '';
  let lines: string[] = [];
  for (const line of output.split('\n')) {
    const result = RESULT.exec(line)?.[1];
    const isFile = FILE.test(line);
    if (isFile) file = line;
    if (result !== undefined && result !== 'pass') {
      failures.push([file, ...lines.slice(-MAX_LINES), line].join('\n'));
    }
    if (result === undefined && !isFile) lines.push(line);
    else lines = [];
  }
  return failures;
}
