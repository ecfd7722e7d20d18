import type { Lane } from './lane.ts';
import type { Answer, FileRecord, Mode, Order, Verdict } from './mirror/job.ts';

/** Determines which mutants the tests kill: each test file is recorded once, and then runs with the mutants that it reaches. */

/** `unreached`: no test reaches it. `slow`: a test did not end in time. */
export type Result = 'killed' | 'slow' | 'survived' | 'unreached';

/**
 * The time for which tests run with one mutant, if they pass: the fastest ones are chosen. Milliseconds of processor time. If modules
 * execute the mutant when they are loaded, it is unknown which tests depend on it, and loading them takes most of the time.
 */
const MAX_MS: Readonly<Record<Exclude<Mode, 'record'>, number>> = {
  warm: 1000,
  reload: 12_000,
  single: 12_000,
};

type TestFile = {
  readonly file: string;
  readonly record: FileRecord;
  readonly loaded: ReadonlySet<number>;
  /** The tests by the mutants that they reach, the fastest first. */
  readonly reaching: ReadonlyMap<number, readonly number[]>;
  /** Milliseconds of processor time of the hooks and an average test. */
  readonly cost: number;
};

export type Options = {
  readonly lanes: readonly Lane[];
  /** Paths of test files below the root. */
  readonly files: readonly string[];
  /** The mutants to examine. */
  readonly mutants: readonly number[];
  readonly report: (text: string) => void;
  /** Called with the results so far; mutants that have not been tried yet count as not reached. */
  readonly onProgress?: (results: ReadonlyMap<number, Result>) => void;
};

/** @returns the result of each mutant */
export async function examine(options: Options): Promise<ReadonlyMap<number, Result>> {
  const { mutants, report } = options;
  const files = (await recordAll(options)).toSorted((a, b) => a.cost - b.cost);
  const results = new Map<number, Result>();
  const alive = new Set(mutants);
  /** The mutants that a file must try again with new modules, or in a new process. */
  const again = new Map(files.map(({ file }) => [file, new Set<number>()]));

  /** How long tests have run with a mutant, in milliseconds of processor time. */
  const spent = new Map<number, number>();

  function ordersFor(file: TestFile, mode: keyof typeof MAX_MS, chosen: readonly number[]): readonly Order[] {
    const { hookCpuMs, loadCpuMs } = file.record;
    const fixed = hookCpuMs + (mode === 'warm' ? 0 : loadCpuMs);
    return chosen.flatMap((mutant) => {
      const before = spent.get(mutant) ?? 0;
      const tests = testsFor(file, mutant, MAX_MS[mode] - before);
      const ms = tests.reduce((sum, number) => sum + msOf(file.record, number), fixed);
      spent.set(mutant, before + ms);
      return tests.length === 0 ? [] : [{ mutant, tests }];
    });
  }

  const allResults = () =>
    new Map<number, Result>(mutants.map((mutant) => [mutant, results.get(mutant) ?? 'unreached']));

  function settle(file: TestFile, mutant: number, verdict: Verdict): void {
    if (verdict === 'missed' || verdict === 'unsure') again.get(file.file)?.add(mutant);
    else results.set(mutant, verdict);
    if (verdict === 'killed' || verdict === 'slow') alive.delete(mutant);
  }

  async function tryFile(
    file: TestFile,
    mode: keyof typeof MAX_MS,
    chosen: readonly number[],
  ): Promise<void> {
    const orders = ordersFor(file, mode, chosen);
    if (orders.length === 0) return;
    const before = alive.size;
    await inLanes(options, orders, (lane, part) =>
      runOrders(lane, file, mode, part, (mutant, verdict) => settle(file, mutant, verdict)),
    );
    options.onProgress?.(allResults());
    report(
      `${mode} ${file.file}: ${orders.length} mutants, ${before - alive.size} killed, ${alive.size} left`,
    );
  }

  for (const file of files) {
    const isWarm = (mutant: number) => file.record.isRepeatable && !file.loaded.has(mutant);
    const reached = [...alive].filter((mutant) => file.reaching.has(mutant) || file.loaded.has(mutant));
    for (const mutant of reached) if (!isWarm(mutant)) again.get(file.file)?.add(mutant);
    await tryFile(file, 'warm', reached.filter(isWarm));
  }
  for (const mode of ['reload', 'single'] as const) {
    spent.clear();
    for (const file of files) {
      const waiting = again.get(file.file) ?? new Set();
      const chosen = [...waiting].filter((mutant) => alive.has(mutant));
      waiting.clear();
      await tryFile(file, mode, chosen);
    }
  }
  return allResults();
}

async function recordAll({ lanes, files, report }: Options): Promise<readonly TestFile[]> {
  const waiting = [...files];
  const recorded: TestFile[] = [];
  const missing: string[] = [];
  const work = async (lane: Lane) => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      let record: FileRecord | undefined;
      const job = { mode: 'record', file, mutants: [], costs: [], hookMs: 0, isInOrder: true } as const;
      await lane.run(job, (answer) => {
        if ('record' in answer) record = answer.record;
      });
      if (record === undefined) {
        missing.push(file);
        continue;
      }
      const failed = record.tests.filter(({ passed }) => !passed).length;
      const note = `${failed > 0 ? `, ${failed} fail without a mutant` : ''}${record.isRepeatable ? '' : ', cannot be repeated'}`;
      report(`recorded ${file}: ${record.tests.length} tests${note}`);
      recorded.push(toTestFile(file, record));
    }
  };
  await Promise.all(lanes.map(work));
  // A file has no result if, for example, it imports something that the harness does not export.
  if (missing.length > 0) throw new Error(`no result of ${missing.join(', ')}`);
  return recorded;
}

function toTestFile(file: string, record: FileRecord): TestFile {
  const reaching = new Map<number, number[]>();
  const order = record.tests.map((_, number) => number).toSorted((a, b) => msOf(record, a) - msOf(record, b));
  for (const number of order) {
    const test = record.tests[number];
    if (!test?.passed) continue;
    for (const mutant of test.reached) {
      const numbers = reaching.get(mutant);
      if (numbers === undefined) reaching.set(mutant, [number]);
      else numbers.push(number);
    }
  }
  const ms = record.tests.reduce((sum, test) => sum + test.cpuMs, 0);
  const cost = record.hookCpuMs + ms / record.tests.length;
  return { file, record, loaded: new Set(record.loaded), reaching, cost };
}

const msOf = ({ tests }: FileRecord, number: number) => tests[number]?.cpuMs ?? 0;

/** @param limitMs the time for the tests, of which at least one is chosen if the time of others is not used up */
function testsFor(
  { record, loaded, reaching }: TestFile,
  mutant: number,
  limitMs: number,
): readonly number[] {
  const passing = record.tests.flatMap(({ passed }, number) => (passed ? [number] : []));
  if (limitMs <= 0) return [];
  if (!record.isRepeatable) return passing;
  const candidates = loaded.has(mutant)
    ? passing.toSorted((a, b) => msOf(record, a) - msOf(record, b))
    : (reaching.get(mutant) ?? passing);
  let ms = 0;
  return candidates.filter((number, at) => {
    ms += msOf(record, number);
    return at === 0 || ms <= limitMs;
  });
}

/** Gives each lane an equal part. */
async function inLanes(
  { lanes }: Options,
  orders: readonly Order[],
  run: (lane: Lane, part: readonly Order[]) => Promise<void>,
): Promise<void> {
  const parts = lanes.map((_, lane) => orders.filter((_, at) => at % lanes.length === lane));
  await Promise.all(lanes.map((lane, at) => run(lane, parts[at] ?? [])));
}

/** Starts another process for the rest whenever one ends early. A new process for each mutant if the mode is `single`. */
async function runOrders(
  lane: Lane,
  { file, record }: TestFile,
  mode: Mode,
  orders: readonly Order[],
  settle: (mutant: number, verdict: Verdict) => void,
): Promise<void> {
  const costs = record.tests.map(({ ms, steps }) => ({ ms, steps }));
  const { hookMs, isRepeatable } = record;
  const isInOrder = !isRepeatable;
  let rest = orders;
  while (rest.length > 0) {
    const mutants = mode === 'single' ? rest.slice(0, 1) : rest;
    let running: number | undefined;
    const done = new Set<number>();
    const onAnswer = (answer: Answer) => {
      if ('start' in answer) running = answer.start;
      if (!('verdict' in answer)) return;
      done.add(answer.mutant);
      settle(answer.mutant, answer.verdict);
    };
    const end = await lane.run({ mode, file, mutants, costs, hookMs, isInOrder }, onAnswer);
    // The process ended: perhaps because of an earlier mutant, unless there was none. If it never started, none is known to fail.
    const crashed: Verdict = mode === 'single' ? 'killed' : 'unsure';
    const lost = running === undefined ? mutants.map(({ mutant }) => mutant) : [running];
    for (const mutant of lost.filter((mutant) => !done.has(mutant))) {
      done.add(mutant);
      if (running !== undefined) settle(mutant, end === 'stalled' ? 'slow' : crashed);
      else settle(mutant, mode === 'single' ? 'survived' : 'unsure');
    }
    rest = rest.filter(({ mutant }) => !done.has(mutant));
  }
}
