import { describe, expect, test } from 'bun:test';
import { toBlock } from '../../../src/puzzle/check.ts';
import { checkHashwxIndexes, checkHashwxSolutions, hashwxSeed } from '../../../src/puzzle/hashwx.ts';
import { createHashwx } from '../../../src/server/hashwx.ts';
import { createModuleSearch } from '../../../src/widget/hashwx/module.ts';
import { openPlainSearch } from '../../../src/widget/hashwx/plain.ts';
import {
  createSolver,
  type OpenSearch,
  requireSpeed,
  toSolution,
} from '../../../src/widget/hashwx/search.ts';
import type { Solver } from '../../../src/widget/solver.ts';
import { solutionOf } from '../../../src/widget/solverThread.ts';
import { createReference, hasHash } from '../../puzzle/hashwx/reference.ts';
import vectors from '../../puzzle/hashwx/vectors.json';
import { createRandom } from '../../support/random.ts';

/** Seeds for the comparison with the reference. */
const RANDOM_SEEDS = 100;

const random = createRandom(35);
const blake2b = (block: Uint8Array) => new Bun.CryptoHasher('blake2b256').update(block).digest();

const randomBytes = (size: number) => Uint8Array.from({ length: size }, () => random(256));
const wordsOf = (seed: Uint8Array) => new Int32Array(seed.slice().buffer);

const upperHalf = (hash: bigint) => Number(hash >> 32n);

const IMPLEMENTATIONS: readonly (readonly [string, OpenSearch])[] = [
  ['module', createModuleSearch()],
  ['search in JavaScript', openPlainSearch],
];

describe.each(IMPLEMENTATIONS)('the %s', (_, open) => {
  test('computes the vectors whose nonces are less than 2^32', () => {
    const all = [...vectors.spec, ...vectors.generated].filter(({ nonce }) => Number(nonce) < 2 ** 32);
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const { seed, nonce, hash } of all) {
      const search = open(wordsOf(Uint8Array.fromHex(seed)));
      expect(hasHash(search, Number(nonce), upperHalf(BigInt(`0x${hash}`)))).toBe(true);
    }
  });

  test('agrees with the reference for random seeds and nonces', () => {
    for (let i = 0; i < RANDOM_SEEDS; i++) {
      const seed = randomBytes(32);
      const [reference, search] = [createReference(seed), open(wordsOf(seed))];
      for (const nonce of [0, 65_535, random(65_536)]) {
        const isEqual = hasHash(search, nonce, upperHalf(reference(BigInt(nonce))));
        expect({ seed: seed.toHex(), nonce, isEqual }).toEqual({ seed: seed.toHex(), nonce, isEqual: true });
      }
    }
  });

  test('returns the number of attempts up to the first hit, or 0', () => {
    const seed = randomBytes(32);
    const [reference, search] = [createReference(seed), open(wordsOf(seed))];
    const hashes = Array.from({ length: 40 }, (_, i) => upperHalf(reference(BigInt(100 + i))));
    const threshold = Math.min(...hashes);
    const attempts = hashes.indexOf(threshold) + 1;
    expect(search(100, 40, threshold)).toBe(attempts);
    expect(search(100, attempts, threshold)).toBe(attempts);
    expect(search(100, 40, threshold - 1)).toBe(0);
    if (attempts > 1) expect(search(100, attempts - 1, threshold)).toBe(0);
  });

  test('solves puzzles that the server accepts', () => {
    const solver = createSolver(open, true);
    const block = toBlock(randomBytes(48));
    const threshold = 2 ** 28;
    const solutions = new Uint8Array(8 * 8);
    solver.load(block);
    for (let index = 0; index < 8; index++) {
      // Bytes 1 and 2 separate the ranges of threads.
      const prefix = index | (index << 8) | ((index % 3) << 16);
      const attempts = solver.searchRange(prefix, 0, 65_536, threshold);
      solutions.set(toSolution(solutionOf(prefix, attempts - 1)), 8 * index);
    }
    expect(checkHashwxIndexes(solutions)).toBe('valid');
    expect(checkHashwxSolutions(solutions, block.slice(), threshold, blake2b, createHashwx())).toBe(true);
    expect(
      checkHashwxSolutions(solutions, toBlock(randomBytes(48)), threshold, blake2b, createHashwx()),
    ).toBe(false);
  });
});

describe('a solver', () => {
  type Call = readonly [start: number, count: number];

  /** A solver whose searches return the result of `find`, with their calls by seed. */
  function createScene(find: (start: number) => number = () => 0) {
    const calls = new Map<string, Call[]>();
    const solver = createSolver((seed) => {
      const own: Call[] = [];
      calls.set(new Uint8Array(seed.buffer).toHex(), own);
      return (start, count) => {
        own.push([start, count]);
        return find(start);
      };
    }, true);
    const block = toBlock(randomBytes(48));
    solver.load(block);
    const seedOf = (...solution: readonly number[]) =>
      new Uint8Array(hashwxSeed(block.slice(), Uint8Array.from(solution), 0, blake2b)).toHex();
    return { solver, calls, seedOf };
  }

  test('opens a search for each block of 65,536 nonces', () => {
    const { solver, calls, seedOf } = createScene();
    expect(solver.searchRange(0x0205, 0, 65_000, 1)).toBe(0);
    expect(solver.searchRange(0x0205, 65_000, 65_536 + 1000, 1)).toBe(0);
    expect([...calls]).toEqual([
      [
        seedOf(5, 0, 0, 0, 0, 0, 2, 0),
        [
          [0, 65_000],
          [65_000, 536],
        ],
      ],
      [seedOf(5, 0, 0, 0, 1, 0, 2, 0), [[0, 65_536]]],
      [seedOf(5, 0, 0, 0, 2, 0, 2, 0), [[0, 464]]],
    ]);
  });

  test('counts the attempts of all blocks', () => {
    const { solver } = createScene((start) => (start === 0 ? 3 : 0));
    const before = 3 * 65_536 - 10;
    createScene().solver.searchRange(0, 0, 1, 1);
    solver.searchRange(0, 0, 1, 1);
    expect(solver.searchRange(0, before, 20, 1)).toBe(13);
  });

  test('reaches the last block', () => {
    const { solver, calls, seedOf } = createScene();
    solver.searchRange(0xff_ff07, 2 ** 32 - 65_536, 65_536, 1);
    expect([...calls.keys()]).toEqual([seedOf(7, 0, 0, 0, 255, 255, 255, 255)]);
  });

  test('writes index, nonce, and block into a solution', () => {
    const found = solutionOf(0x03_0205, 0x0908_0706);
    expect(toSolution(found)).toEqual(Uint8Array.of(5, 0, 6, 7, 8, 9, 2, 3));
  });
});

describe('a solver with a required speed', () => {
  /** @param hashesPerMs speed of the solver in its next search */
  function createScene(hashesPerMs: () => number) {
    let time = 0;
    const solver: Solver = {
      usesWasm: false,
      load: () => undefined,
      searchRange: (_prefix, _start, count) => {
        time += count / hashesPerMs();
        return 0;
      },
    };
    const measured = requireSpeed(solver, () => time);
    return { measured, search: (count: number) => measured.searchRange(0, 0, count, 0) };
  }

  test('throws after a second if it is slower than two hashes per millisecond', () => {
    const { search } = createScene(() => 1.9);
    for (let i = 0; i < 18; i++) expect(search(100)).toBe(0);
    expect(() => search(100)).toThrow('1.90 hashes per ms');
  });

  test('does not throw if it is fast enough', () => {
    const { search } = createScene(() => 2.1);
    for (let i = 0; i < 100; i++) expect(search(100)).toBe(0);
  });

  test('does not throw if the device is busy during most searches', () => {
    let searches = 0;
    const { search } = createScene(() => (searches++ % 5 === 2 ? 2.1 : 0.1));
    for (let i = 0; i < 100; i++) expect(search(10)).toBe(0);
  });

  test('keeps the other properties', () => {
    expect(createScene(() => 1).measured.usesWasm).toBe(false);
  });
});
