import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_SIZE } from '../../../src/storage/ledgerClient/claimProtocol.ts';
import { type Claims, openClaims } from '../../../src/storage/sqlite/ledger/claims.ts';
import { useFolders } from '../../storage/folder.ts';
import { createRandom } from '../../support/random.ts';

/**
 * Real claims files after a power failure in the middle of a commit or a checkpoint: the sectors that SQLite was writing are old, new,
 * or torn, in any combination. Checks what the simulated disk assumes about SQLite: the file contains all earlier commits, and the
 * unfinished one either completely or not at all.
 */

const makeFolder = useFolders();

const SECTOR = 512;
const PUZZLES = 40;
const identity = { id: new Uint8Array(16).fill(7), isFirst: false };

type Random = ReturnType<typeof createRandom>;
/** The contents of the file and of its write-ahead log. */
type Image = { readonly file: Buffer; readonly log: Buffer };

const read = (file: string): Buffer => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0));
const imageOf = (file: string): Image => ({ file: read(file), log: read(`${file}-wal`) });

/** A group of claims of random puzzles. */
function randomGroup(random: Random, size: number): Uint8Array {
  const group = new Uint8Array(size * CLAIM_SIZE);
  const view = new DataView(group.buffer);
  for (let i = 0; i < size; i++) {
    view.setUint32(i * CLAIM_SIZE, 2_000_000_000, true);
    view.setUint32(i * CLAIM_SIZE + 4, random(PUZZLES), true);
  }
  return group;
}

const allPuzzles = (): Uint8Array => {
  const group = new Uint8Array(PUZZLES * CLAIM_SIZE);
  const view = new DataView(group.buffer);
  for (let i = 0; i < PUZZLES; i++) {
    view.setUint32(i * CLAIM_SIZE, 2_000_000_000, true);
    view.setUint32(i * CLAIM_SIZE + 4, i, true);
  }
  return group;
};

/** Mixes the sectors of a file before and after a write. One of them can be torn: only its first bytes are new. */
function tear(random: Random, before: Buffer, after: Buffer): Buffer {
  const length = random(2) === 0 ? after.length : Math.min(after.length, before.length + random(8) * SECTOR);
  const torn = Buffer.alloc(Math.max(length, before.length));
  before.copy(torn);
  const share = 1 + random(9);
  for (let at = 0; at < after.length && at < torn.length; at += SECTOR) {
    const end = Math.min(at + SECTOR, after.length, torn.length);
    if (before.subarray(at, end).equals(after.subarray(at, end)) || random(10) >= share) continue;
    after.copy(torn, at, at, random(20) === 0 ? at + random(end - at) : end);
  }
  return torn;
}

/** The images that a power failure can leave. The log is flushed before the file is written. */
function tornImage(random: Random, before: Image, after: Image): Image {
  const isCheckpoint = !before.file.equals(after.file) && random(2) === 0;
  if (isCheckpoint) return { file: tear(random, before.file, after.file), log: after.log };
  return { file: before.file, log: tear(random, before.log, after.log) };
}

/** Fills a claims file, and tears it in the middle of its last commit. @returns the counts before and after that commit */
function writeTorn(random: Random, folder: string, torn: string) {
  const file = join(folder, 'claims');
  const claims = openClaims({ file, durability: 'full', identity: { ...identity, isFirst: true } });
  const counts = new Array<number>(PUZZLES).fill(0);
  const size = 1 + random(400);
  const count = (groups: number) => {
    for (let i = 0; i < groups; i++) {
      const group = randomGroup(random, size);
      claims.count(group);
      const view = new DataView(group.buffer);
      for (let at = 4; at < group.length; at += CLAIM_SIZE) {
        const puzzle = view.getUint32(at, true);
        counts[puzzle] = (counts[puzzle] ?? 0) + 1;
      }
    }
  };
  // SQLite moves a long log into the file in the middle of a commit.
  count(random(random(6) === 0 ? 400 : 20));
  const [before, acknowledged] = [imageOf(file), [...counts]];
  count(1);
  const image = tornImage(random, before, imageOf(file));
  claims.close();
  writeFileSync(torn, image.file);
  writeFileSync(`${torn}-wal`, image.log);
  return { acknowledged, after: counts };
}

/** @returns how often each puzzle was presented. This call presents each one again. */
function readCounts(claims: Claims): readonly number[] {
  return Array.from(claims.count(allPuzzles()), (count) => count - 1);
}

test('a torn claims file contains all acknowledged claims, and the unfinished commit completely or not at all', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = createRandom(seed);
    const folder = makeFolder();
    mkdirSync(join(folder, 'torn'));
    const torn = join(folder, 'torn', 'claims');
    const { acknowledged, after } = writeTorn(random, folder, torn);
    const claims = openClaims({ file: torn, durability: 'full', identity });
    const found = readCounts(claims);
    expect([seed, claims.hasLostClaims]).toEqual([seed, false]);
    const isUnfinished = JSON.stringify(found) === JSON.stringify(after);
    expect([seed, found]).toEqual([seed, isUnfinished ? after : acknowledged]);
    claims.close();
  }
});
