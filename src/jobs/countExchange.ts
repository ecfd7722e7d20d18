import { type Log, reasonOf } from '../lib/log.ts';
import { startPeriodic } from '../lib/periodic.ts';
import { type Clock, MINUTE, SECOND } from '../lib/time.ts';
import type { CountExchange, ReceivedBatch } from '../model/ports/cluster.ts';
import { COUNT_KINDS, type CountKind, type Counts, type SharedCounts } from '../model/sharedCounts.ts';
import { type BatchProblem, decodeBatch, encodeBatch, MAX_KEYS } from './countBatch.ts';

/** Sends the counts of this node to the other nodes, and adds theirs to its own. */
export type CountExchanger = {
  /** Exchanges once; never rejects. Calls must not overlap. @returns whether it succeeded */
  readonly run: () => Promise<boolean>;
};

export type CountExchangeOptions = {
  readonly exchange: Pick<CountExchange, 'exchange'>;
  /**
   * Agrees with the other nodes on the secret for client addresses. Called before the first exchange, about once a minute, and after
   * each failure.
   */
  readonly agree: () => Promise<void>;
  /** Identifies this run of the process: a UUID. */
  readonly node: string;
  readonly counts: ReadonlyMap<CountKind, SharedCounts>;
  readonly clock: Clock;
  /** Milliseconds of a clock that never goes backward. */
  readonly now: () => number;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly onBatch?: (event: BatchEvent) => void;
};

/**
 * The outcomes of runs and batches. `failed`: a run failed, so its batch is sent again later. `lost`: this node dropped counts because it
 * could not send them in time.
 */
export const BATCH_EVENTS = ['sent', 'received', 'ignored', 'failed', 'lost'] as const;

export type BatchEvent = (typeof BATCH_EVENTS)[number];

/**
 * Counts that are older are not sent. A client's bucket leaks one puzzle in this time, so a late batch raises the difficulty as if the
 * client had requested at most one more puzzle.
 */
const SEND_WITHIN_MS = 10 * SECOND;
/** Counts of rate limits that are older are ignored. */
const TIMELY_MS = SECOND;
/** A node that sends no batch for this long is forgotten. The storage deletes its batches much earlier. */
const FORGET_NODE_MS = MINUTE;
/** Ignored batches are logged at most this often. */
const LOG_IGNORED_MS = MINUTE;
/** Interval of `agree`, which corrects the secret of a node that started while the storage was unavailable. */
const AGREE_MS = MINUTE;

/** A batch that was collected but may not be stored yet. */
type Pending = {
  readonly sequence: number;
  readonly since: number;
  readonly counts: ReadonlyMap<number, Counts>;
};

/** Logs the first of consecutive failures and the recovery. */
export function createCountExchange(options: CountExchangeOptions): CountExchanger {
  const { exchange, node, now, log, onBatch = () => {} } = options;
  const received = createReceived(now);
  const addCounts = createAddCounts(options, onBatch);
  let sequence = 0;
  let collectingSince = now();
  let pending: Pending | undefined;
  let agreedAt = Number.NEGATIVE_INFINITY;
  let hasFailed = false;

  /** Takes the counts collected since the last call. */
  function collect(): Pending {
    const since = collectingSince;
    collectingSince = now();
    return { sequence: ++sequence, since, counts: takeCounts(options.counts) };
  }

  function discardOld(): void {
    if (now() - (pending?.since ?? collectingSince) <= SEND_WITHIN_MS) return;
    pending = undefined;
    collect();
    onBatch('lost');
  }

  async function agreeIfDue(): Promise<void> {
    if (now() - agreedAt < AGREE_MS) return;
    await options.agree();
    agreedAt = now();
  }

  async function exchangeOnce(): Promise<void> {
    discardOld();
    await agreeIfDue();
    // A batch that could not be stored, or whose result was lost, is sent again with the same number, so it counts once.
    pending ??= collect();
    const { since, counts } = pending;
    const payload = counts.size === 0 ? undefined : encodeBatch({ ageMs: now() - since, counts });
    const batches = await exchange.exchange(
      { node, sequence: pending.sequence, payload },
      received.lastSequences(),
    );
    pending = undefined;
    if (payload !== undefined) onBatch('sent');
    for (const batch of batches) {
      if (received.record(batch)) addCounts(batch);
    }
  }

  return {
    async run() {
      try {
        await exchangeOnce();
        if (hasFailed) log.info('count-exchange-recovered');
        hasFailed = false;
      } catch (error) {
        onBatch('failed');
        // The storage may have lost the secret, for example in a failover.
        agreedAt = Number.NEGATIVE_INFINITY;
        if (!hasFailed) log.warn('count-exchange-failed', { reason: reasonOf(error) });
        hasFailed = true;
      }
      return !hasFailed;
    },
  };
}

/** @returns the counts by the id of their kind, without empty kinds */
function takeCounts(kinds: CountExchangeOptions['counts']): Pending['counts'] {
  const taken = Array.from(kinds, ([kind, { take }]) => [COUNT_KINDS[kind].id, take(MAX_KEYS)] as const);
  return new Map(taken.filter(([, counts]) => counts.size > 0));
}

/** Remembers the sequence number of the last batch of each node. */
function createReceived(now: () => number) {
  const last = new Map<string, { readonly sequence: number; readonly at: number }>();
  return {
    lastSequences(): ReadonlyMap<string, number> {
      for (const [node, { at }] of last) if (now() - at > FORGET_NODE_MS) last.delete(node);
      return new Map(Array.from(last, ([node, { sequence }]) => [node, sequence]));
    },
    /** @returns false if the batch, or a later one, was received before */
    record({ node, sequence }: ReceivedBatch): boolean {
      if (sequence <= (last.get(node)?.sequence ?? 0)) return false;
      last.set(node, { sequence, at: now() });
      return true;
    },
  };
}

function createAddCounts(
  { counts: kinds, clock, now, log }: CountExchangeOptions,
  onBatch: (event: BatchEvent) => void,
) {
  const byId = new Map(
    Array.from(kinds, ([kind, counts]) => [
      COUNT_KINDS[kind].id as number,
      { ...COUNT_KINDS[kind], ...counts },
    ]),
  );
  let loggedAt = Number.NEGATIVE_INFINITY;

  function ignore({ node }: ReceivedBatch, problem: BatchProblem): void {
    onBatch('ignored');
    if (now() - loggedAt < LOG_IGNORED_MS) return;
    loggedAt = now();
    log.warn('count-batch-ignored', { node, reason: `the batch is ${problem}` });
  }

  return (batch: ReceivedBatch): void => {
    const decoded = decodeBatch(batch.payload);
    if (!decoded.ok) {
      ignore(batch, decoded.problem);
      return;
    }
    onBatch('received');
    const isLate = decoded.value.ageMs + batch.ageMs > TIMELY_MS;
    for (const [id, counts] of decoded.value.counts) {
      const kind = byId.get(id);
      if (kind === undefined || (kind.isTimely && isLate)) continue;
      kind.add(counts, clock());
    }
  };
}

/** Interval between runs; docs/explanation/difficulty.md#several-nodes states the limits that follow from it. */
const EXCHANGE_MS = 250;

/** Exchanges counts now and then at regular intervals. Resolves after the first exchange, even if it failed. */
export async function startCountExchange(
  options: CountExchangeOptions,
): Promise<{ readonly stop: () => Promise<void> }> {
  const { run } = createCountExchange(options);
  let hasSucceeded = await run();
  const periodic = startPeriodic({
    async work() {
      hasSucceeded = await run();
    },
    everyMs: EXCHANGE_MS,
  });
  return {
    /** Stops the periodic runs, and sends the last counts if the previous run succeeded. */
    async stop() {
      await periodic.stop();
      if (hasSucceeded) await periodic.run();
    },
  };
}
