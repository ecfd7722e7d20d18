import { expect, test } from 'bun:test';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { HOUR, later, MINUTE } from '../../src/lib/time.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchPuzzle, solve, verify } from '../support/visitor.ts';

/** High enough that a verification counts, low enough to solve quickly. */
const LEVEL = 112;
const PUZZLES = 4;

const server = useServer();
const tenant = useTenant(server, { level: LEVEL, growth: 'medium' });

async function difficultyOfPuzzle(): Promise<number> {
  const [text = ''] = (await fetchPuzzle(server.url, tenant.property.sitekey)).split('.');
  return parsePuzzle(bytesFromBase64(text) ?? new Uint8Array())?.difficulty ?? 0;
}

/** Requests some puzzles. @returns the difficulty 15 seconds later */
async function difficultyAfter(handle: (puzzle: string) => Promise<unknown>): Promise<number> {
  for (let i = 0; i < PUZZLES; i++) await handle(await fetchPuzzle(server.url, tenant.property.sitekey));
  server.clock.now = later(server.clock.now, MINUTE / 4);
  const difficulty = await difficultyOfPuzzle();
  server.clock.now = later(server.clock.now, HOUR);
  expect(await difficultyOfPuzzle()).toBe(LEVEL);
  return difficulty;
}

test('a client whose puzzles are verified has easier puzzles 15 seconds later than one whose puzzles are not', async () => {
  const unverified = await difficultyAfter(async () => {});
  const verified = await difficultyAfter(async (puzzle) => {
    expect(await verify(server.url, tenant.verifyKey, solve(puzzle))).toMatchObject({ code: 0 });
  });
  expect([unverified, verified]).toEqual([LEVEL + 4, LEVEL + 3]);
});
