/** The ledger's thread: it alone waits for the disk, so that no puzzle waits for a verification's fsync. */
import { type Claims, openClaims } from './claims.ts';
import type { FromLedger, ToLedger } from './ledgerMessages.ts';

const PURGE_LIMIT = 5_000;

declare const self: Worker;

let claims: Claims | undefined;
/** Groups that arrived while the last commit ran: they share the next one. */
let waiting: Uint8Array[] = [];

self.onmessage = (event: MessageEvent<ToLedger>) => {
  const message = event.data;
  if (message.kind === 'count') {
    waiting.push(message.group);
    // Whatever else has arrived by now comes first, and joins.
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
  attempt(groups.length, () => ({ kind: 'counted', answered: groups.length, counts: opened().count(group) }));
}

function answer(message: Exclude<ToLedger, { kind: 'count' }>): FromLedger {
  switch (message.kind) {
    case 'open':
      claims = openClaims(message.file, message.durability);
      return { kind: 'done', answered: 1 };
    case 'purge':
      return { kind: 'purged', answered: 1, rows: opened().purge(message.beforeSeconds, PURGE_LIMIT) };
    case 'probe':
      opened().probe();
      return { kind: 'done', answered: 1 };
    case 'close':
      claims?.close();
      claims = undefined;
      return { kind: 'done', answered: 1 };
  }
}

/** A failure is an answer too. */
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
