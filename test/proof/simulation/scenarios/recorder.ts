import { reasonOf } from '../../../../src/lib/log.ts';
import type { Claim, ClaimLedger, ReplayLedger } from '../../../../src/model/ports/replayLedger.ts';
import type { Claimed, History } from '../history.ts';
import type { Simulation } from '../world/kernel.ts';

export type Recorder = ReturnType<typeof createRecorder>;

/** The presentation that the running thread verifies, for claims without an idempotency key. */
const current = { presentation: undefined as string | undefined, isValid: true };

/** Names the claims that `work` makes before it returns. @param isValid whether the request may make a claim */
export function asPresentation<T>(presentation: string, isValid: boolean, work: () => T): T {
  Object.assign(current, { presentation, isValid });
  try {
    return work();
  } finally {
    Object.assign(current, { presentation: undefined, isValid: true });
  }
}

/** The idempotency key with a number, and the name of its presentation. */
export function keyOf(number: number): { readonly hash: Uint8Array; readonly name: string } {
  const hash = new Uint8Array(32);
  hash[0] = number;
  hash[1] = number >> 8;
  return { hash, name: `key ${hash.subarray(0, 2).toHex()}` };
}

const keyNameOf = (hash: Uint8Array) => `key ${hash.subarray(0, 2).toHex()}`;

/** Writes the calls of a ledger and their results to the history. */
export function createRecorder(simulation: Simulation, history: History) {
  function follow(claimed: Claimed, answer: Promise<number>): Promise<number> {
    // A claim of a request that must fail is not recorded, so the numbers of later presentations are too high.
    if (current.isValid) history.claims.push(claimed);
    answer.then(
      (number) => {
        claimed.number = number;
        claimed.endedAt = history.next();
        simulation.trace(() => `${claimed.puzzle}: ${claimed.presentation} has number ${number}`);
      },
      (error: unknown) => {
        claimed.failure = reasonOf(error);
        claimed.endedAt = history.next();
        simulation.trace(() => `${claimed.puzzle}: ${claimed.presentation} failed: ${claimed.failure}`);
      },
    );
    return answer;
  }

  const begin = ({ puzzleId, expiresAtSeconds }: Claim, presentation: string) => ({
    puzzle: `${expiresAtSeconds}:${puzzleId.toHex()}`,
    expiresAtSeconds,
    presentation,
    startedAt: history.next(),
  });

  return {
    /** Records the claims of a replay guard. */
    record(ledger: ClaimLedger): ClaimLedger {
      return {
        claim: (claim) =>
          follow(begin(claim, current.presentation ?? `claim ${history.claims.length}`), ledger.claim(claim)),
        claimOnce: (claim, maxCount, key) =>
          follow(
            { ...begin(claim, keyNameOf(key.hash)), nowSeconds: key.nowSeconds },
            ledger.claimOnce(claim, maxCount, key),
          ),
        recall: ledger.recall,
      };
    },
    recordPurges(ledger: Pick<ReplayLedger, 'purge'>): Pick<ReplayLedger, 'purge'> {
      return {
        async purge(beforeSeconds, keys) {
          const purged: History['purges'][number] = { beforeSeconds, startedAt: history.next() };
          history.purges.push(purged);
          try {
            const count = await ledger.purge(beforeSeconds, keys);
            purged.hasSucceeded = true;
            simulation.trace(() => `purged ${count} rows before ${beforeSeconds}`);
            return count;
          } finally {
            purged.endedAt = history.next();
          }
        },
      };
    },
    /** Records calls, each of which must have a result at the end if its thread is still running. */
    mustSettle(ledger: ClaimLedger): ClaimLedger {
      const follow = <T>(name: string, answer: Promise<T>): Promise<T> => {
        const thread = simulation.thread();
        const call = {
          name: `${thread.name}: ${name}`,
          startedAtMs: simulation.now(),
          isPending: true,
          isAlive: () => thread.isAlive,
        };
        history.calls.push(call);
        const settle = () => {
          call.isPending = false;
        };
        answer.then(settle, settle);
        return answer;
      };
      return {
        claim: (claim) => follow('claim', ledger.claim(claim)),
        claimOnce: (claim, maxCount, key) => follow('claimOnce', ledger.claimOnce(claim, maxCount, key)),
        recall: (key) => follow('recall', ledger.recall(key)),
      };
    },
  };
}
