import type { Random } from '../lib/ids.ts';
import { done, type Outcome, refuse } from '../lib/outcome.ts';
import { type Clock, DAY, type Instant, later } from '../lib/time.ts';
import type { Account, AccountId } from '../model/account.ts';
import {
  ACTIVE_KEYS_MAX,
  type ApiKey,
  type ApiKeyId,
  EXPIRY_WARNING_DAYS,
  type KeyRate,
  parseApiKey,
  type Scope,
  writeApiKey,
} from '../model/apiKey.ts';
import { API_KEY_FIELDS, parseKeyRate } from '../model/apiKeyFields.ts';
import type { NameProblem } from '../model/name.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { ApiKeyStore, KeyChange } from '../model/ports/apiKey.ts';
import type { OrganizationStore } from '../model/ports/organization.ts';

export type ApiKeyDraft = Partial<KeyRate> & {
  readonly account: Account;
  readonly name: string;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
  /** A key that an operator chose; without one a new one is made. */
  readonly chosen?: string;
};

/** The only moment at which the key itself is known. */
export type RevealedKey = { readonly key: ApiKey; readonly secret: string };

type RateProblem = 'key-rate-malformed' | 'key-burst-malformed';

export type ApiKeyProblem =
  | RateProblem
  | NameProblem<'key'>
  | 'key-malformed'
  | 'key-taken'
  | 'keys-limit'
  | 'key-expiry-past'
  | 'organization-unknown'
  | 'organization-not-yours';

type OfProblem = 'key-unknown' | 'key-revoked';

/** Without an owner's name the house itself asks, which may everything; of another's key the owner hears `key-unknown`. */
export type ApiKeys = {
  readonly create: (draft: ApiKeyDraft) => Promise<Outcome<RevealedKey, ApiKeyProblem>>;
  readonly list: (account?: Account) => Promise<readonly ApiKey[]>;
  readonly revoke: (id: ApiKeyId) => Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  readonly rotate: (id: ApiKeyId) => Promise<Outcome<RevealedKey, OfProblem | 'key-taken'>>;
  /** For the account of the draft itself; above the configured rate only for an administrator. */
  readonly createOf: (
    draft: ApiKeyDraft,
  ) => Promise<Outcome<RevealedKey, ApiKeyProblem | 'key-rate-too-high'>>;
  readonly listOf: (owner: Account) => Promise<readonly ApiKey[]>;
  /** Keys that expire within two weeks, that is, after their first warning; soonest first. */
  readonly expiringOf: (owner: Account) => Promise<readonly ApiKey[]>;
  readonly revokeOf: (owner: Account, id: ApiKeyId) => Promise<Outcome<ApiKey, OfProblem>>;
  readonly rotateOf: (owner: Account, id: ApiKeyId) => Promise<Outcome<RevealedKey, OfProblem | 'key-taken'>>;
  /** Another name or rate; what is absent stays, and a rate that is undefined is as configured again. */
  readonly changeOf: (
    owner: Account,
    id: ApiKeyId,
    change: KeyChange,
  ) => Promise<Outcome<ApiKey, OfProblem | NameProblem<'key'> | RateProblem | 'key-rate-too-high'>>;
};

export type ApiKeysDeps = {
  readonly store: ApiKeyStore;
  readonly organizations: OrganizationStore;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256 in lower-case hex. */
  readonly digest: (text: string) => string;
  /** The rates that apply to keys without their own, by scope. */
  readonly configured: Readonly<Record<Scope, Rate>>;
};

/** Use cases around API keys. Only a key's SHA-256 is stored. */
export function createApiKeys(deps: ApiKeysDeps): ApiKeys {
  const secretFor = (scope: Scope) => writeApiKey(scope, deps.random(new Uint8Array(32)));

  async function reach(draft: ApiKeyDraft) {
    const { organizationId, account } = draft;
    if (organizationId === undefined) return done(undefined);
    if ((await deps.organizations.byId(organizationId)) === undefined) return refuse('organization-unknown');
    const isMember = await deps.organizations.isMember(organizationId, account.id);
    return isMember ? done(organizationId) : refuse('organization-not-yours');
  }

  async function create(draft: ApiKeyDraft): Promise<Outcome<RevealedKey, ApiKeyProblem>> {
    const name = API_KEY_FIELDS.name.parse(draft.name);
    if (!name.ok) return name;
    const rate = parseKeyRate(draft);
    if (!rate.ok) return rate;
    const now = deps.clock();
    if (draft.expiresAt !== undefined && draft.expiresAt <= now) return refuse('key-expiry-past');
    const organizationId = await reach(draft);
    if (!organizationId.ok) return organizationId;
    const secret = parseApiKey(draft.chosen ?? secretFor(draft.scope));
    if (!secret.ok) return secret;
    const { account, scope, isReadOnly, expiresAt } = draft;
    const key = { accountId: account.id, name: name.value, scope, isReadOnly, expiresAt, ...rate.value };
    const kept = { ...key, organizationId: organizationId.value, keyHash: deps.digest(secret.value) };
    const created = await deps.store.create(kept, ACTIVE_KEYS_MAX, now);
    return created.ok ? done({ key: created.value, secret: secret.value }) : created;
  }

  async function rotate(id: ApiKeyId): Promise<Outcome<RevealedKey, OfProblem | 'key-taken'>> {
    const key = await deps.store.byId(id);
    if (key === undefined) return refuse('key-unknown');
    const secret = secretFor(key.scope);
    const rotated = await deps.store.rotate(id, deps.digest(secret));
    return rotated.ok ? done({ key: rotated.value, secret }) : rotated;
  }

  /** The owner of a key never changes, so this result stays valid. */
  async function ownedBy(owner: Account, id: ApiKeyId): Promise<ApiKey | undefined> {
    const key = await deps.store.byId(id);
    return key?.accountId === owner.id ? key : undefined;
  }

  const revoke = (id: ApiKeyId) => deps.store.revoke(id, deps.clock());

  return {
    create,
    list: (account) => deps.store.list(account?.id),
    revoke,
    rotate,
    async createOf(draft) {
      const rate = parseKeyRate(draft);
      if (!rate.ok) return rate;
      return isTooHigh(draft.account, deps.configured[draft.scope], rate.value)
        ? refuse('key-rate-too-high')
        : create(draft);
    },
    listOf: ({ id }) => deps.store.list(id),
    expiringOf: ({ id }) => expiringSoon(deps, id),
    async revokeOf(owner, id) {
      return (await ownedBy(owner, id)) ? revoke(id) : refuse('key-unknown');
    },
    async rotateOf(owner, id) {
      return (await ownedBy(owner, id)) ? rotate(id) : refuse('key-unknown');
    },
    async changeOf(owner, id, change) {
      const key = await ownedBy(owner, id);
      if (key === undefined) return refuse('key-unknown');
      const name = change.name === undefined ? done(undefined) : API_KEY_FIELDS.name.parse(change.name);
      if (!name.ok) return name;
      const rate = parseKeyRate(change);
      if (!rate.ok) return rate;
      if (isTooHigh(owner, deps.configured[key.scope], rate.value)) return refuse('key-rate-too-high');
      return deps.store.change(id, { ...change, ...(name.value && { name: name.value }) });
    },
  };
}

function expiringSoon(
  { store, clock }: { readonly store: Pick<ApiKeyStore, 'expiring'>; readonly clock: Clock },
  accountId: AccountId,
): Promise<readonly ApiKey[]> {
  const now = clock();
  return store.expiring(accountId, now, later(now, EXPIRY_WARNING_DAYS[0] * DAY));
}

type Rate = { readonly rate: number; readonly burst: number };

/** Whether a user asks for more than the configured rate; administrators may. */
function isTooHigh(account: Account, configured: Rate, { rate = 0, burst = 0 }: KeyRate): boolean {
  return !account.isAdmin && (rate > configured.rate || burst > configured.burst);
}
