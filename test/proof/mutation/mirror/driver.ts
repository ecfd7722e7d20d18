import { test as bunTest } from 'bun:test';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { collect, type Suite, type Test } from './harness.ts';
import { type Answer, type FileRecord, type Job, MARK, type Order, type Verdict } from './job.ts';
import { isTest, play, TooSlowError, testsOf } from './play.ts';
import { countSteps, limitSteps, NONE, takeReached, turnOn } from './runtime.ts';

/** Does the job in `job.json`. The only test of its process. */

const ROOT = join(import.meta.dir, '..');
const MAX_STEPS = 0xffffffff;

const job: Job = JSON.parse(readFileSync(join(import.meta.dir, 'job.json'), 'utf8'));

function answer(message: Answer): void {
  writeSync(1, `\n${MARK}${JSON.stringify(message)}\n`);
}

async function load(): Promise<Suite> {
  const suite = collect();
  await import(join(ROOT, job.file));
  return suite;
}

// The types of Bun describe only the function.
const { cache } = require as unknown as { readonly cache: Record<string, unknown> };

/** Removes the modules of the mirror, so that the next import loads them again. */
function forget(): void {
  for (const path of Object.keys(cache)) {
    const isOurs = path.startsWith(`${ROOT}/src/`) || path.startsWith(`${ROOT}/test/`);
    if (isOurs && !path.endsWith('/test/mutation.test.ts')) delete cache[path];
  }
}

const costOf = ({ number }: Test) => job.costs[number] ?? { ms: 1000, steps: 1_000_000 };

/** Five times the normal time, and two seconds; `play` waits twice as long. */
const limitOf = (test: Test) => 2000 + 5 * costOf(test).ms;

const cheapestFirst = ({ children }: Suite) => {
  const costOfChild = (child: Suite | Test): number =>
    isTest(child) ? costOf(child).ms : testsOf(child).reduce((sum, test) => sum + costOf(test).ms, 0);
  return children.toSorted((a, b) => costOfChild(a) - costOfChild(b));
};

function now() {
  const { user, system } = process.cpuUsage();
  return { ms: performance.now(), cpuMs: (user + system) / 1000 };
}

function since(before: ReturnType<typeof now>) {
  const { ms, cpuMs } = now();
  return { ms: Math.ceil(ms - before.ms), cpuMs: Math.ceil((cpuMs - before.cpuMs) * 100) / 100 };
}

async function record(): Promise<FileRecord> {
  turnOn(NONE);
  limitSteps(MAX_STEPS);
  takeReached();
  const loading = now();
  const suite = await load();
  const { cpuMs: loadCpuMs } = since(loading);
  const loaded = takeReached();
  const blank = { ms: 0, cpuMs: 0, steps: 0, passed: true };
  const tests = testsOf(suite).map(() => ({ ...blank, reached: new Set<number>() }));
  const recordOf = ({ number }: Test) => tests[number] as (typeof tests)[number];
  let started = now();
  const options = { hookLimit: 60_000, limitOf: () => 60_000 };
  function onHooks(ended: Suite): void {
    const reached = takeReached();
    for (const test of testsOf(ended)) for (const mutant of reached) recordOf(test).reached.add(mutant);
  }
  const before = now();
  await play(suite, {
    ...options,
    isChosen: () => true,
    onHooks,
    onStart() {
      started = now();
      limitSteps(MAX_STEPS);
    },
    onEnd(test, error) {
      const entry = recordOf(test);
      for (const mutant of takeReached()) entry.reached.add(mutant);
      Object.assign(entry, since(started));
      entry.steps = countSteps();
      if (error !== undefined) {
        entry.passed = false;
        console.log(job.file, test.name, error);
      }
      return true;
    },
  });
  const all = since(before);
  const sum = (of: 'ms' | 'cpuMs') => tests.reduce((total, entry) => total + entry[of], 0);
  const hooks = { hookMs: Math.max(0, all.ms - sum('ms')), hookCpuMs: Math.max(0, all.cpuMs - sum('cpuMs')) };
  let isRepeatable = true;
  await play(suite, {
    ...options,
    ordered: ({ children }) => children.toReversed(),
    isChosen: (test) => recordOf(test).passed,
    onEnd(test, error) {
      if (error !== undefined) {
        isRepeatable = false;
        console.log('again', job.file, test.name, error);
      }
      return true;
    },
  });
  const entries = tests.map((entry) => ({ ...entry, reached: [...entry.reached] }));
  return { loaded, loadCpuMs, isRepeatable, ...hooks, tests: entries };
}

type Played = { readonly failed?: Test; readonly error?: unknown };

async function playSome(suite: Suite, tests: ReadonlySet<number>): Promise<Played> {
  let played: Played = {};
  await play(suite, {
    isChosen: ({ number }) => tests.has(number),
    limitOf,
    hookLimit: 5000 + 5 * job.hookMs,
    ...(job.isInOrder ? {} : { ordered: cheapestFirst }),
    onStart: (test) => limitSteps(10_000 + 20 * costOf(test).steps),
    onEnd(failed, error) {
      if (error === undefined) return true;
      played = { failed, error };
      return false;
    },
  });
  limitSteps(MAX_STEPS);
  return played;
}

/** The test that failed must pass without the mutant, after the tests on which it depends. */
async function isConfirmed(suite: Suite, tests: readonly number[], failed: number): Promise<boolean> {
  const needed = job.isInOrder ? tests.filter((number) => number <= failed) : [failed];
  return (await playSome(suite, new Set(needed))).failed === undefined;
}

function reachedVerdict(mutant: number): Verdict {
  return takeReached().includes(mutant) ? 'survived' : 'missed';
}

async function tryWarm(suite: Suite, { mutant, tests }: Order): Promise<Verdict> {
  takeReached();
  turnOn(mutant);
  const { failed, error } = await playSome(suite, new Set(tests));
  turnOn(NONE);
  if (failed === undefined) return reachedVerdict(mutant);
  if (error instanceof TooSlowError) return 'slow';
  return (await isConfirmed(suite, tests, failed.number)) ? 'killed' : 'unsure';
}

async function tryReloaded({ mutant, tests }: Order): Promise<Verdict> {
  takeReached();
  forget();
  turnOn(mutant);
  const played = await load().then(
    (suite) => playSome(suite, new Set(tests)),
    (error) => ({ failed: undefined, error }),
  );
  turnOn(NONE);
  const { failed, error } = played;
  if (failed === undefined && error === undefined) return reachedVerdict(mutant);
  if (error instanceof TooSlowError) return 'slow';
  if (job.mode === 'single') return 'killed';
  forget();
  const isSame = await load().then(
    (suite) => failed === undefined || isConfirmed(suite, tests, failed.number),
    () => false,
  );
  return isSame ? 'killed' : 'unsure';
}

bunTest(
  job.mode,
  async () => {
    if (job.mode === 'record') answer({ record: await record() });
    const suite = job.mode === 'warm' ? await load() : undefined;
    for (const order of job.mutants) {
      const { mutant } = order;
      answer({ start: mutant });
      const verdict = suite === undefined ? await tryReloaded(order) : await tryWarm(suite, order);
      answer({ mutant, verdict });
      // Work that the mutant has left behind could disturb the next ones.
      if (verdict === 'slow' || verdict === 'unsure') process.exit(3);
    }
    process.exit(0);
  },
  2 ** 31 - 1,
);
