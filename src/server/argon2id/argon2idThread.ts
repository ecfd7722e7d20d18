/** A thread that verifies the solutions of argon2id puzzles. */

import { setPriority } from 'node:os';
import { allMeetThreshold } from '../../puzzle/check.ts';
import { createArgon2idHash } from './hash.ts';
import type { FromArgon2id, ToArgon2id } from './messages.ts';

declare const self: Worker;

/**
 * Lower than that of the other threads, so that they get the processor at once when they need it. On Linux, the priority of the process
 * id 0 is that of the calling thread (setpriority(2)).
 */
const NICENESS = 10;
setPriority(0, NICENESS);

const hash = createArgon2idHash();
// Every message awaits it, and reports the failure.
hash.catch(() => {});

self.onmessage = async (event: MessageEvent<ToArgon2id>) => {
  const { block, solutions, threshold } = event.data;
  const answer = await verified(block, solutions, threshold);
  postMessage(answer);
};

async function verified(block: Uint8Array, solutions: Uint8Array, threshold: number): Promise<FromArgon2id> {
  try {
    const isValid = allMeetThreshold(solutions, block, threshold, await hash);
    return { kind: 'verified', answered: 1, isValid };
  } catch (error) {
    return { kind: 'failed', answered: 1, reason: error instanceof Error ? error.message : String(error) };
  }
}
