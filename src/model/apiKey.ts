import { crc32 } from 'node:zlib';
import type { Random } from '../lib/ids.ts';
import { type Brand, done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import { sha256 } from '../sha256.ts';
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

/** The parts of a secret that lists show. */
export type SecretHint = {
  /** The scope and the first characters of a generated secret; empty for a secret that the operator chose. */
  readonly prefix: string;
  /** The last four characters. */
  readonly lastFour: string;
};

/** The secret that the last rotation replaced. */
export type OldSecret = {
  /** The secret works before this time. It is the time of the rotation if the secret was ended. */
  readonly worksUntil: Instant;
  /** Like `lastUsedAt` of the key; undefined if the secret was not used after the rotation. */
  readonly lastUsedAt: Instant | undefined;
  readonly hint: SecretHint | undefined;
};

/** An API key. Only the SHA-256 of its secret is stored. */
export type ApiKey = KeyRate & {
  readonly id: ApiKeyId;
  /** The user who owns the key, or who created it for the organization that owns it. */
  readonly accountId: AccountId;
  /** Whether `organizationId` owns the key. Such a key does not depend on a user. */
  readonly isOrganizationOwned: boolean;
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
  /** Undefined if the secret was created by a version that did not store it. */
  readonly hint: SecretHint | undefined;
  /** When the secret was last replaced; undefined if it never was. */
  readonly rotatedAt: Instant | undefined;
  /** Undefined if the secret was never replaced. */
  readonly oldSecret: OldSecret | undefined;
};

/** The owner of API keys: a user or an organization. */
export type KeyOwner = { readonly accountId: AccountId } | { readonly organizationId: OrganizationId };

/** Returns the owner of a key. */
export function ownerOf({
  accountId,
  organizationId,
  isOrganizationOwned,
}: Pick<ApiKey, 'accountId' | 'organizationId' | 'isOrganizationOwned'>): KeyOwner {
  return isOrganizationOwned && organizationId !== undefined ? { organizationId } : { accountId };
}

/** The sender of an authenticated request: an active key, and the organizations that it can access. */
export type Principal = KeyRate & {
  readonly keyId: ApiKeyId;
  /** The user who owns the key; undefined if its organization owns it. */
  readonly accountId: AccountId | undefined;
  /** The user who owns the key, or who created it for the organization that owns it. */
  readonly creatorId: AccountId;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  /** When the presented secret stops working: the expiry of the key or, if it is earlier, the end of a replaced secret. */
  readonly expiresAt: Instant | undefined;
  /** When the presented secret was replaced; undefined for the current secret. */
  readonly replacedAt: Instant | undefined;
  /** The organizations that the account owns or is a member of, or the organization that owns the key. */
  readonly memberOf: ReadonlySet<OrganizationId>;
};

/** How long the old secret of a rotated key can keep working, in seconds. */
export const KEEP_OLD_SECONDS = { '0': 0, '1h': 3600, '24h': 86_400, '7d': 604_800 } as const;
export type KeepOld = keyof typeof KEEP_OLD_SECONDS;

/** How long an old secret keeps working if a rotation does not say so. */
export const DEFAULT_KEEP_OLD: KeepOld = '24h';

/** Maximum rate and burst, of a key and in the configuration. */
export const KEY_RATE_MAX = 1_000_000_000;
/** Minimum rate in requests per second, about one every 17 minutes. Lower rates lead to times that are too long to compute. */
export const KEY_RATE_MIN = 0.001;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Enough for 256 bits: 62^43 > 2^256. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const VERIFY_PREFIX = 'postern_verify_';
const GENERATED_KEY = /^postern_(?:portal|verify)_[0-9A-Za-z]{49}$/;

/** Maximum number of keys of one user, or of one organization, that are neither revoked nor expired. */
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
 * Creates a key. Some clients for other vendors accept only secrets with the length of hCaptcha's, so the 256 bits of a verify key are 128
 * random bits, which fit into such a secret, and the first half of their SHA-256.
 *
 * @param random fills an array with random bytes
 */
export function createApiKey(scope: Scope, random: Random): string {
  if (scope === 'verify') return keyOfSeed(random(new Uint8Array(SEED_BYTES)));
  return formatApiKey(scope, random(new Uint8Array(32)));
}

const SEED_BYTES = 16;

function keyOfSeed(seed: Uint8Array): string {
  const entropy = new Uint8Array(32);
  entropy.set(seed);
  entropy.set(sha256(seed).subarray(0, 32 - SEED_BYTES), SEED_BYTES);
  return formatApiKey('verify', entropy);
}

/** The earlier and the current format of hCaptcha's secrets: 160 and 128 bits in hexadecimal. Turnstile's also begin with `0x`. */
const HEX_KEY = /^(?:0x0{8}|ES_)([0-9a-f]{32})$/i;

/** A verify key in the formats that `toHexForms` describes, by their prefixes. */
export type HexForms = { readonly '0x': string; readonly ES_: string };

/**
 * Converts a verify key to the formats that some clients for other vendors require of a secret. `parseApiKey` converts them back.
 *
 * @returns undefined for keys with another scope, and for those that `createApiKey` did not create
 */
export function toHexForms(secret: string): HexForms | undefined {
  if (!GENERATED_KEY.test(secret)) return undefined;
  const digits = secret.slice(VERIFY_PREFIX.length, -CHECKSUM_LENGTH);
  const seed = fromBase62(digits)
    .toString(16)
    .padStart(64, '0')
    .slice(0, 2 * SEED_BYTES);
  if (keyOfSeed(Uint8Array.fromHex(seed)) !== secret) return undefined;
  return { '0x': `0x${'0'.repeat(8)}${seed}`, ES_: `ES_${seed}` };
}

/**
 * Checks the format of a key. A generated key must have the right checksum. A key that the operator chose can be any 32..256
 * printable ASCII characters.
 *
 * @returns the key; for a format of `toHexForms`, the key that it stands for
 */
export function parseApiKey(text: string): Outcome<string, 'key-malformed'> {
  if (text.length < CHOSEN_KEY_MIN_LENGTH || text.length > KEY_MAX_LENGTH) return reject('key-malformed');
  if (!text.startsWith('postern_')) return parseOtherKey(text);
  if (!GENERATED_KEY.test(text)) return reject('key-malformed');
  const head = text.slice(0, -CHECKSUM_LENGTH);
  return toChecksum(head) === text.slice(-CHECKSUM_LENGTH) ? done(text) : reject('key-malformed');
}

function parseOtherKey(text: string): Outcome<string, 'key-malformed'> {
  const hex = HEX_KEY.exec(text)?.[1];
  if (hex !== undefined) return done(keyOfSeed(Uint8Array.fromHex(hex)));
  return PRINTABLE.test(text) ? done(text) : reject('key-malformed');
}

/** Characters of the random part of a generated secret that lists show. The last four characters belong to the checksum. */
const HINT_LENGTH = 4;

/** Returns the parts of a valid secret that lists show. */
export function toSecretHint(secret: string): SecretHint {
  const lastFour = secret.slice(-4);
  if (!GENERATED_KEY.test(secret)) return { prefix: '', lastFour };
  return { prefix: secret.slice(0, secret.lastIndexOf('_') + 1 + HINT_LENGTH), lastFour };
}

function fromBase62(digits: string): bigint {
  let value = 0n;
  for (const digit of digits) value = value * 62n + BigInt(ALPHABET.indexOf(digit));
  return value;
}

/** Does not use BigInt, because every verification computes a checksum. */
function toChecksum(head: string): string {
  let text = '';
  for (let rest = crc32(head); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    text = ALPHABET[rest % 62] + text;
  return text;
}

function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}
