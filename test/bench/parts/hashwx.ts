import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { allMeetThreshold, toBlock, toThreshold } from '../../../src/puzzle/check.ts';
import { checkHashwxIndexes, hashwxSeed } from '../../../src/puzzle/hashwx.ts';
import { KINDS } from '../../../src/puzzle/kinds.ts';
import { toPuzzleBytes } from '../../../src/puzzle/puzzle.ts';
import { createArgon2idHash } from '../../../src/server/argon2id/hash.ts';
import { createBlake2b, createBlake2bCheck } from '../../../src/server/blake2b.ts';
import { createHashwx, createHashwxCheck } from '../../../src/server/hashwx.ts';
import { compileHashwx, hasAvx512 } from '../../analysis/hashwx/native.ts';
import { findCompiler } from '../clients/compile.ts';
import type { Lab } from '../harness/lab.ts';
import { type Row, type Target, toRow } from '../harness/row.ts';
import { loadScripts, openPages, type Page } from '../solver/browsers.ts';
import { openHashwxRunners } from '../solver/hashwxRunners.ts';
import type { Part } from './part.ts';

const WINDOWS = 25;
const QUICK_WINDOWS = 2;
const PAYLOADS = 400;
const HASHES = 20_000;
/** Every hash is at most this, so that all solutions of a payload are checked. */
const ALL = 0xffffffff;

const puzzleBytes = toPuzzleBytes({
  version: 3,
  challenge: 'hashwx',
  propertyId: new Uint8Array(16).fill(0x5a),
  puzzleId: new Uint8Array(8).fill(3),
  difficulty: KINDS.hashwx.minDifficulty,
  solutionCount: KINDS.hashwx.solutionCount,
  expiresAtSeconds: 1_800_000_000,
  userData: new Uint8Array(16).fill(9),
});
const seed = hashwxSeed(toBlock(puzzleBytes), new Uint8Array(8), 0, createBlake2b()).slice(0, 32);

type Contender = {
  readonly name: string;
  readonly measure: () => number | Promise<number>;
  readonly target?: Target;
};

const TARGETS: Readonly<Record<string, Target>> = {
  'Chromium, WebAssembly': { of: 'ratio', bound: 'at least', required: 0.6, goal: 0.75 },
  'Firefox, WebAssembly': { of: 'ratio', bound: 'at least', required: 0.6, goal: 0.75 },
};
/** About one of 2,000 hashes is at most this. */
const COMPARED = 2 ** 21;
const PUZZLES = 40;
const HARD_PUZZLES = 20;
const THREADS = 2;
/** 24 more levels are eight times the work, which is what a device with an eighth of the speed does. */
const HARD_LEVELS = 24;

/** Solutions with random nonces and blocks, so that each has programs of its own. */
function solutionsOf(solutionCount: number): Uint8Array {
  const solutions = crypto.getRandomValues(new Uint8Array(8 * solutionCount));
  for (let i = 0; i < solutionCount; i++) solutions.set([i, 0], 8 * i);
  return solutions;
}

/** @returns µs for each payload */
function timeOf(count: number, solutionCount: number, check: (solutions: Uint8Array) => boolean): number {
  const payloads = Array.from({ length: count }, () => solutionsOf(solutionCount));
  const from = performance.now();
  for (const solutions of payloads) if (!check(solutions)) throw new Error('a solution was rejected');
  return ((performance.now() - from) * 1000) / count;
}

async function verifiers(): Promise<readonly Contender[]> {
  const block = toBlock(puzzleBytes);
  const [checkBlake2b, checkHashwx, argon2id] = [
    createBlake2bCheck(),
    await createHashwxCheck()(),
    await createArgon2idHash(),
  ];
  const hashwx = (solutions: Uint8Array) =>
    checkHashwxIndexes(solutions) === 'valid' && checkHashwx(solutions, block, ALL);
  return [
    {
      name: 'BLAKE2b, 16 solutions',
      measure: () => timeOf(PAYLOADS, 16, (all) => checkBlake2b(all, block, ALL)),
    },
    {
      name: 'HashWX, 8 solutions',
      measure: () => timeOf(PAYLOADS, KINDS.hashwx.solutionCount, hashwx),
      target: { of: 'value', bound: 'at most', required: 600, goal: 250 },
    },
    {
      name: 'HashWX, the first of 8 is wrong',
      measure: () =>
        timeOf(PAYLOADS, KINDS.hashwx.solutionCount, (all) => {
          return checkHashwxIndexes(all) === 'valid' && !checkHashwx(all, block, toThreshold(255));
        }),
    },
    {
      name: 'argon2id, 8 solutions',
      measure: () =>
        timeOf(1, KINDS.argon2id.solutionCount, (all) => allMeetThreshold(all, block, ALL, argon2id)),
    },
  ];
}

/** Thousands of hashes per second. */
function solvers(folder: string): readonly Contender[] {
  const hashwx = createHashwx();
  const native = (name: string, lanes?: 1 | 8, isCompiled = true): Contender => {
    const { run } = compileHashwx(folder, {
      source: 'native.c',
      ...(isCompiled && { seed }),
      ...(lanes && { lanes }),
    });
    return { name, measure: () => HASHES / 1000 / (run('rate', seed.toHex(), HASHES)[0] ?? Number.NaN) };
  };
  return [
    native('C, compiled programs'),
    native('C, interpreter', 1, false),
    ...(hasAvx512() ? [native('C with AVX-512, compiled programs, 8 lanes', 8)] : []),
    {
      name: "Bun, the server's interpreter",
      measure() {
        hashwx.generate(seed);
        const from = performance.now();
        for (let nonce = 0; nonce < HASHES; nonce++) hashwx.hash(nonce);
        return HASHES / (performance.now() - from);
      },
    },
  ];
}

/** The implementations of the widget in Bun and in a page of each browser. @throws if they find different solutions */
async function inEngines(pages: readonly Page[]): Promise<readonly Contender[]> {
  const own = openHashwxRunners();
  const expected = own.map(({ attempts }) => attempts(COMPARED));
  const contenders: Contender[] = own.map(({ name, rate }) => ({ name: `Bun, ${name}`, measure: rate }));
  for (const { name: browser, evaluate } of pages) {
    await evaluate('void (globalThis.hashwxRunners = posternHashwx())');
    const found = await evaluate<number[]>(`hashwxRunners.map(({ attempts }) => attempts(${COMPARED}))`);
    if (`${found}` !== `${expected}`) throw new Error(`${browser} found ${found} instead of ${expected}`);
    own.forEach(({ name: runner }, i) => {
      const name = `${browser}, ${runner}`;
      const target = TARGETS[name];
      const measure = () => evaluate<number>(`hashwxRunners[${i}].rate()`);
      contenders.push({ name, measure, ...(target && { target }) });
    });
  }
  return contenders;
}

/** Measures puzzles of the default level, and with eight times the work. */
async function measurePuzzles({ name, evaluate }: Page, isQuick: boolean): Promise<readonly Row[]> {
  const { level } = DEFAULT_SETTINGS;
  const solve = async (count: number, levelOfAll: number) => {
    const times: number[] = [];
    for (let seed = 0; seed < (isQuick ? 1 : count); seed++) {
      const task = `{ seed: ${seed}, level: ${levelOfAll}, threadCount: ${THREADS} }`;
      times.push(await evaluate<number>(`posternHashwxPuzzle(posternSolver, ${task})`));
    }
    return times;
  };
  const times = await solve(PUZZLES, level);
  const hardTimes = await solve(HARD_PUZZLES, level + HARD_LEVELS);
  const title = `${name}, a whole puzzle at the default level, two workers`;
  const row = (suffix: string, values: readonly number[], required: number) =>
    toRow({ name: title + suffix, unit: 'ms', values, target: { of: 'value', bound: 'at most', required } });
  return [
    row('', times, 400),
    row(': 95th percentile', [percentile95(times)], 800),
    row(', eight times the work: 95th percentile', [percentile95(hardTimes)], 6000),
  ];
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN;
}

async function measureAll(
  contenders: readonly Contender[],
  windows: number,
  unit: string,
): Promise<readonly Row[]> {
  const values = contenders.map((): number[] => []);
  // The first calls run before the engine has optimized the code.
  for (const { measure } of contenders) await measure();
  for (let window = 0; window < windows; window++) {
    for (const [i, { measure }] of contenders.entries()) values[i]?.push(await measure());
  }
  const [first] = contenders;
  return contenders.map(({ name, target }, i) =>
    toRow({
      name,
      unit,
      values: values[i] ?? [],
      ...(first && i > 0 && { yardstick: { name: first.name, values: values[0] ?? [] } }),
      ...(target && { target }),
    }),
  );
}

async function run({ folder, duration, defer, progress }: Lab): Promise<readonly Row[]> {
  const windows = duration.isQuick ? QUICK_WINDOWS : WINDOWS;
  const rows = [...(await measureAll(await verifiers(), windows, 'µs/payload'))];
  const pages = await openPages(defer, progress);
  for (const page of pages)
    await loadScripts(page, ['test/bench/solver/hashwxRunners.ts'], 'src/widget/hashwx/worker.ts');
  const contenders = [...solvers(folder), ...(await inEngines(pages))];
  rows.push(...(await measureAll(contenders, windows, 'kH/s')));
  for (const page of pages) rows.push(...(await measurePuzzles(page, duration.isQuick)));
  return rows;
}

export const hashwx: Part = {
  name: 'hashwx',
  title: 'Verifying and solving HashWX puzzles',
  method:
    'The first rows are microseconds for the work of one payload, without parsing and without the signature, on one thread; each HashWX payload has other programs, so their creation is included. The next rows are thousands of HashWX hashes per second of one thread. The C programs are those of the [analysis](../explanation/hashwx.md), with the programs of one seed. WebAssembly and JavaScript are the implementations of the widget; each window creates programs and hashes with them, as a worker does. All rows with one unit take turns in 25 windows. The last rows are the times in which two workers solve 40 puzzles of the default level, and 20 with eight times the work, which is what a device with an eighth of the speed does.',
  limitSeconds: 300,
  isMissing: () => (findCompiler() === undefined ? 'no C compiler is installed' : undefined),
  run,
};
