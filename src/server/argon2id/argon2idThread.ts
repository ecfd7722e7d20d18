/** A thread that verifies the solutions of argon2id puzzles. */

import { setPriority } from 'node:os';
import type { Argon2idWork } from '../../puzzle/argon2id.ts';
import { allMeetThreshold } from '../../puzzle/check.ts';
import { connectThread } from '../../threads/protocol.ts';
import { createArgon2idHash } from './hash.ts';

/** The functions of a thread that verifies argon2id solutions. */
export type Argon2idMethods = { readonly verify: (work: Argon2idWork) => Promise<boolean> };

declare const self: Worker;

/**
 * Lower than the priority of the other threads, so that they get a core at once when they need one. At normal priority, saturated argon2id
 * verifications raise the p99 of BLAKE2b verifications under full load to 1.59 times; at this priority, to 0.85 and 1.14 times in two
 * runs (docs/project/experiments.md#argon2id-on-the-server).
 */
const NICENESS = 10;

lowerPriority();

const hash = createArgon2idHash();
// Every verification awaits it, and reports the failure.
hash.catch(() => {});

connectThread(self, {
  async verify({ block, solutions, threshold }) {
    return allMeetThreshold(solutions, block, threshold, await hash);
  },
} satisfies Argon2idMethods);

/** On Linux, the process id 0 stands for the calling thread (setpriority(2)); elsewhere, for the whole process. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICENESS);
  } catch {
    // A sandbox can forbid it. The thread then has the normal priority.
  }
}
