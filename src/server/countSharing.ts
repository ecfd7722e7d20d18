import { startCountExchange } from '../jobs/countExchange.ts';
import { systemRandom } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Clock } from '../lib/time.ts';
import type { CountExchange } from '../model/ports/countExchange.ts';
import type { CountKind, Share, SharedCounts } from '../model/sharedCounts.ts';
import {
  type AddressSecrets,
  createOwnAddressSecrets,
  createSharedAddressSecrets,
} from './addressSecrets.ts';
import type { Meters } from './meters.ts';

/** Exchanges rates and load with the other nodes of the installation. */
export type CountSharing = {
  /** @returns a function that registers counts, to be called before `start`; undefined if there is only one node */
  readonly share: (kind: CountKind) => Share | undefined;
  readonly addressSecrets: AddressSecrets;
  /** Resolves after the first exchange. */
  readonly start: () => Promise<void>;
  /** Sends the last counts, and closes the connection. */
  readonly stop: () => Promise<void>;
};

export type CountSharingOptions = {
  /** Undefined if there is only one node. */
  readonly exchange: CountExchange | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly meters: Pick<Meters, 'countBatches'>;
};

/** @see CountSharing */
export function createCountSharing({ exchange, clock, log, meters }: CountSharingOptions): CountSharing {
  if (exchange === undefined) return createSingleNode();
  const addressSecrets = createSharedAddressSecrets(exchange, systemRandom);
  const counts = new Map<CountKind, SharedCounts>();
  let running: Awaited<ReturnType<typeof startCountExchange>> | undefined;
  return {
    share: (kind) => (shared) => void counts.set(kind, shared),
    addressSecrets,
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
    async stop() {
      await running?.stop();
      await exchange.close();
    },
  };
}

function createSingleNode(): CountSharing {
  return {
    share: () => undefined,
    addressSecrets: createOwnAddressSecrets(systemRandom),
    async start() {},
    async stop() {},
  };
}
