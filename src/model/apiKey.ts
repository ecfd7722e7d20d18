import { crc32 } from 'node:zlib';
import type { Brand } from '../lib/brand.ts';
import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { OrganizationId } from './organization.ts';

export type ApiKeyId = Brand<number, 'ApiKeyId'>;

/** The scopes of a key: Platform API operations (`portal`) or verification (`verify`). */
export const SCOPES = ['portal', 'verify'] as const;
export type Scope = (typeof SCOPES)[number];

/** A warning is due this many days before a key expires; in descending order. */
export const EXPIRY_WARNING_DAYS = [14, 7, 1] as const;

/** The rate limit of a key. If a value is undefined, the configured limit applies. */
export type KeyRate = {
  /** Requests per second, 0.001..1,000,000,000. */
  readonly rate: number | undefined;
  /** Maximum number of requests at once, a whole number, 1..1,000,000,000. */
  readonly burst: number | undefined;
};

/** An API key. Only the SHA-256 of its secret is stored. */
export type ApiKey = KeyRate & {
  readonly id: ApiKeyId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly scope: Scope;
  /** The only organization that the key can access; undefined for all organizations of its user. */
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
  readonly createdAt: Instant;
  /** Rounded down to the minute and stored up to a minute late; undefined if the key was never used. */
  readonly lastUsedAt: Instant | undefined;
};

/** The sender of an authenticated request: an active key, its account, and the account's organizations. */
export type Principal = KeyRate & {
  readonly keyId: ApiKeyId;
  readonly accountId: AccountId;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
  /** The organizations that the account owns or is a member of. */
  readonly memberOf: ReadonlySet<OrganizationId>;
};

/** Maximum rate and burst, of a key and in the configuration. */
export const KEY_RATE_MAX = 1_000_000_000;
/** Minimum rate in requests per second, about one every 17 minutes. Lower rates lead to times that are too long to compute. */
export const KEY_RATE_MIN = 0.001;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Enough for 256 bits: 62^43 > 2^256. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const GENERATED_KEY = /^postern_(?:portal|verify)_[0-9A-Za-z]{49}$/;

/** Maximum number of keys of one user that are neither revoked nor expired. */
export const ACTIVE_KEYS_MAX = 100;

/** Minimum length of a key that the operator chose. */
const CHOSEN_KEY_MIN_LENGTH = 32;
const KEY_MAX_LENGTH = 256;
const PRINTABLE = /^[\x21-\x7e]+$/;

/**
 * Formats a new key: `postern_<scope>_`, 256 bits in base 62, and the CRC-32 of everything before it in base 62. Secret scanners
 * find leaked keys by the prefix, and detect false matches by the checksum.
 *
 * @param entropy 32 random bytes
 */
export function formatApiKey(scope: Scope, entropy: Uint8Array): string {
  let value = 0n;
  for (const byte of entropy) value = (value << 8n) | BigInt(byte);
  const head = `postern_${scope}_${toBase62(value, SECRET_LENGTH)}`;
  return head + toChecksum(head);
}

/**
 * Checks the format of a key. A generated key must have the right checksum. A key that the operator chose can be any 32..256
 * printable ASCII characters.
 */
export function parseApiKey(text: string): Outcome<string, 'key-malformed'> {
  if (text.length < CHOSEN_KEY_MIN_LENGTH || text.length > KEY_MAX_LENGTH) return reject('key-malformed');
  if (!text.startsWith('postern_')) return PRINTABLE.test(text) ? done(text) : reject('key-malformed');
  if (!GENERATED_KEY.test(text)) return reject('key-malformed');
  const head = text.slice(0, -CHECKSUM_LENGTH);
  return toChecksum(head) === text.slice(-CHECKSUM_LENGTH) ? done(text) : reject('key-malformed');
}

/** Does not use BigInt, because every verification computes a checksum. */
function toChecksum(head: string): string {
  let text = '';
  for (let rest = crc32(head); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62)) {
    text = ALPHABET[rest % 62] + text;
  }
  return text;
}

function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}
