import { appendFileSync, writeFileSync } from 'node:fs';
import { type PayloadFile, syncFile } from '../bench/harness/payloads.ts';
import { type CapChallenge, solveCap } from '../support/capSolver.ts';
import { createAltcha } from './servers/altcha.ts';

/** Solutions that are created in a batch. */
const BATCH = 500;

/** @returns a number of new payloads */
type NewPayloads = (count: number) => Promise<readonly string[]>;

/**
 * A file of payloads that are created asynchronously.
 *
 * @param length bytes of each line. Shorter payloads are padded with spaces, which JSON and Base64 decoders ignore
 */
export function createPaddedFile(path: string, length: number, newPayloads: NewPayloads): PayloadFile {
  let available = 0;
  writeFileSync(path, '');
  return {
    path,
    length,
    async ensure(count) {
      if (available >= count) return;
      for (; available < count; available += BATCH) {
        const payloads = await newPayloads(BATCH);
        const longest = Math.max(...payloads.map((payload) => payload.length));
        if (longest > length) throw new Error(`a payload has ${longest} bytes`);
        appendFileSync(path, payloads.map((payload) => `${payload.padEnd(length)}\n`).join(''));
      }
      syncFile(path);
    },
  };
}

/** Solves challenges of the server, with a difficulty of 1 digit instead of 4. The number of solutions, which determines the work of the server, is the default. */
export function capPayloads(url: string): NewPayloads {
  return async (count) => {
    const response = await fetch(`${url}/easyChallenges`, { method: 'POST', body: JSON.stringify(count) });
    const challenges = (await response.json()) as readonly CapChallenge[];
    return challenges.map((challenge) =>
      JSON.stringify({ token: challenge.token, solutions: solveCap(challenge) }),
    );
  };
}

/** Solves challenges of the library with its own solver. @param modules as in `createAltcha` */
export async function altchaPayloads(...modules: Parameters<typeof createAltcha>): Promise<NewPayloads> {
  const { easyPayload } = await createAltcha(...modules);
  return (count) => Promise.all(Array.from({ length: count }, easyPayload));
}
