import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { examine, type Result } from './examine.ts';
import { createLane } from './lane.ts';
import { createMirror } from './mirror/mirror.ts';
import { addResults, type FileResult, hashOf, type Results, readResults } from './results.ts';
import { type Mutant, toSchema, withLoopLimits } from './schema/schema.ts';
import { sourcesOf, type Target, testsOf } from './targets.ts';

/** Examines the files of a target, and stores the results. */

const ROOT = join(import.meta.dir, '../../..');
const PROCESSES = Number(process.env.MUTATION_PROCESSES ?? 2);

export type Scope = {
  /** Paths of source files below the root; undefined for all. */
  readonly files: readonly string[] | undefined;
  /** Whether files are included whose results are up to date. */
  readonly isAll: boolean;
  /** Whether mutants that were detected the last time count as detected: tests were only added. */
  readonly onlySurvivors: boolean;
  /** A pattern of paths of test files below the root; undefined for all tests of the target. */
  readonly tests: string | undefined;
};

type Examined = {
  readonly file: string;
  readonly first: number;
  readonly mutants: readonly Mutant[];
  /** The results of the same source, if the mutants that were killed then are left out. */
  readonly before: FileResult | undefined;
  readonly source: string;
};

const dateNow = () => new Date().toISOString().slice(0, 10);

function commitNow(): string {
  return Bun.spawnSync(['git', 'rev-parse', '--short=8', 'HEAD'], { cwd: ROOT }).stdout.toString().trim();
}

/** The texts of the mutants of a source file. @param file path below the root */
export function textsOf(file: string): ReadonlySet<string> {
  return new Set(toSchema(readFileSync(join(ROOT, file), 'utf8'), file, 0).mutants.map(({ text }) => text));
}

/** @returns the results of the files that were examined */
export async function mutate(target: Target, scope: Scope, report: (text: string) => void): Promise<Results> {
  const all = testsOf(target);
  const tests = all.filter((path) => scope.tests === undefined || new Glob(scope.tests).match(path));
  const testHash = hashOf(ROOT, all);
  const old = readResults();
  const sources = sourcesOf(target).map((file) => ({ file, source: hashOf(ROOT, [file]), old: old[file] }));
  const files = sources.filter(({ file, source, old }) => {
    const isChosen = scope.files?.includes(file) ?? true;
    return isChosen && (scope.isAll || old?.source !== source || old.tests !== testHash);
  });
  if (files.length === 0) return {};

  const codes = loopLimits();
  const examined: Examined[] = [];
  let count = 0;
  for (const { file, source, old } of files) {
    const { code, mutants } = toSchema(readFileSync(join(ROOT, file), 'utf8'), file, count);
    const before = scope.onlySurvivors && old?.source === source ? old : undefined;
    examined.push({ file, first: count, mutants, before, source });
    count += mutants.length;
    codes.set(file, code);
  }
  report(`${target.name}: ${count} mutants in ${files.length} files, ${tests.length} test files`);
  const mirrors = Array.from({ length: PROCESSES }, () => createMirror(ROOT, codes, count));
  try {
    const lanes = mirrors.map((mirror) => createLane(mirror, printFailures));
    const mutants = examined.flatMap(numbersOf);
    const resultsFrom = (found: ReadonlyMap<number, Result>, hash: string): Results =>
      Object.fromEntries(examined.map((entry) => [entry.file, toResult(entry, found, hash)]));
    // A run that is interrupted keeps what it has found, but the files are not up to date.
    const onProgress = (found: ReadonlyMap<number, Result>) => addResults(resultsFrom(found, ''));
    const results = resultsFrom(
      await examine({ lanes, files: tests, mutants, report, onProgress }),
      tests.length < all.length ? '' : testHash,
    );
    addResults(results);
    return results;
  } finally {
    for (const mirror of mirrors) mirror.remove();
  }
}

/** The general helpers, in whose loops a mutant of other code may never end. */
function loopLimits(): Map<string, string> {
  const files = [...new Glob('src/lib/*.ts').scanSync(ROOT)];
  return new Map(files.map((file) => [file, withLoopLimits(readFileSync(join(ROOT, file), 'utf8'), file)]));
}

function printFailures(output: string): void {
  if (process.env.MUTATION_DEBUG !== undefined) process.stderr.write(output);
}

/** The mutants to run: with `--survivors`, only those that were not detected before. */
function numbersOf({ first, mutants, before }: Examined): readonly number[] {
  const alive = before && new Set([...before.survived, ...before.unreached]);
  return mutants.flatMap(({ text }, at) => (alive === undefined || alive.has(text) ? [first + at] : []));
}

function toResult(
  { first, mutants, source, before }: Examined,
  found: ReadonlyMap<number, Result>,
  tests: string,
): FileResult {
  const textsWith = (wanted: Result) =>
    mutants.flatMap(({ text }, at) => (found.get(first + at) === wanted ? [text] : []));
  const slow = [...(before?.slow ?? []), ...textsWith('slow')];
  const [survived, unreached] = [textsWith('survived'), textsWith('unreached')];
  return {
    source,
    tests,
    date: dateNow(),
    commit: commitNow(),
    mutants: mutants.length,
    killed: mutants.length - slow.length - survived.length - unreached.length,
    slow,
    survived,
    unreached,
  };
}
