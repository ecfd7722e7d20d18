import type { CheckArgon2id } from '../../src/captcha/argon2idCheck.ts';
import type { CheckHashwx } from '../../src/captcha/hashwxCheck.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { ApiKeyId, Principal } from '../../src/model/apiKey.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { SigningKey } from '../../src/model/ports/installation.ts';
import type { OwnedProperty } from '../../src/model/ports/property.ts';
import {
  type Claim,
  REPEAT_WINDOW_SECONDS,
  type RepeatKey,
  type ReplayLedger,
} from '../../src/model/ports/replayLedger.ts';
import type { PropertyId, Sitekey } from '../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { createHmac, sha256 } from '../../src/sha256.ts';

/** Fakes for the dependencies of issuing and verifying. */

export const hmac = createHmac();

export const sitekey = '0123456789abcdef0123456789abcdef' as Sitekey;
export const organizationId = 10 as OrganizationId;

export const property: OwnedProperty = {
  ...DEFAULT_SETTINGS,
  id: 1 as PropertyId,
  organizationId,
  ownerId: 1 as AccountId,
  name: 'Shop',
  domain: 'example.com',
  sitekey,
  level: 1,
  growth: 'constant',
  isEnabled: true,
  createdAt: 0 as Instant,
  attackUntil: 0 as Instant,
  offlineRotations: 0,
};

export const principal: Principal = {
  keyId: 1 as ApiKeyId,
  accountId: 1 as AccountId,
  creatorId: 1 as AccountId,
  scope: 'verify',
  organizationId: undefined,
  isReadOnly: false,
  expiresAt: undefined,
  replacedAt: undefined,
  rate: undefined,
  burst: undefined,
  memberOf: new Set([organizationId]),
};

export function signingKey(byte: number): SigningKey {
  const secret = new Uint8Array(32).fill(byte);
  return { secret, fingerprint: sha256(secret).slice(0, 4), createdAt: byte as Instant };
}

/** An in-memory ledger that fails while `failure` is set. */
export function createFakeLedger() {
  const counts = new Map<string, number>();
  const repeats = new Map<string, { expiresAt: number; count: number; maxCount: number }>();
  const find = ({ hash, nowSeconds }: RepeatKey) => {
    const known = repeats.get(hash.toHex());
    return known && known.expiresAt > nowSeconds ? known : undefined;
  };
  const ledger = {
    claims: 0,
    failure: undefined as Error | undefined,
    async claim({ puzzleId, expiresAtSeconds }: Claim) {
      ledger.claims++;
      if (ledger.failure !== undefined) throw ledger.failure;
      const key = `${expiresAtSeconds}:${puzzleId.toHex()}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count;
    },
    async claimOnce(claim: Claim, maxCount: number, key: RepeatKey) {
      const known = find(key);
      if (known !== undefined) return known.count;
      const count = await ledger.claim(claim);
      repeats.set(key.hash.toHex(), { expiresAt: key.nowSeconds + REPEAT_WINDOW_SECONDS, count, maxCount });
      return count;
    },
    async recall(key: RepeatKey) {
      if (ledger.failure !== undefined) throw ledger.failure;
      const known = find(key);
      return known && known.count <= known.maxCount;
    },
    purge: async () => 0,
    purgedBefore: async () => 0,
    isHealthy: () => ledger.failure === undefined,
    hasLostClaims: () => false,
    close: async () => {},
  };
  return ledger satisfies ReplayLedger;
}

/** Rejects all argon2id solutions. */
export const rejectArgon2id: CheckArgon2id = async () => 'invalid';

/** Rejects all HashWX solutions. */
export const rejectHashwx: CheckHashwx = () => false;

/** Statistics that count nothing. */
export const noUsage = { countPuzzle() {}, countVerdict() {} };

/** A load meter that ignores verifications. */
export const noLoad = { verified() {} };
