import { expect, test } from 'bun:test';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { HOUR, later, MINUTE } from '../../src/lib/time.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchPuzzle, solve, verify } from '../support/visitor.ts';

const server = useServer();
const tenant = useTenant(server, { level: 1, growth: 'medium' });

async function difficultyOfPuzzle(): Promise<number> {
  const [text = ''] = (await fetchPuzzle(server.url, tenant.property.sitekey)).split('.');
  return parsePuzzle(bytesFromBase64(text) ?? new Uint8Array())?.difficulty ?? 0;
}

/** Requests 30 puzzles. @returns the difficulty two minutes later */
async function difficultyAfter(handle: (puzzle: string) => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 30; i++) await handle(await fetchPuzzle(server.url, tenant.property.sitekey));
  server.clock.now = later(server.clock.now, 2 * MINUTE);
  const difficulty = await difficultyOfPuzzle();
  server.clock.now = later(server.clock.now, HOUR);
  expect(await difficultyOfPuzzle()).toBe(1);
  return difficulty;
}

test('a client whose puzzles are verified has easier puzzles two minutes later than one whose puzzles are not', async () => {
  const unverified = await difficultyAfter(async () => {});
  const verified = await difficultyAfter(async (puzzle) => {
    expect(await verify(server.url, tenant.verifyKey, solve(puzzle))).toMatchObject({ code: 0 });
  });
  // The loads are 15.0 and 3.8: 1 + 16 and 1 + 6 levels.
  expect([unverified, verified]).toEqual([17, 7]);
});
