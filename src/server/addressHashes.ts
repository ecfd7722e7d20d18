import { toClient } from '../captcha/clientLoad.ts';
import type { Random } from '../lib/ids.ts';
import { type Clock, createMonotonicTime, DAY, type Instant } from '../lib/time.ts';
import type { CountExchange } from '../model/ports/cluster.ts';
import { readU32 } from '../puzzle/puzzle.ts';

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

/**
 * Hashes client addresses before they are stored in memory: SHA-256 of the secret of the day and the wide network of the address (IPv4:
 * /24, IPv6: /48), whose bits are then mixed with the rest of the address.
 *
 * @returns a function that expects an IPv4 address, or the first eight bytes of an IPv6 address in hexadecimal, and returns the client as
 *   a number of 52 bits; see toClient
 */
export function createAddressHash(secrets: AddressSecrets, clock: Clock): (address: string) => number {
  const out = new Uint8Array(32);
  return (address) => {
    const dot = address.lastIndexOf('.');
    const isIpv6 = dot < 0;
    const end = isIpv6 ? WIDE_IPV6_DIGITS : dot;
    Bun.SHA256.hash(secrets.at(clock()) + address.slice(0, end), out);
    const rest = isIpv6 ? Number.parseInt(address.slice(end), 16) : Number(address.slice(end + 1));
    return toClient(readU32(out, 0), mix(readU32(out, 4) ^ (rest | 0)), isIpv6);
  };
}

/** Hexadecimal digits of a /48. */
const WIDE_IPV6_DIGITS = 12;

/** The finalizer of MurmurHash3: a permutation of 32 bits in which each bit of the input affects each bit of the result. */
function mix(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
