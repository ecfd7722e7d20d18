import { afterAll, beforeAll, expect } from 'bun:test';
import { join } from 'node:path';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { type DatabaseAddress, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { fetchPuzzle } from '../support/visitor.ts';
import { BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

let database: PostgresServer;
beforeAll(async () => {
  database = await startPostgres();
});
afterAll(async () => {
  await database.remove();
});

const ORIGIN = 'http://localhost:3000';

/** A node with the demo property, which is the same on all nodes of a database. */
function startNode(folder: string, { url }: DatabaseAddress, settings = {}): Promise<RunningBinary> {
  return startBinary(BINARY, {
    POSTERN_DATABASE_URL: url,
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_DEMO: 'on',
    POSTERN_DNS_CHECK: 'off',
    ...HIGH_LIMITS,
    ...settings,
  });
}

const sitekeyOf = ({ output }: RunningBinary) => /Sitekey:\s+(\w+)/.exec(output())?.[1] ?? '';

/** Requests a puzzle from one of the nodes. @returns its difficulty */
async function puzzleOf(node: RunningBinary, sitekey: string): Promise<number> {
  const [text = ''] = (await fetchPuzzle(node.url, sitekey, ORIGIN)).split('.');
  const puzzle = parsePuzzle(bytesFromBase64(text) ?? new Uint8Array());
  if (puzzle === undefined) throw new Error('not a puzzle');
  return puzzle.difficulty;
}

/** The difficulty of a client with this many puzzles in its bucket, on `medium`, without other visitors. */
function difficultyWith(level: number, puzzles: number): number {
  return difficultyOf(level, 'medium', { clientFill: puzzles, propertyFill: 0 });
}

/** Each attempt is a request that the node counts too, so their number is limited. */
const MAX_ATTEMPTS = 20;

/** @returns whether the condition holds after at most MAX_ATTEMPTS attempts within 15 seconds */
async function becomesTrue(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (await isSo()) return true;
    await Bun.sleep(750);
  }
  return false;
}

testInFolder('the puzzles of three nodes become as difficult as those of one node', async (folder) => {
  const address = await database.createDatabase();
  const first = await startNode(folder, address);
  const [second, third] = await Promise.all([startNode(folder, address), startNode(folder, address)]);
  const sitekey = sitekeyOf(first);
  const level = await puzzleOf(first, sitekey);
  const send = async (node: RunningBinary, puzzles: number) => {
    for (let i = 0; i < puzzles; i++) await puzzleOf(node, sitekey);
  };
  const reaches = (node: RunningBinary, puzzles: number) =>
    becomesTrue(async () => (await puzzleOf(node, sitekey)) >= difficultyWith(level, puzzles));

  for (const node of [first, second, third]) await send(node, 40);
  // Alone, each node counts at most 60 puzzles. In the meantime, 6 to 14 puzzles leak per minute.
  for (const node of [first, second, third]) expect(await reaches(node, 100)).toBe(true);

  await second.kill();
  const restarted = await startNode(folder, address);
  await send(first, 60);
  expect(await reaches(restarted, 50)).toBe(true);

  await database.kill();
  for (const node of [first, third, restarted]) await send(node, 5);
  await database.start();
  await send(first, 200);
  // The maximum is 120. Alone, the node counts at most 95.
  expect(await reaches(restarted, 115)).toBe(true);
});

testInFolder('two nodes have one rate limit, and each its own while PostgreSQL is down', async (folder) => {
  const limits = { POSTERN_PUZZLE_RATE: '0.001', POSTERN_PUZZLE_BURST: '60' };
  const startNodes = async () => {
    const address = await database.createDatabase();
    const first = await startNode(folder, address, limits);
    return { first, second: await startNode(folder, address, limits), sitekey: sitekeyOf(first) };
  };
  const statusOf = async (node: RunningBinary, sitekey: string) => {
    const headers = { Origin: ORIGIN };
    return (await fetch(`${node.url}/puzzle?sitekey=${sitekey}`, { headers })).status;
  };
  const send = async (node: RunningBinary, sitekey: string, requests: number) => {
    const statuses = new Set<number>();
    for (let i = 0; i < requests; i++) statuses.add(await statusOf(node, sitekey));
    return [...statuses];
  };

  const connected = await startNodes();
  expect(await send(connected.first, connected.sitekey, 60)).toEqual([200]);
  // Alone, the second node accepts 60 puzzles.
  expect(await becomesTrue(async () => (await statusOf(connected.second, connected.sitekey)) === 429)).toBe(
    true,
  );

  const { first, second, sitekey } = await startNodes();
  // Each node caches the property.
  for (const node of [first, second]) expect(await send(node, sitekey, 2)).toEqual([200]);
  await database.kill();
  for (const node of [first, second]) expect(await send(node, sitekey, 54)).toEqual([200]);
  for (const node of [first, second]) expect(await send(node, sitekey, 6)).toContain(429);
  await database.start();
});
