/**
 * `npm test`: installs what is missing, runs every layer of tests, and prints `N passed, N failed` as its last line.
 * `npm test -- --all` also runs the layers that passed before in this clone with the same files.
 *
 * This file runs before any package is installed, so it imports only Bun, Node, and files that do the same.
 */
import { availableParallelism } from 'node:os';
import { buildIfStale, install } from '../build/build.ts';
import { auditPackages } from './audit.ts';
import { failuresIn } from './failures.ts';
import { LAYERS, type Layer } from './layers.ts';
import { createMemoryFolder } from './memoryFolder.ts';
import { ensurePackages, reasonNotToRun } from './packages.ts';
import { hashInputs, passedAt, recordPass } from './records.ts';

const ROOT = `${import.meta.dir}/..`;

/** For tests that do not set their own. Generous, because starting one process takes seconds on a busy machine. */
const TEST_TIMEOUT_MS = 120_000;

/**
 * The number of processes that run the files of a layer. Each process keeps its modules, its browser, and its tabs from file
 * to file: loading them again for every file would cost more than a second processor saves.
 */
const PARALLEL = [`--parallel=${Math.min(4, availableParallelism())}`, '--no-isolate'];

/** The number of layers that run at the same time, because most of them wait for processes, browsers, or time limits. */
const CONCURRENT_LAYERS = 3;

/**
 * Without the last tier of JavaScriptCore's compiler, `test/portal` takes 14% less CPU time, because most code of the tests runs only
 * briefly; `test/widget` and `test/fuzz`, which are compute-bound, take 4% more.
 */
const RUNTIME = { BUN_JSC_useFTLJIT: '0' };

type Result = {
  readonly passed: number;
  readonly failed: number;
  /** The tests that did not pass. @see failuresIn */
  readonly failures: readonly string[];
};

/** A layer without the tests that do not run. */
type Planned = Layer & {
  readonly inputs?: string | undefined;
  /** Which tests do not run, and why. */
  readonly notes: readonly string[];
};

const noteOn = (paths: readonly string[], reason: string) =>
  `not run: ${paths.map((path) => `test/${path}`).join(', ')}: ${reason}`;

/** Omits tests that this machine cannot run. May install packages. */
function selectPossible(layer: Layer): Planned {
  const reasons = new Map(layer.paths.map((path) => [path, reasonNotToRun(path)]));
  return {
    ...layer,
    paths: layer.paths.filter((path) => reasons.get(path) === undefined),
    notes: [...reasons].flatMap(([path, reason]) => (reason === undefined ? [] : noteOn([path], reason))),
  };
}

/** Omits tests that already passed with the same inputs. Call it after all packages are installed, because they are inputs. */
function selectChanged(layer: Planned): Planned {
  const { name, paths, notes } = layer;
  const inputs = layer.isRecorded && hashInputs(paths);
  const date = process.argv.includes('--all') ? undefined : passedAt(name, inputs);
  if (date === undefined) return { ...layer, inputs };
  const note = noteOn(paths, `passed on ${date} with the same files; \`npm test -- --all\` runs them again`);
  return { ...layer, paths: [], notes: [...notes, note] };
}

type Output = { readonly write: (text: string) => void; readonly end: () => void };

/** Keeps the output of layers that run at the same time apart: one prints at once, and the text of the others waits until it ends. */
function createOutputs(): () => Output {
  const open: { text: string; isEnded: boolean }[] = [];
  const print = () => {
    while (open[0] !== undefined) {
      process.stdout.write(open[0].text);
      open[0].text = '';
      if (!open[0].isEnded) return;
      open.shift();
    }
  };
  return () => {
    const own = { text: '', isEnded: false };
    open.push(own);
    return {
      write(text) {
        own.text += text;
        print();
      },
      end() {
        own.isEnded = true;
        print();
      },
    };
  };
}

async function collect(stream: ReadableStream<Uint8Array>, write: (text: string) => void): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const part = decoder.decode(chunk, { stream: true });
    text += part;
    write(part);
  }
  return text;
}

type Surroundings = {
  /** The in-memory folder for temporary files. */
  readonly memory: string | undefined;
  /** The path of the compiled executable. */
  readonly executable: string;
};

/** Runs one layer. A skipped test counts as failed, because it proves nothing. */
async function runLayer(
  layer: Planned,
  { memory, executable }: Surroundings,
  { write, end }: Output,
): Promise<Result> {
  const { name, paths, engine, browser = 'chromium', inputs } = layer;
  write(`\n== ${name}: ${paths.join(' ')}\n`);
  const startedAt = performance.now();
  const timeout = ['--timeout', String(TEST_TIMEOUT_MS)];
  const folder = memory === undefined || layer.isOnDisk ? {} : { TMPDIR: memory };
  const child = Bun.spawn(
    [process.execPath, 'test', ...timeout, ...PARALLEL, ...paths.map((path) => `./test/${path}`)],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...RUNTIME,
        ...folder,
        TEST_ENGINE: engine,
        TEST_BROWSER: browser,
        TEST_EXECUTABLE: executable,
      },
    },
  );
  const [output] = await Promise.all([collect(child.stderr, write), collect(child.stdout, write)]);
  const exitCode = await child.exited;
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(output)?.[1] ?? 0);
  const passed = count('pass');
  const failed = count('fail') + count('skip') + count('todo') + count('error');
  // A layer that crashed or found no test must not count as passed.
  const hasCrashed = failed === 0 && (exitCode !== 0 || passed === 0);
  const result = { passed, failed: failed + (hasCrashed ? 1 : 0), failures: failuresIn(output) };
  write(`== ${name}: ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  end();
  // A file that changed while the tests ran proves nothing.
  if (result.failed === 0 && inputs !== undefined && inputs === hashInputs(paths)) recordPass(name, inputs);
  return result;
}

/** Runs the layers, several at the same time. @returns in the order of the layers */
async function runLayers(planned: readonly Planned[], executable: string): Promise<readonly Result[]> {
  const openOutput = createOutputs();
  const memory = createMemoryFolder();
  const results = new Map<Planned, Result>();
  const waiting = planned.filter(({ paths }) => paths.length > 0);
  const runNext = async (): Promise<void> => {
    const layer = waiting.shift();
    if (layer === undefined) return;
    results.set(layer, await runLayer(layer, { memory, executable }, openOutput()));
    return runNext();
  };
  await Promise.all(Array.from({ length: CONCURRENT_LAYERS }, runNext));
  // Unlike rmSync, rm does not fail if a process that ends late is still writing.
  if (memory !== undefined) Bun.spawnSync(['rm', '-rf', memory]);
  return planned.flatMap((layer) => results.get(layer) ?? []);
}

/** The audit of the packages, which counts as one failure if a runtime package is vulnerable. */
function audit(): Result {
  const { status, report } = auditPackages();
  const isVulnerable = status === 'vulnerable';
  console.log(`\n${report.join('\n')}`);
  return { passed: 0, failed: isVulnerable ? 1 : 0, failures: isVulnerable ? [report.join('\n')] : [] };
}

async function runAll(): Promise<readonly Result[]> {
  try {
    install();
    ensurePackages();
    const executable = buildIfStale();
    const audited = audit();
    const planned = LAYERS.map(selectPossible).map(selectChanged);
    const results = [audited, ...(await runLayers(planned, executable))];
    for (const note of planned.flatMap(({ notes }) => notes)) console.log(`\n${note}`);
    return results;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return [{ passed: 0, failed: 1, failures: [] }];
  }
}

if (import.meta.main) {
  const results = await runAll();
  const failures = results.flatMap((result) => result.failures);
  const sum = (key: 'passed' | 'failed') => results.reduce((total, result) => total + result[key], 0);
  // The last lines of a long output are what a reader sees first, and often all that is kept.
  if (failures.length > 0) console.log(`\n== Did not pass\n${failures.join('\n\n')}`);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
}
