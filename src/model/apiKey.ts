import { crc32 } from 'node:zlib';
import type { Brand } from '../lib/brand.ts';
import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { OrganizationId } from './organization.ts';

export type ApiKeyId = Brand<number, 'ApiKeyId'>;

/** What a key may do: Portal operations, or Captcha verification. */
export const SCOPES = ['portal', 'verify'] as const;
export type Scope = (typeof SCOPES)[number];

/** A warning is due this many days before a key expires; in descending order. */
export const EXPIRY_WARNING_DAYS = [14, 7, 1] as const;

/** How often a key may ask; what is undefined is as configured. */
export type KeyRate = {
  /** Requests a second, 0.001 to 1,000,000,000. */
  readonly rate: number | undefined;
  /** Requests at once, whole, 1..1,000,000,000. */
  readonly burst: number | undefined;
};

/** An API key as it is kept: never the secret, only its SHA-256. */
export type ApiKey = KeyRate & {
  readonly id: ApiKeyId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly scope: Scope;
  /** Where set, the key reaches this organization alone. */
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
  readonly createdAt: Instant;
  /** To the minute, and known a minute later; undefined where it was never used. */
  readonly lastUsedAt: Instant | undefined;
};

/** Who is asking, once known: a live key, its account, and the organizations that the account belongs to. */
export type Principal = KeyRate & {
  readonly keyId: ApiKeyId;
  readonly accountId: AccountId;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
  /** Owned by or shared with the account. */
  readonly memberOf: ReadonlySet<OrganizationId>;
};

/** Maximum of a key's own rate and burst, and of the configured ones. */
export const KEY_RATE_MAX = 1_000_000_000;
/** Requests a second: one in a quarter of an hour or so. With less, times become too large to be counted with. */
export const KEY_RATE_MIN = 0.001;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const ISSUED = /^postern_(?:portal|verify)_[0-9A-Za-z]{49}$/;

/** Maximum number of keys of one user that are neither revoked nor expired. */
export const ACTIVE_KEYS_MAX = 100;

/** A key that an operator chose must be at least this long. */
const CHOSEN_KEY_MIN_LENGTH = 32;
const KEY_MAX_LENGTH = 256;
const PRINTABLE = /^[\x21-\x7e]+$/;

/**
 * Writes a new key: `postern_<scope>_`, 256 bits in base 62, and the CRC-32 of all before it in base 62,
 * so that secret scanners find leaked keys and tell them from look-alikes.
 *
 * @param entropy 32 random bytes
 */
export function writeApiKey(scope: Scope, entropy: Uint8Array): string {
  let value = 0n;
  for (const byte of entropy) value = (value << 8n) | BigInt(byte);
  const head = `postern_${scope}_${toBase62(value, SECRET_LENGTH)}`;
  return head + checksumOf(head);
}

/**
 * Could this be a key? Keys that we wrote must carry their checksum; a key that an operator chose is any
 * printable ASCII of 32..256 characters.
 */
export function parseApiKey(text: string): Outcome<string, 'key-malformed'> {
  if (text.length < CHOSEN_KEY_MIN_LENGTH || text.length > KEY_MAX_LENGTH) return reject('key-malformed');
  if (!text.startsWith('postern_')) return PRINTABLE.test(text) ? done(text) : reject('key-malformed');
  if (!ISSUED.test(text)) return reject('key-malformed');
  const head = text.slice(0, -CHECKSUM_LENGTH);
  return checksumOf(head) === text.slice(-CHECKSUM_LENGTH) ? done(text) : reject('key-malformed');
}

/** Every verification asks for one, hence no BigInt. */
function checksumOf(head: string): string {
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
