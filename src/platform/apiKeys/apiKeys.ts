import type { Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { fetchPage, type Page } from '../../lib/page.ts';
import { type Clock, DAY, later, toIso } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import { type Actor, isSystem, type TenantActor, type UserActor } from '../../model/actor.ts';
import {
  ACTIVE_KEYS_MAX,
  type ApiKey,
  type ApiKeyId,
  createApiKey,
  EXPIRY_WARNING_DAYS,
  type KeepOld,
  parseApiKey,
  type Scope,
  toSecretHint,
} from '../../model/apiKey.ts';
import { API_KEY_FIELDS, parseKeyRate } from '../../model/apiKeyFields.ts';
import { type AuditAction, type AuditEntry, describeChange } from '../../model/audit.ts';
import type { NameProblem } from '../../model/name.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { ApiKeyStore, KeyChange, KeySlice, RotationProblem } from '../../model/ports/apiKey.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';
import { sha256Hex } from '../../sha256.ts';
import type { EntryFor } from '../audit.ts';
import type { Access, AccessProblem } from '../organizations/access.ts';
import {
  type ApiKeyDraft,
  type ConfiguredRates,
  type DraftProblem,
  isTooHigh,
  parseDraft,
  type RateProblem,
} from './keyDraft.ts';
import { createRotations } from './keyRotation.ts';

/** A key with its secret, which cannot be shown again. */
export type RevealedKey = { readonly key: ApiKey; readonly secret: string };

export type ApiKeyProblem = DraftProblem | 'key-malformed' | 'key-taken' | 'keys-limit';

/** The reasons why an actor cannot manage a key. Members see the keys of their organizations, but only the owner manages them. */
export type ManageProblem = 'key-unknown' | 'organization-not-owned';

type ChangeProblem = ManageProblem | 'key-revoked';

/**
 * Use cases for API keys. Users can access their own keys and those of their organizations, and the command line all keys. A key can
 * access only itself. Other keys are rejected as unknown.
 */
export type ApiKeys = {
  /**
   * Creates a key of a user, or of an organization for its owner. Only administrators and the command line may exceed the configured
   * rate.
   */
  create(actor: Actor, draft: ApiKeyDraft): Promise<Outcome<RevealedKey, ApiKeyProblem>>;
  /** Lists the keys of one user, or all keys that the actor can access, oldest first. Administrators also see other users' keys. */
  list(actor: Actor, account?: Pick<Account, 'id'>): Promise<readonly ApiKey[]>;
  /** Lists part of the user's own keys, newest first. */
  page(actor: UserActor, slice: KeySlice): Promise<Page<ApiKey>>;
  /** Lists all keys of an organization, oldest first. */
  listOf(actor: Actor, id: OrganizationId): Promise<Outcome<readonly ApiKey[], AccessProblem>>;
  /** Lists part of the keys of an organization, newest first. */
  pageOf(actor: Actor, id: OrganizationId, slice: KeySlice): Promise<Outcome<Page<ApiKey>, AccessProblem>>;
  /** Finds a key that the actor can see, even if it is revoked. */
  byId(actor: Actor, id: ApiKeyId): Promise<Outcome<ApiKey, 'key-unknown'>>;
  /** Lists the keys of the user, and of the user's own organizations, that expire within 14 days, soonest first. */
  expiring(actor: UserActor): Promise<readonly ApiKey[]>;
  /** The current and the replaced secret stop working immediately. */
  revoke(actor: Actor, id: ApiKeyId): Promise<Outcome<ApiKey, ChangeProblem>>;
  /**
   * Replaces the secret. The old secret works for the time of `keepOld`; a secret that an earlier rotation replaced stops working
   * immediately.
   */
  rotate(
    actor: Actor,
    id: ApiKeyId,
    keepOld: KeepOld,
  ): Promise<Outcome<RevealedKey, ManageProblem | RotationProblem>>;
  /**
   * Replaces the secret of the key that authenticates the request.
   *
   * @param secret must be the current secret, so that a replaced secret cannot be turned into a new one
   */
  rotateOwn(
    actor: TenantActor,
    secret: string,
    keepOld: KeepOld,
  ): Promise<Outcome<RevealedKey, RotationProblem>>;
  /** Ends the secret that the last rotation replaced. */
  endOldSecret(actor: Actor, id: ApiKeyId): Promise<Outcome<ApiKey, ChangeProblem | 'key-old-secret-ended'>>;
  /** Changes the name or the rate. Absent fields do not change; an undefined rate means the configured one. */
  change(
    actor: Actor,
    id: ApiKeyId,
    change: KeyChange,
  ): Promise<Outcome<ApiKey, ChangeProblem | NameProblem<'key'> | RateProblem | 'key-rate-too-high'>>;
};

export type ApiKeysDeps = {
  readonly store: ApiKeyStore;
  readonly organizations: Pick<OrganizationStore, 'byId' | 'isMember'>;
  readonly access: Access;
  readonly accountStore: Pick<AccountStore, 'byId'>;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
  readonly configured: ConfiguredRates;
};

/** @see ApiKeys */
export function createApiKeys(deps: ApiKeysDeps): ApiKeys {
  const { store, clock, access } = deps;
  const secretFor = (scope: Scope) => createApiKey(scope, deps.random);
  const { see, manage } = createKeyAccess(deps);
  const entryFor = createEntryFor(deps);

  return {
    ...createRotations({ ...deps, secretFor, manage, entryFor }),
    async create(actor, draft) {
      const parsed = await parseDraft(deps, actor, draft);
      if (!parsed.ok) return parsed;
      const secret = parseApiKey(draft.chosen ?? secretFor(draft.scope));
      if (!secret.ok) return secret;
      const hint = toSecretHint(secret.value);
      const key = { ...parsed.value, hint, keyHash: sha256Hex(secret.value) };
      const { scope, isReadOnly, expiresAt } = key;
      const expiry = expiresAt === undefined ? '' : `, expires ${toIso(expiresAt)}`;
      const detail = `: scope ${scope}${isReadOnly ? ', read-only' : ''}${expiry}`;
      const entry = await entryFor(actor, 'key-created', key, detail);
      const created = await store.create(key, ACTIVE_KEYS_MAX, clock(), entry);
      return created.ok ? done({ key: created.value, secret: secret.value }) : created;
    },
    async list(actor, account) {
      if (actor.source === 'organization-key') return [];
      const owner = account?.id ?? actor.user;
      const isAccessible = actor.isAdmin || owner === actor.user;
      return isAccessible ? store.list(owner === undefined ? undefined : { accountId: owner }) : [];
    },
    page: (actor, { limit, ...slice }) =>
      fetchPage(limit, (upTo) => store.page({ accountId: actor.user }, { ...slice, limit: upTo })),
    async listOf(actor, organizationId) {
      const organization = await access.requireMember(actor, organizationId);
      return organization.ok ? done(await store.list({ organizationId })) : organization;
    },
    async pageOf(actor, organizationId, { limit, ...slice }) {
      const organization = await access.requireMember(actor, organizationId);
      if (!organization.ok) return organization;
      return done(
        await fetchPage(limit, (upTo) => store.page({ organizationId }, { ...slice, limit: upTo })),
      );
    },
    byId: see,
    async expiring({ user }) {
      const now = clock();
      return store.expiring(user, now, later(now, EXPIRY_WARNING_DAYS[0] * DAY));
    },
    async revoke(actor, id) {
      const key = await manage(actor, id);
      if (!key.ok) return key;
      return store.revoke(id, clock(), await entryFor(actor, 'key-revoked', key.value));
    },
    async change(actor, id, change) {
      const key = await manage(actor, id);
      if (!key.ok) return key;
      const name = API_KEY_FIELDS.name.parse(change.name ?? key.value.name);
      if (!name.ok) return name;
      const rate = parseKeyRate(change);
      if (!rate.ok) return rate;
      if (isTooHigh(actor, deps.configured[key.value.scope], rate.value)) return reject('key-rate-too-high');
      const given = change.name === undefined ? change : { ...change, name: name.value };
      const after = { ...key.value, ...given };
      const changed = describeChange(key.value, after, CHANGED_NAMES);
      const detail = changed === '' ? '' : `: ${changed}`;
      return store.change(id, given, await entryFor(actor, 'key-changed', after, detail));
    },
  };
}

/** The names of what `key-changed` lists. */
const CHANGED_NAMES = { name: 'name', rate: 'rate', burst: 'burst' } as const;

/** Finds a key that the actor can manage. The owner of a key never changes, so the result stays valid. */
export type ManageKey = (actor: Actor, id: ApiKeyId) => Promise<Outcome<ApiKey, ManageProblem>>;

function createKeyAccess({ store, access }: Pick<ApiKeysDeps, 'store' | 'access'>) {
  async function see(actor: Actor, id: ApiKeyId): Promise<Outcome<ApiKey, 'key-unknown'>> {
    const key = await store.byId(id);
    return key !== undefined && (await maySee(actor, key)) ? done(key) : reject('key-unknown');
  }

  async function maySee(actor: Actor, key: ApiKey): Promise<boolean> {
    if (isSystem(actor)) return true;
    if (actor.limits.keyId !== undefined) return actor.limits.keyId === key.id;
    if (!key.isOrganizationOwned || key.organizationId === undefined)
      return actor.source !== 'organization-key' && actor.user === key.accountId;
    return (await access.requireMember(actor, key.organizationId)).ok;
  }

  const manage: ManageKey = async (actor, id) => {
    const key = await see(actor, id);
    if (!key.ok || actor.limits.keyId !== undefined) return key;
    const { isOrganizationOwned, organizationId } = key.value;
    if (isSystem(actor) || !isOrganizationOwned || organizationId === undefined) return key;
    const owned = await access.requireOwner(actor, organizationId);
    return owned.ok ? key : reject('organization-not-owned');
  };

  return { see, manage };
}

/** Creates the audit log entry of an action. @param detail follows the key and its owner */
export type KeyEntryFor = (
  actor: Actor,
  action: AuditAction,
  key: Pick<ApiKey, 'name' | 'accountId' | 'organizationId' | 'isOrganizationOwned'>,
  detail?: string,
) => Promise<AuditEntry | undefined>;

function createEntryFor({
  accountStore,
  organizations,
  entryFor,
}: Pick<ApiKeysDeps, 'accountStore' | 'organizations' | 'entryFor'>): KeyEntryFor {
  return async (actor, action, { name, accountId, organizationId, isOrganizationOwned }, detail = '') => {
    const organization =
      isOrganizationOwned && organizationId !== undefined
        ? ((await organizations.byId(organizationId))?.name ?? '')
        : undefined;
    const owner =
      organization === undefined
        ? ((await accountStore.byId(accountId))?.email ?? '')
        : `organization ${organization}`;
    return entryFor(actor, { action, organizationId, object: `${name} of ${owner}${detail}` });
  };
}
