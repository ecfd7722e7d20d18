import { describe, expect } from 'bun:test';
import { startBinary } from '../support/binary.ts';
import { verify } from '../support/visitor.ts';
import { addProperty, BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

/** Runs `postern solve` for a property of a running server. */
async function solve(url: string, sitekey: string): Promise<string> {
  const args = ['solve', '--url', url, '--sitekey', sitekey, '--origin', 'https://example.com'];
  const child = Bun.spawn([BINARY, ...args], { env: { PATH: process.env.PATH ?? '' }, stdout: 'pipe' });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('postern solve failed');
  return output.trim();
}

/** The lowest level of each kind, and the start and the end of its puzzles: version, kind, difficulty, and number of solutions. */
const KINDS = [
  ['argon2id', 152, [2, 1, 24, 8]],
  ['hashwx', 60, [3, 2, 24, 8]],
] as const;

describe.each(KINDS)('the executable with %s puzzles', (challenge, level, [version, number, ...rest]) => {
  testInFolder('solves, verifies, and rejects every accepted solution after SIGKILL', async (dataDir) => {
    const work = ['--level', String(level), '--challenge', challenge];
    const { sitekey, verifyKey } = await addProperty(dataDir, ...work);
    const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS };
    const first = await startBinary(BINARY, settings);
    const solutions = await Promise.all([1, 2, 3].map(() => solve(first.url, sitekey)));
    for (const solution of solutions) {
      const puzzle = Uint8Array.fromBase64(solution.split('.')[1] ?? '');
      expect([puzzle.length, puzzle[0], puzzle[1], puzzle[26], puzzle[27]]).toEqual([
        48,
        version,
        number,
        ...rest,
      ]);
    }
    const [accepted = '', ...others] = solutions;
    expect(await verify(first.url, verifyKey, accepted)).toMatchObject({ success: true, code: 0 });
    // Some of these verifications are running when the server is killed.
    const running = others.map((solution) => verify(first.url, verifyKey, solution).catch(() => undefined));
    await first.kill();
    const verdicts = await Promise.all(running);
    const second = await startBinary(BINARY, settings);
    expect(await verify(second.url, verifyKey, accepted)).toMatchObject({ success: false, code: 8 });
    for (const [i, solution] of others.entries()) {
      const again = await verify(second.url, verifyKey, solution);
      if (verdicts[i]?.success) expect(again).toMatchObject({ success: false, code: 8 });
      else expect([0, 8]).toContain(again.code);
      expect(await verify(second.url, verifyKey, solution)).toMatchObject({ success: false, code: 8 });
    }
    expect(await second.end('SIGTERM')).toBe(0);
  });
});
