/** The ledger thread. Only this thread waits for the disk, so that no puzzle waits for the fsync of a verification. */
import { reasonOf } from '../../../lib/log.ts';
import type { ClaimCommit } from '../../../model/readings.ts';
import {
  type Answer,
  connectThread,
  LATER,
  type Methods,
  type RemoteThread,
} from '../../../threads/protocol.ts';
import {
  CLAIM_SIZE,
  type ClaimMethods,
  COUNT_SIZE,
  type Counted,
  encodeCounts,
  fromText,
} from '../../ledgerClient/claimProtocol.ts';
import type { ClaimsCounter } from '../dataCounter.ts';
import { type Claims, type ClaimsOptions, openClaims } from './claims.ts';

/** What the file contained when it was opened. */
export type OpenedClaims = Pick<Claims, 'hasLostClaims' | 'counter'>;

/** The functions that the ledger thread offers to the thread that started it. They run in the order of their calls. */
export type LedgerMethods = ClaimMethods & {
  readonly open: (options: ClaimsOptions) => OpenedClaims;
  /** Serves a client, which calls ClaimMethods on the port. */
  readonly connect: (port: MessagePort) => void;
  readonly purge: (expired: Expired) => number;
  readonly purgedBefore: (keyFingerprint: number) => number;
  /** @throws if claims cannot be stored */
  readonly probe: (nothing: undefined) => void;
  readonly advanceCounter: (to: ClaimsCounter) => void;
  readonly close: (nothing: undefined) => void;
};

type Expired = { readonly beforeSeconds: number; readonly keyFingerprints: readonly number[] };

/** The functions that the ledger thread calls. */
export type LedgerReports = {
  /** Reports the transactions that have stored claims. */
  readonly report: (commits: readonly ClaimCommit[]) => void;
  /** Reports that claims of a client could not be stored. */
  readonly reportFailure: (nothing: undefined) => void;
};

/** Maximum number of claims that one call deletes. */
const PURGE_SIZE = 5000;
/** Maximum delay of a report about transactions, in milliseconds. Each message takes time, so one report covers several transactions. */
const REPORT_MS = 100;

declare const self: Worker;

type Sender = Pick<RemoteThread<Methods>, 'answer' | 'end'>;

type Waiting = { readonly sender: Sender; readonly id: number; readonly group: string };

let claims: Claims | undefined;
const clients = new Set<Sender>();
/** Groups that share the next transaction. */
let waiting: Waiting[] = [];
/** Transactions that have not been reported yet. */
let commits: ClaimCommit[] = [];
let reporting: Timer | undefined;

const main: RemoteThread<LedgerReports> = connectThread<LedgerReports>(self, {
  ...claimMethods(() => main),
  open(options) {
    claims = openClaims(options);
    return { hasLostClaims: claims.hasLostClaims, counter: claims.counter };
  },
  connect(port) {
    const client: Sender = connectThread(
      port,
      claimMethods(() => client),
      'client',
      () => clients.delete(client),
    );
    clients.add(client);
  },
  purge: afterCommit(({ beforeSeconds, keyFingerprints }: Expired) =>
    opened().purge(beforeSeconds, keyFingerprints, PURGE_SIZE),
  ),
  purgedBefore: afterCommit((keyFingerprint: number) => opened().purgedBefore(keyFingerprint)),
  probe: afterCommit(() => opened().probe()),
  advanceCounter: afterCommit((to: ClaimsCounter) => opened().advanceCounter(to)),
  close: afterCommit(close),
} satisfies LedgerMethods);

/** The functions for the claims of one thread. */
function claimMethods(sender: () => Sender): ClaimMethods {
  return {
    count(group, id) {
      waiting.push({ sender: sender(), id, group });
      // Messages that have already arrived are handled first, and join the group.
      if (waiting.length === 1) setImmediate(commit);
      return LATER;
    },
    countOnce: afterCommit(({ claim, maxCount, key }) =>
      reported(sender(), () => recorded(1, () => opened().countOnce(claim, maxCount, key))),
    ),
    recall: afterCommit((key) => reported(sender(), () => opened().recall(key))),
  };
}

/** Returns a function that first stores the claims that have arrived before its call. */
function afterCommit<Argument, Result>(work: (argument: Argument) => Result): (argument: Argument) => Result {
  return (argument) => {
    commit();
    return work(argument);
  };
}

function commit(): void {
  if (waiting.length === 0) return;
  const bySender = Map.groupBy(waiting, ({ sender }) => sender);
  waiting = [];
  const groups = [...bySender.values()].flat().map(({ group }) => group);
  const counted = tryToCount(groups.join(''));
  let offset = 0;
  for (const [sender, messages] of bySender) {
    const size = messages.reduce((sum, { group }) => sum + group.length / CLAIM_SIZE, 0);
    const part = partOf(counted, offset, size);
    sender.answer(messages[0]?.id ?? 0, messages.length, part);
    if ('reason' in counted) reportFailure(sender);
    offset += size;
  }
  reportLater();
}

/** Counts all groups in one transaction. */
function tryToCount(groups: string): Answer<Counted> {
  try {
    const counts = recorded(groups.length / CLAIM_SIZE, () => opened().count(fromText(groups)));
    return { result: encodeCounts(counts) };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/** @returns the counts of one sender */
function partOf(counted: Answer<Counted>, offset: number, size: number): Answer<Counted> {
  if ('reason' in counted) return counted;
  return { result: counted.result.slice(COUNT_SIZE * offset, COUNT_SIZE * (offset + size)) };
}

/** Measures a transaction, which is then reported. */
function recorded<T>(size: number, work: () => T): T {
  const startedAt = performance.now();
  const result = work();
  commits.push({ claims: size, milliseconds: performance.now() - startedAt });
  return result;
}

function reportLater(): void {
  reporting ??= setTimeout(report, REPORT_MS);
}

function report(): void {
  const taken = takeCommits();
  if (taken.length > 0) main.notify('report', taken);
}

function takeCommits(): readonly ClaimCommit[] {
  clearTimeout(reporting);
  reporting = undefined;
  const taken = commits;
  commits = [];
  return taken;
}

/** Does the work, and reports a failure. The thread that has started this one gets the report before the result. */
function reported<T>(sender: Sender, work: () => T): T {
  try {
    const result = work();
    if (sender === main) report();
    else reportLater();
    return result;
  } catch (error) {
    reportFailure(sender);
    throw error;
  }
}

/** The thread that has started this one sees the failures of its own claims. */
function reportFailure(sender: Sender): void {
  if (sender !== main) main.notify('reportFailure', undefined);
}

function close(): void {
  report();
  for (const client of clients) client.end('the ledger is closed');
  claims?.close();
  claims = undefined;
}

function opened(): Claims {
  if (claims === undefined) throw new Error('the claims file is not open');
  return claims;
}
