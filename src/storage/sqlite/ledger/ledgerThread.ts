/** The ledger thread. Only this thread waits for the disk, so that no puzzle waits for the fsync of a verification. */
import { type Claims, openClaims } from './claims.ts';
import type { FromLedger, ToLedger } from './ledgerMessages.ts';

/** Maximum number of claims that one call deletes. */
const PURGE_SIZE = 5000;

declare const self: Worker;

let claims: Claims | undefined;
/** Groups that share the next transaction. */
let waiting: Uint8Array[] = [];

self.onmessage = (event: MessageEvent<ToLedger>) => {
  const message = event.data;
  if (message.kind === 'count') {
    waiting.push(message.group);
    // Messages that have already arrived are handled first, and join the group.
    if (waiting.length === 1) setImmediate(commit);
    return;
  }
  commit();
  attempt(1, () => answer(message));
};

function commit(): void {
  if (waiting.length === 0) return;
  const groups = waiting;
  waiting = [];
  const [only] = groups;
  const group = groups.length === 1 && only !== undefined ? only : Buffer.concat(groups);
  attempt(groups.length, () => {
    const startedAt = performance.now();
    const counts = opened().count(group);
    return { kind: 'counted', answered: groups.length, counts, milliseconds: performance.now() - startedAt };
  });
}

function answer(message: Exclude<ToLedger, { kind: 'count' }>): FromLedger {
  switch (message.kind) {
    case 'open':
      claims = openClaims(message);
      return { kind: 'opened', answered: 1, hasLostClaims: claims.hasLostClaims };
    case 'count-once': {
      const { claim, maxCount, key } = message;
      const startedAt = performance.now();
      const presentations = opened().countOnce(claim, maxCount, key);
      return {
        kind: 'counted-once',
        answered: 1,
        presentations,
        milliseconds: performance.now() - startedAt,
      };
    }
    case 'recall':
      return { kind: 'recalled', answered: 1, isAccepted: opened().recall(message.key) };
    case 'purge': {
      const { beforeSeconds, keyFingerprints } = message;
      const rows = opened().purge(beforeSeconds, keyFingerprints, PURGE_SIZE);
      return { kind: 'purged', answered: 1, rows };
    }
    case 'purged-before':
      return { kind: 'purged-before', answered: 1, seconds: opened().purgedBefore(message.keyFingerprint) };
    case 'probe':
      opened().probe();
      return { kind: 'done', answered: 1 };
    case 'close':
      claims?.close();
      claims = undefined;
      return { kind: 'done', answered: 1 };
  }
}

/** Answers with the error if the work fails. */
function attempt(answered: number, work: () => FromLedger): void {
  try {
    postMessage(work());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    postMessage({ kind: 'failed', answered, reason } satisfies FromLedger);
  }
}

function opened(): Claims {
  if (claims === undefined) throw new Error('the claims file is not open');
  return claims;
}
