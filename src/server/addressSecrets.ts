import type { Random } from '../lib/ids.ts';
import { createMonotonicTime, DAY, type Instant } from '../lib/time.ts';
import type { CountExchange } from '../model/ports/countExchange.ts';

/** The secret for hashing client addresses. It changes every day, so an address cannot be recovered from its hash later. */
export type AddressSecrets = {
  /** @returns 64 hexadecimal digits */
  readonly at: (now: Instant) => string;
};

/** The secrets of a day and the next one. */
export type DailySecrets = {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly secrets: readonly [today: string, tomorrow: string];
};

/** Creates the secrets of a request thread, which gets them from the management thread in advance. */
export function createGivenAddressSecrets(
  first: DailySecrets,
): AddressSecrets & { readonly replace: (next: DailySecrets) => void } {
  let given = first;
  return {
    at: (now) => given.secrets[now >= (given.day + 1) * DAY ? 1 : 0],
    replace(next) {
      given = next;
    },
  };
}

/** Creates the secrets of a single node. They are never written to disk. */
export function createOwnAddressSecrets(random: Random): AddressSecrets {
  let secret = '';
  let until = 0;
  // A clock that is set back neither extends the use of a secret nor ends it.
  const steady = createMonotonicTime();
  return {
    at(time) {
      const now = steady(time);
      if (now >= until) {
        secret = newSecret(random).toHex();
        until = now + DAY;
      }
      return secret;
    },
  };
}

/** Secrets that all nodes share, because a client must have the same hash on each of them. They change at midnight, UTC. */
export type SharedAddressSecrets = AddressSecrets & {
  /**
   * Agrees with the other nodes on the secrets for today and tomorrow.
   *
   * @throws if the storage is unavailable; this node then uses the secrets that it already has, or creates its own
   */
  readonly agree: (now: Instant) => Promise<void>;
  /** The secrets for other threads. */
  readonly daily: (now: Instant) => DailySecrets;
};

/** @see SharedAddressSecrets */
export function createSharedAddressSecrets(
  exchange: Pick<CountExchange, 'secret'>,
  random: Random,
): SharedAddressSecrets {
  /** The secrets by day. Those of past days are deleted. */
  const secrets = new Map<number, Uint8Array>();
  let today = Number.NEGATIVE_INFINITY;
  let secret = '';

  function secretOf(day: number): Uint8Array {
    const known = secrets.get(day) ?? newSecret(random);
    secrets.set(day, known);
    return known;
  }

  function begin(day: number): void {
    today = day;
    secret = secretOf(day).toHex();
    for (const known of secrets.keys()) if (known < day) secrets.delete(known);
  }

  function at(now: Instant): string {
    // A clock that is set back continues with the newest secret.
    if (now >= (today + 1) * DAY) begin(Math.floor(now / DAY));
    return secret;
  }

  return {
    at,
    daily: (now) => ({ secrets: [at(now), secretOf(today + 1).toHex()], day: today }),
    async agree(now) {
      const day = Math.max(today, Math.floor(now / DAY));
      for (const one of [day, day + 1]) secrets.set(one, await exchange.secret(one, secretOf(one)));
      // Midnight may have passed in the meantime.
      begin(Math.max(today, day));
    },
  };
}

function newSecret(random: Random): Uint8Array {
  return random(new Uint8Array(32));
}
