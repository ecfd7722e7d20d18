import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_SIZE, FINGERPRINT, PUZZLE_ID } from '../../src/storage/ledgerClient/claimProtocol.ts';
import { type Claims, openClaims } from '../../src/storage/sqlite/ledger/claims.ts';
import { createRandom } from '../support/random.ts';
import { readStoredClaims } from '../support/storedClaims.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

/** Number of puzzles in a generation, which are moved to the table `claims` together. */
const GENERATION = 16_384;

const open = (file: string) => openClaims({ file, durability: 'normal' });

/** A group of claims for puzzles with these numbers. Similar numbers have very different ids. */
function toGroup(numbers: readonly number[]): Uint8Array {
  const group = new Uint8Array(numbers.length * CLAIM_SIZE);
  const view = new DataView(group.buffer);
  numbers.forEach((number, i) => {
    const at = i * CLAIM_SIZE;
    view.setUint32(at, 2_000_000_000 + (number % 60), true);
    view.setUint32(at + PUZZLE_ID, Math.imul(number, 0x9e3779b1));
    view.setUint32(at + PUZZLE_ID + 4, number);
    view.setUint32(at + FINGERPRINT, 7, true);
  });
  return group;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** Counts presentations in a map, as the ledger must count them. */
function createModel() {
  const counts = new Map<number, number>();
  return {
    count: (numbers: readonly number[]) =>
      numbers.map((number) => {
        const count = (counts.get(number) ?? 0) + 1;
        counts.set(number, count);
        return count;
      }),
    presentations: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    puzzles: () => counts.size,
  };
}

/** A group of up to 64 puzzles. Some are new, and some were presented before. */
function randomGroup(random: (below: number) => number, newest: number): number[] {
  return Array.from({ length: 1 + random(64) }, () =>
    random(10) === 0 ? random(newest + 1) : newest + random(200),
  );
}

test('counts match those of a map across several generations, restarts, and snapshots of a killed process', () => {
  const random = createRandom(17);
  const model = createModel();
  let folder = makeFolder();
  let claims = open(join(folder, 'claims'));
  for (let round = 0; round < 2000; round++) {
    const group = randomGroup(random, round * 40);
    expect([...claims.count(toGroup(group))]).toEqual(model.count(group));
    if (random(100) > 0) continue;
    const isKilled = random(2) === 0;
    if (isKilled) {
      const copy = makeFolder();
      cpSync(folder, copy, { recursive: true });
      claims.close();
      folder = copy;
    } else claims.close();
    claims = open(join(folder, 'claims'));
  }
  expect(model.puzzles()).toBeGreaterThan(2 * GENERATION);
  const expected = { puzzles: model.puzzles(), presentations: model.presentations() };
  expect(readStoredClaims(join(folder, 'claims'))).toMatchObject(expected);
  claims.close();
  expect(readStoredClaims(join(folder, 'claims'))).toMatchObject(expected);
});

test('two processes that use the same file count together', () => {
  const random = createRandom(18);
  const model = createModel();
  const file = join(makeFolder(), 'claims');
  const both: readonly Claims[] = [open(file), open(file)];
  for (let round = 0; round < 900; round++) {
    const group = randomGroup(random, round * 40);
    expect([...(both[random(2)] as Claims).count(toGroup(group))]).toEqual(model.count(group));
  }
  expect(model.puzzles()).toBeGreaterThan(GENERATION);
  for (const claims of both) claims.close();
});

test('a closed file has all counts in the table `claims`', () => {
  const file = join(makeFolder(), 'claims');
  const claims = open(file);
  claims.count(toGroup(range(0, 100)));
  claims.count(toGroup([7]));
  claims.close();
  const database = new Database(file, { readonly: true });
  expect(database.query('SELECT count(*), sum(presentations) FROM claims').values()).toEqual([[100, 101]]);
  expect(database.query('SELECT count(*) FROM recent_claims').values()).toEqual([[0]]);
  database.close();
});

test('a group that cannot be stored because older counts cannot be moved is not counted', () => {
  const file = join(makeFolder(), 'claims');
  const claims = open(file);
  claims.count(toGroup(range(0, GENERATION)));
  const other = new Database(file);
  other.run("CREATE TRIGGER full BEFORE INSERT ON claims BEGIN SELECT RAISE(ABORT, 'full'); END");
  // The next large group starts to move the first generation.
  expect([...claims.count(toGroup([GENERATION + 1]))]).toEqual([1]);
  expect(() => claims.count(toGroup([...range(1, 300), GENERATION]))).toThrow('full');
  other.run('DROP TRIGGER full');
  other.close();
  expect([...claims.count(toGroup([1, GENERATION]))]).toEqual([2, 1]);
  claims.close();
});

test('a purge deletes puzzles that were presented recently', () => {
  const file = join(makeFolder(), 'claims');
  const claims = open(file);
  claims.count(toGroup(range(0, 60)));
  expect(claims.purge(2_000_000_030, [7], 1000)).toBe(30);
  expect(readStoredClaims(file).puzzles).toBe(30);
  // The ledger recorded the time of the purge, and the other puzzles keep their counts.
  expect([...claims.count(toGroup([29, 30]))]).toEqual([0, 2]);
  claims.close();
});
