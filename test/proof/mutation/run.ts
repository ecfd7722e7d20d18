/**
 * `bun run mutate`: examines which mutants of the sources the tests kill. Files whose results are up to date are left out.
 *
 * --target NAME     only this target; may be repeated
 * --file PATH       only this source file, such as `src/puzzle/check.ts`; may be repeated
 * --changed [REF]   only source files that differ from the commit (HEAD)
 * --tests GLOB      only these test files, such as `test/model/**`; the results then are not up to date
 * --survivors       only mutants that survived the last time: after tests were added
 * --all             also files whose results are up to date
 * --write           only updates docs/project/mutation.md from the stored results
 *
 * Exit codes: 0; 1 if a mutant of an examined file survives without a reason; 2 for invalid options.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mutate, type Scope } from './mutate.ts';
import { REASONS } from './reasons.ts';
import { PAGE, rowOf, scoreOf, withTables } from './report.ts';
import { readResults } from './results.ts';
import { sourcesOf, TARGETS } from './targets.ts';

const ROOT = join(import.meta.dir, '../../..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    target: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    changed: { type: 'boolean', default: false },
    tests: { type: 'string' },
    survivors: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

async function changedFiles(ref: string): Promise<readonly string[]> {
  const { exitCode, stdout } = Bun.spawnSync(['git', 'diff', '--name-only', ref, '--', 'src'], { cwd: ROOT });
  if (exitCode !== 0) fail(`git has no commit ${ref}`);
  return stdout.toString().split('\n');
}

const { target: names = TARGETS.map(({ name }) => name), file, all, survivors } = values;
const targets = TARGETS.filter(({ name }) => names.includes(name));
if (targets.length < names.length) fail(`the targets are ${TARGETS.map(({ name }) => name).join(', ')}`);
const chosen = values.changed ? await changedFiles(positionals[0] ?? 'HEAD') : file;
const unknown = (file ?? []).find((path) => !TARGETS.some((target) => sourcesOf(target).includes(path)));
if (unknown !== undefined) fail(`${unknown} is in no target`);

let left = 0;
for (const target of values.write ? [] : targets) {
  const scope: Scope = { files: chosen, isAll: all, onlySurvivors: survivors, tests: values.tests };
  const examined = await mutate(target, scope, (text) => console.log(text));
  for (const [path, { survived, unreached }] of Object.entries(examined)) {
    const texts = [...survived, ...unreached];
    const explained = REASONS.filter((entry) => `src/${entry.file}` === path).flatMap(
      ({ mutants }) => mutants,
    );
    const open = texts.filter((text) => !explained.includes(text));
    left += open.length;
    if (open.length > 0) console.log(`\n${path}\n${open.map((text) => `  ${text}`).join('\n')}`);
  }
}
const results = readResults();
console.log('');
for (const row of TARGETS.map((target) => rowOf(target, results))) {
  if (row === undefined) continue;
  const { target, mutants, killed, slow, explained, survived } = row;
  console.log(
    `${target}: ${mutants} mutants, ${killed} killed, ${slow} too slow, ${explained} survive with a reason, ${survived} without; ${scoreOf(row).toFixed(1)}%`,
  );
}
if (values.write) {
  const page = join(ROOT, PAGE);
  await Bun.write(page, withTables(await Bun.file(page).text(), results));
}
process.exit(left > 0 ? 1 : 0);
