/** The ledger's thread: it alone waits for the disk, so that no puzzle waits for a verification's fsync. */
import { type Claims, openClaims } from './claims.ts';
import type { FromLedger, ToLedger } from './ledgerMessages.ts';

const PURGE_LIMIT = 5_000;

declare const self: Worker;

let claims: Claims | undefined;

self.onmessage = (event: MessageEvent<ToLedger>) => {
  const message = event.data;
  try {
    postMessage(answer(message));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    postMessage({ kind: 'failed', reason } satisfies FromLedger);
  }
};

function answer(message: ToLedger): FromLedger {
  switch (message.kind) {
    case 'open':
      claims = openClaims(message.file, message.durability);
      return { kind: 'done' };
    case 'count':
      return { kind: 'counted', counts: opened().count(message.group) };
    case 'purge':
      return { kind: 'purged', rows: opened().purge(message.beforeSeconds, PURGE_LIMIT) };
    case 'close':
      claims?.close();
      claims = undefined;
      return { kind: 'done' };
  }
}

function opened(): Claims {
  if (claims === undefined) throw new Error('the claims file is not open');
  return claims;
}
