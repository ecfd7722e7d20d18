import type { Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, DAY, type Instant, later } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import type { Actor, UserActor } from '../../model/actor.ts';
import {
  ACTIVE_KEYS_MAX,
  type ApiKey,
  type ApiKeyId,
  EXPIRY_WARNING_DAYS,
  formatApiKey,
  type KeyRate,
  parseApiKey,
  type Scope,
} from '../../model/apiKey.ts';
import { API_KEY_FIELDS, parseKeyRate } from '../../model/apiKeyFields.ts';
import type { AuditAction, AuditEntry } from '../../model/audit.ts';
import type { NameProblem } from '../../model/name.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { ApiKeyStore, KeyChange, NewApiKey } from '../../model/ports/apiKey.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';
import type { EntryFor } from '../audit.ts';

export type ApiKeyDraft = Partial<KeyRate> & {
  /** The user of the key. Only the command line creates keys for other users. */
  readonly account: Pick<Account, 'id'>;
  readonly name: string;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
  /** A secret that an operator chose; a random one is created if it is absent. */
  readonly chosen?: string;
};

/** A key with its secret, which cannot be shown again. */
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
  | 'organization-not-yours'
  | 'account-unknown'
  | 'key-rate-too-high';

type KeyProblem = 'key-unknown' | 'key-revoked';

/** Use cases for API keys. Users can access only their own keys, and the command line all keys; other keys are rejected as unknown. */
export type ApiKeys = {
  /** Only administrators and the command line may exceed the configured rate. */
  readonly create: (actor: Actor, draft: ApiKeyDraft) => Promise<Outcome<RevealedKey, ApiKeyProblem>>;
  /** Lists the keys of one user, or all keys that the actor can access, oldest first. Administrators also see other users' keys. */
  readonly list: (actor: Actor, account?: Pick<Account, 'id'>) => Promise<readonly ApiKey[]>;
  /** Lists the user's keys that expire within 14 days, when the first warning is due; soonest first. */
  readonly expiring: (actor: UserActor) => Promise<readonly ApiKey[]>;
  readonly revoke: (actor: Actor, id: ApiKeyId) => Promise<Outcome<ApiKey, KeyProblem>>;
  /** Replaces the secret. The old one stops working immediately. */
  readonly rotate: (actor: Actor, id: ApiKeyId) => Promise<Outcome<RevealedKey, KeyProblem | 'key-taken'>>;
  /** Changes the name or the rate. Absent fields do not change; an undefined rate means the configured one. */
  readonly change: (
    actor: Actor,
    id: ApiKeyId,
    change: KeyChange,
  ) => Promise<Outcome<ApiKey, KeyProblem | NameProblem<'key'> | RateProblem | 'key-rate-too-high'>>;
};

export type ApiKeysDeps = {
  readonly store: ApiKeyStore;
  readonly organizations: Pick<OrganizationStore, 'byId' | 'isMember'>;
  readonly accountStore: Pick<AccountStore, 'byId'>;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256 in lowercase hex. */
  readonly digest: (text: string) => string;
  /** The rates of keys without rates of their own, by scope. */
  readonly configured: Readonly<Record<Scope, Rate>>;
};

/** @see ApiKeys */
export function createApiKeys(deps: ApiKeysDeps): ApiKeys {
  const { store, clock } = deps;
  const secretFor = (scope: Scope) => formatApiKey(scope, deps.random(new Uint8Array(32)));

  /** The user of a key never changes, so the result stays valid. */
  async function find(actor: Actor, id: ApiKeyId): Promise<Outcome<ApiKey, 'key-unknown'>> {
    const key = await store.byId(id);
    const isAccessible = key !== undefined && (actor.user === undefined || actor.user === key.accountId);
    return isAccessible ? done(key) : reject('key-unknown');
  }

  async function entryFor(
    actor: Actor,
    action: AuditAction,
    { name, accountId, organizationId }: Pick<ApiKey, 'name' | 'accountId' | 'organizationId'>,
  ): Promise<AuditEntry | undefined> {
    const email = (await deps.accountStore.byId(accountId))?.email ?? '';
    return deps.entryFor(actor, { action, organizationId, subject: `${name} of ${email}` });
  }

  return {
    async create(actor, draft) {
      const parsed = await parseDraft(deps, actor, draft);
      if (!parsed.ok) return parsed;
      const secret = parseApiKey(draft.chosen ?? secretFor(draft.scope));
      if (!secret.ok) return secret;
      const key = { ...parsed.value, keyHash: deps.digest(secret.value) };
      const entry = await entryFor(actor, 'key-created', key);
      const created = await store.create(key, ACTIVE_KEYS_MAX, clock(), entry);
      return created.ok ? done({ key: created.value, secret: secret.value }) : created;
    },
    async list(actor, account) {
      const owner = account?.id ?? actor.user;
      const isAccessible = actor.isAdmin || owner === actor.user;
      return isAccessible ? store.list(owner) : [];
    },
    async expiring({ user }) {
      const now = clock();
      return store.expiring(user, now, later(now, EXPIRY_WARNING_DAYS[0] * DAY));
    },
    async revoke(actor, id) {
      const key = await find(actor, id);
      if (!key.ok) return key;
      return store.revoke(id, clock(), await entryFor(actor, 'key-revoked', key.value));
    },
    async rotate(actor, id) {
      const key = await find(actor, id);
      if (!key.ok) return key;
      const secret = secretFor(key.value.scope);
      const entry = await entryFor(actor, 'key-rotated', key.value);
      const rotated = await store.rotate(id, deps.digest(secret), entry);
      return rotated.ok ? done({ key: rotated.value, secret }) : rotated;
    },
    async change(actor, id, change) {
      const key = await find(actor, id);
      if (!key.ok) return key;
      const name = API_KEY_FIELDS.name.parse(change.name ?? key.value.name);
      if (!name.ok) return name;
      const rate = parseKeyRate(change);
      if (!rate.ok) return rate;
      if (isTooHigh(actor, deps.configured[key.value.scope], rate.value)) return reject('key-rate-too-high');
      const entry = await entryFor(actor, 'key-changed', { ...key.value, name: name.value });
      const given = change.name === undefined ? change : { ...change, name: name.value };
      return store.change(id, given, entry);
    },
  };
}

/** Checks everything about a new key except its secret. */
async function parseDraft(
  { organizations, configured, clock }: ApiKeysDeps,
  actor: Actor,
  draft: ApiKeyDraft,
): Promise<Outcome<Omit<NewApiKey, 'keyHash'>, ApiKeyProblem>> {
  const { scope, isReadOnly, expiresAt, organizationId } = draft;
  const accountId = draft.account.id;
  if (actor.user !== undefined && actor.user !== accountId) return reject('account-unknown');
  const rate = parseKeyRate(draft);
  if (rate.ok && isTooHigh(actor, configured[scope], rate.value)) return reject('key-rate-too-high');
  const name = API_KEY_FIELDS.name.parse(draft.name);
  if (!name.ok) return name;
  if (!rate.ok) return rate;
  if (expiresAt !== undefined && expiresAt <= clock()) return reject('key-expiry-past');
  if (organizationId !== undefined) {
    if ((await organizations.byId(organizationId)) === undefined) return reject('organization-unknown');
    const isMember = await organizations.isMember(organizationId, accountId);
    if (!isMember) return reject('organization-not-yours');
  }
  return done({ accountId, name: name.value, scope, organizationId, isReadOnly, expiresAt, ...rate.value });
}

type Rate = { readonly rate: number; readonly burst: number };

/** Whether an actor who is not an administrator requests more than the configured rate. */
function isTooHigh(actor: Actor, configured: Rate, { rate = 0, burst = 0 }: KeyRate): boolean {
  return !actor.isAdmin && (rate > configured.rate || burst > configured.burst);
}
