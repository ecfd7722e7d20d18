import { expect, test } from 'bun:test';
import { createArgon2idCheck } from '../../src/captcha/argon2idCheck.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { parsePuzzle, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { withSeeds } from '../support/randomScheduler.ts';

function payloadOf(puzzleId: number, solution: number) {
  const puzzleBytes = toPuzzleBytes({
    version: 2,
    challenge: 'argon2id',
    propertyId: new Uint8Array(16),
    puzzleId: new Uint8Array(8).fill(puzzleId),
    difficulty: 24,
    solutionCount: 8,
    expiresAtSeconds: 1,
    userData: new Uint8Array(16),
  });
  const puzzle = parsePuzzle(puzzleBytes);
  if (puzzle === undefined) throw new Error('not a puzzle');
  return { puzzle, puzzleBytes, solutions: new Uint8Array(64).fill(solution) };
}

test('every verification of argon2id ends, in every order of results, failures, and shared payloads', async () => {
  await withSeeds(200, async ({ random, holdOrFail, mustSettle, run }) => {
    const parallelism = 1 + random(2);
    let running = 0;
    const { check, read } = createArgon2idCheck({
      parallelism,
      queue: random(5),
      async verify() {
        expect(++running).toBeLessThanOrEqual(parallelism);
        await holdOrFail().finally(() => running--);
        return random(2) === 0;
      },
      monotonicMs: () => 0,
      meter: { rejected() {}, verified() {} },
    });
    const verify = () => {
      const organization = random(3);
      const sitekey = `${organization}${random(2)}`.repeat(16) as Sitekey;
      const ownerId = (organization % 2) as AccountId;
      const owner = { sitekey, organizationId: organization as OrganizationId, ownerId };
      mustSettle('verification', check(owner, payloadOf(random(4), random(3)))).catch(() => {});
    };
    await run(Array(14).fill(verify));
    expect(read()).toEqual({ running: 0, waiting: 0 });
  });
});
