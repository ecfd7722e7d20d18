import { startCountExchange } from '../jobs/countExchange.ts';
import { runAll } from '../lib/closing.ts';
import { systemRandom } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Clock } from '../lib/time.ts';
import type { CountExchange } from '../model/ports/cluster.ts';
import type { CountKind, Counts, Share, SharedCounts } from '../model/sharedCounts.ts';
import {
  type AddressSecrets,
  createOwnAddressSecrets,
  createSharedAddressSecrets,
  type SharedAddressSecrets,
} from './addressHashes.ts';
import type { Meters } from './meters.ts';

/** Exchanges rates and load with the other nodes of the installation. */
export type CountSharing = {
  /** @returns a function that registers counts, to be called before `start`; undefined if there is only one node */
  readonly share: (kind: CountKind) => Share | undefined;
  /** Adds the counts of another request thread to the next batch. The tables that all threads share contain them already. */
  readonly collect: (counts: ThreadCounts) => void;
  readonly addressSecrets: AddressSecrets;
  /** The secrets for other request threads; undefined if there is only one. */
  readonly dailySecrets: SharedAddressSecrets['daily'] | undefined;
  /** Whether the installation has more than one node. */
  readonly isClustered: boolean;
  /** Resolves after the first exchange. */
  readonly start: () => Promise<void>;
  /** Sends the last counts, and closes the connection. */
  readonly stop: () => Promise<void>;
};

/** The counts of a request thread by their kind, in a form that `postMessage` can send. */
export type ThreadCounts = ReadonlyMap<CountKind, Counts>;

export type CountSharingOptions = {
  /** Undefined if there is only one node. */
  readonly exchange: CountExchange | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly meters: Pick<Meters, 'countBatches'>;
  /** Whether the node has several request threads. */
  readonly hasThreads: boolean;
};

/** @see CountSharing */
export function createCountSharing(options: CountSharingOptions): CountSharing {
  const { exchange, clock, log, meters, hasThreads } = options;
  if (exchange === undefined) return createSingleNode(hasThreads);
  const addressSecrets = createSharedAddressSecrets(exchange, systemRandom);
  const counts = new Map<CountKind, SharedCounts>();
  let running: Awaited<ReturnType<typeof startCountExchange>> | undefined;
  return {
    share: (kind) => (shared) => void counts.set(kind, shared),
    collect(collected) {
      for (const [kind, amounts] of collected) counts.get(kind)?.collect(amounts);
    },
    addressSecrets,
    dailySecrets: addressSecrets.daily,
    isClustered: true,
    async start() {
      running = await startCountExchange({
        exchange,
        agree: () => addressSecrets.agree(clock()),
        node: crypto.randomUUID(),
        counts,
        clock,
        now: () => performance.now(),
        log,
        onBatch: meters.countBatches.add,
      });
    },
    stop: () => runAll([() => running?.stop(), exchange.close]),
  };
}

function createSingleNode(hasThreads: boolean): CountSharing {
  // No other node has a secret of its own.
  const exchange = { secret: async (_: number, own: Uint8Array) => own };
  const shared = hasThreads ? createSharedAddressSecrets(exchange, systemRandom) : undefined;
  return {
    share: () => undefined,
    collect() {},
    addressSecrets: shared ?? createOwnAddressSecrets(systemRandom),
    dailySecrets: shared?.daily,
    isClustered: false,
    async start() {},
    async stop() {},
  };
}

/** What a request thread counts for the other nodes of the installation. The management thread collects it. */
export type ThreadCounting = {
  readonly share: CountSharing['share'];
  /** Removes the counts since the last call. @returns undefined if there are none */
  readonly take: () => ThreadCounts | undefined;
};

/**
 * The counterpart of createCountSharing on a request thread. Send the counts to the management thread's `collect` about as often as nodes
 * exchange their counts, and when the thread stops.
 *
 * @param isShared whether there is more than one node; nothing is counted otherwise
 */
export function createThreadCounting(isShared: boolean): ThreadCounting {
  const counts = new Map<CountKind, SharedCounts>();
  return {
    share: (kind) => (isShared ? (shared) => void counts.set(kind, shared) : undefined),
    take() {
      const taken = Array.from(counts, ([kind, { take }]) => [kind, take(Number.POSITIVE_INFINITY)] as const);
      const used = taken.filter(([, amounts]) => amounts.size > 0);
      return used.length === 0 ? undefined : new Map(used);
    },
  };
}
