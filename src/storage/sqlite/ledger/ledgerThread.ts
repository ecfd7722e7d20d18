/** The ledger thread. Only this thread waits for the disk, so that no puzzle waits for the fsync of a verification. */
import type { ClaimCommit } from '../../../model/readings.ts';
import { CLAIM_SIZE } from '../../ledgerClient/claimBytes.ts';
import type { ClaimAnswer, ClaimMessage, FromClient, ToClient } from '../../ledgerClient/messages.ts';
import { onMessages } from '../../ledgerClient/ports.ts';
import { type Claims, openClaims } from './claims.ts';
import type { FromLedger, LedgerReport, ToLedger } from './ledgerMessages.ts';

/** Maximum number of claims that one call deletes. */
const PURGE_SIZE = 5000;
/** Maximum delay of the report about transactions with claims of clients only, in milliseconds. */
const REPORT_MS = 100;

declare const self: Worker;

/** A client's port, or undefined for the thread that started this one. */
type Sender = MessagePort | undefined;

type Waiting = { readonly sender: Sender; readonly id: number; readonly group: Uint8Array };

let claims: Claims | undefined;
const clients = new Set<MessagePort>();
/** Groups that share the next transaction. */
let waiting: Waiting[] = [];
/** Transactions that were not reported yet. */
let commits: ClaimCommit[] = [];
let reporting: Timer | undefined;

self.onmessage = ({ data }: MessageEvent<ToLedger>) => {
  if (data.kind === 'count') {
    gather({ sender: undefined, id: 0, group: data.group });
    return;
  }
  commit();
  postToMain(
    1,
    attempt(() => answer(data)),
  );
};

function connect(port: MessagePort): void {
  clients.add(port);
  port.addEventListener('close', () => clients.delete(port));
  onMessages<FromClient>(port, (message) => {
    if (message.kind === 'count') {
      gather({ sender: port, id: message.id, group: message.group });
      return;
    }
    commit();
    reply(
      port,
      message.id,
      1,
      attempt(() => answerClaim(message)),
    );
  });
}

function gather(message: Waiting): void {
  waiting.push(message);
  // Messages that have already arrived are handled first, and join the group.
  if (waiting.length === 1) setImmediate(commit);
}

function commit(): void {
  if (waiting.length === 0) return;
  const bySender = Map.groupBy(waiting, ({ sender }) => sender);
  waiting = [];
  const groups = [...bySender.values()].flat().map(({ group }) => group);
  const counted = attempt(() => count(groups));
  let offset = 0;
  for (const [sender, messages] of bySender) {
    const size = messages.reduce((sum, { group }) => sum + group.length / CLAIM_SIZE, 0);
    reply(sender, messages[0]?.id ?? 0, messages.length, part(counted, offset, size));
    offset += size;
  }
}

/** @returns the counts of one sender */
function part(counted: ClaimAnswer, offset: number, size: number): ClaimAnswer {
  if (counted.kind !== 'counted' || counted.counts.length === size) return counted;
  return { kind: 'counted', counts: counted.counts.slice(offset, offset + size) };
}

/** Counts all groups in one transaction. */
function count(groups: readonly Uint8Array[]): ClaimAnswer {
  const [only] = groups;
  const group = groups.length === 1 && only !== undefined ? only : Buffer.concat(groups);
  const counts = recorded(group.length / CLAIM_SIZE, () => opened().count(group));
  return { kind: 'counted', counts };
}

/** Measures a transaction. */
function recorded<T>(size: number, work: () => T): T {
  const startedAt = performance.now();
  const result = work();
  commits.push({ claims: size, milliseconds: performance.now() - startedAt });
  return result;
}

function answerClaim(message: Exclude<ClaimMessage, { kind: 'count' }>): ClaimAnswer {
  if (message.kind === 'recall') return { kind: 'recalled', isAccepted: opened().recall(message.key) };
  const { claim, maxCount, key } = message;
  return { kind: 'counted-once', presentations: recorded(1, () => opened().countOnce(claim, maxCount, key)) };
}

function answer(message: Exclude<ToLedger, { kind: 'count' }>): LedgerReport {
  switch (message.kind) {
    case 'open':
      claims = openClaims(message);
      return { kind: 'opened', hasLostClaims: claims.hasLostClaims, counter: claims.counter };
    case 'connect':
      connect(message.port);
      return { kind: 'done' };
    case 'count-once':
    case 'recall':
      return answerClaim(message);
    case 'purge': {
      const { beforeSeconds, keyFingerprints } = message;
      return { kind: 'purged', rows: opened().purge(beforeSeconds, keyFingerprints, PURGE_SIZE) };
    }
    case 'purged-before':
      return { kind: 'purged-before', seconds: opened().purgedBefore(message.keyFingerprint) };
    case 'probe':
      opened().probe();
      return { kind: 'done' };
    case 'advance-counter':
      opened().advanceCounter(message.to);
      return { kind: 'done' };
    case 'close':
      close();
      return { kind: 'done' };
  }
}

function close(): void {
  for (const client of clients) client.close();
  clients.clear();
  claims?.close();
  claims = undefined;
}

function attempt<T>(work: () => T): T | { readonly kind: 'failed'; readonly reason: string } {
  try {
    return work();
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Answers the messages of a sender from `id` to `id + answered - 1`. */
function reply(sender: Sender, id: number, answered: number, content: ClaimAnswer): void {
  if (sender === undefined) {
    postToMain(answered, content);
    return;
  }
  sender.postMessage({ ...content, id, answered } satisfies ToClient);
  if (content.kind === 'failed') postToMain(0, { kind: 'claims-failed' });
  else if (commits.length > 0) reporting ??= setTimeout(postToMain, REPORT_MS, 0, { kind: 'claims-stored' });
}

/** Also reports the transactions so far. */
function postToMain(answered: number, content: LedgerReport): void {
  clearTimeout(reporting);
  reporting = undefined;
  postMessage({ ...content, answered, commits } satisfies FromLedger);
  commits = [];
}

function opened(): Claims {
  if (claims === undefined) throw new Error('the claims file is not open');
  return claims;
}
