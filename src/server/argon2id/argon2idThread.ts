/** A thread that verifies the solutions of argon2id puzzles. */

import { setPriority } from 'node:os';
import { allMeetThreshold } from '../../puzzle/check.ts';
import { createArgon2idHash } from './hash.ts';
import type { FromArgon2id, ToArgon2id } from './messages.ts';

declare const self: Worker;

/**
 * Lower than the priority of the other threads, so that they get a core at once when they need one. At normal priority, saturated argon2id
 * verifications raise the p99 of BLAKE2b verifications under full load to 1.59 times; at this priority, to 0.85 and 1.14 times in two
 * runs (docs/explanation/performance.md#argon2id-on-the-server).
 */
const NICENESS = 10;

lowerPriority();

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

/** On Linux, the process id 0 stands for the calling thread (setpriority(2)); elsewhere, for the whole process. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICENESS);
  } catch {
    // A sandbox can forbid it. The thread then has the normal priority.
  }
}
