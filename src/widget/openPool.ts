import type { Challenge } from '../puzzle/puzzle.ts';
import { loadSolver } from './buildFiles.ts';
import { fetchKernel } from './kernelClient.ts';
import { deviceMemory } from './maxVersion.ts';
import { createOpenOnPage, createOpenWorker, type SolverProgram } from './openThread.ts';
import { createPool, type OpenThread, type Pool, type PoolDeps, threadCountFor } from './pool.ts';
import { isOurs, scriptUrl } from './scriptUrl.ts';
import { later } from './timers.ts';

/** The bundle of `worker.ts` as a function, added by `bundle.ts`. */
declare const POSTERN_SOLVER: SolverProgram;

/** Set by `bundle.ts`: name and integrity of the script for browsers that do not support the kernel with SIMD. */
declare const POSTERN_FALLBACK_NAME: string;
declare const POSTERN_FALLBACK_INTEGRITY: string;

/** The same for the script that solves argon2id puzzles. */
declare const POSTERN_ARGON2ID_NAME: string;
declare const POSTERN_ARGON2ID_INTEGRITY: string;

/** Set by `bundle.ts`: the folder of the script's other files, relative to the script's URL. */
declare const POSTERN_FILES: string;

/** GiB. Threads for argon2id, with 16 MiB each, are limited to four on devices that do not disclose their memory. */
const ASSUMED_MEMORY = 2;

const { hardwareConcurrency } = navigator;

// A worker from a URL has the policy of that URL, not of the page. A bundle of the page cannot run in a worker.
const isSameOrigin = scriptUrl.startsWith(`${location.origin}/`) && isOurs(scriptUrl);

/** Opens solver threads. @param endpoint the URL of puzzles, if it is valid */
export function openPool(endpoint: string | undefined, challenge: Challenge): Pool {
  return createPool({
    ...(challenge === 'argon2id' ? argon2idSolvers(endpoint) : blake2bSolvers(endpoint)),
    later,
  });
}

type Solvers = Omit<PoolDeps, 'later'>;

const blake2bSolvers = (endpoint: string | undefined): Solvers => ({
  openers: openersOf(POSTERN_SOLVER, ''),
  loadFallbacks: loader(POSTERN_FALLBACK_NAME, POSTERN_FALLBACK_INTEGRITY, endpoint),
  threadCount: threadCountFor(hardwareConcurrency, deviceMemory),
  kernel: fetchKernel(endpoint),
});

/** The script contains the kernels. */
const argon2idSolvers = (endpoint: string | undefined): Solvers => ({
  openers: [],
  loadFallbacks: loader(POSTERN_ARGON2ID_NAME, POSTERN_ARGON2ID_INTEGRITY, endpoint),
  threadCount: threadCountFor(hardwareConcurrency, deviceMemory ?? ASSUMED_MEMORY),
  kernel: Promise.resolve(undefined),
});

const loader = (name: string, integrity: string, endpoint: string | undefined) => async () =>
  openersOf(await loadSolver(name, integrity, endpoint), POSTERN_FILES + name);

/** @param path of the program's file, relative to this script */
const openersOf = (program: SolverProgram, path: string): OpenThread[] => [
  ...(isSameOrigin ? [createOpenWorker(new URL(path, scriptUrl).href)] : []),
  createOpenWorker(program),
  createOpenOnPage(program),
];
