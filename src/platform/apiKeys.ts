import type { Random } from '../lib/ids.ts';
import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { Clock, Instant } from '../lib/time.ts';
import type { Account } from '../model/account.ts';
import { type ApiKey, type ApiKeyId, parseApiKey, type Scope, writeApiKey } from '../model/apiKey.ts';
import { type NameProblem, parseName } from '../model/name.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { ApiKeyStore, OrganizationStore } from '../model/ports.ts';

export type ApiKeyDraft = {
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

export type ApiKeyProblem =
  | NameProblem<'key'>
  | 'key-malformed'
  | 'key-taken'
  | 'key-expiry-past'
  | 'organization-unknown'
  | 'organization-not-yours';

export type ApiKeys = {
  readonly create: (draft: ApiKeyDraft) => Promise<Outcome<RevealedKey, ApiKeyProblem>>;
  readonly list: (account?: Account) => Promise<readonly ApiKey[]>;
  readonly revoke: (id: ApiKeyId) => Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  readonly rotate: (
    id: ApiKeyId,
  ) => Promise<Outcome<RevealedKey, 'key-unknown' | 'key-revoked' | 'key-taken'>>;
};

/** Use cases around API keys. Only a key's SHA-256 is kept. */
export function createApiKeys(deps: {
  readonly store: ApiKeyStore;
  readonly organizations: OrganizationStore;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256 in lower-case hex. */
  readonly digest: (text: string) => string;
}): ApiKeys {
  function secretFor(scope: Scope): string {
    return writeApiKey(scope, deps.random(new Uint8Array(32)));
  }

  async function reach(draft: ApiKeyDraft) {
    const { organizationId, account } = draft;
    if (organizationId === undefined) return done(undefined);
    if ((await deps.organizations.byId(organizationId)) === undefined) return refuse('organization-unknown');
    const isMember = await deps.organizations.isMember(organizationId, account.id);
    return isMember ? done(organizationId) : refuse('organization-not-yours');
  }

  return {
    async create(draft) {
      const name = parseName('key', draft.name);
      if (!name.ok) return name;
      const now = deps.clock();
      if (draft.expiresAt !== undefined && draft.expiresAt <= now) return refuse('key-expiry-past');
      const organizationId = await reach(draft);
      if (!organizationId.ok) return organizationId;
      const secret = parseApiKey(draft.chosen ?? secretFor(draft.scope));
      if (!secret.ok) return secret;
      const { account, scope, isReadOnly, expiresAt } = draft;
      const key = { accountId: account.id, name: name.value, scope, isReadOnly, expiresAt };
      const kept = { ...key, organizationId: organizationId.value, keyHash: deps.digest(secret.value) };
      const created = await deps.store.create(kept, now);
      return created.ok ? done({ key: created.value, secret: secret.value }) : created;
    },
    list: (account) => deps.store.list(account?.id),
    revoke: (id) => deps.store.revoke(id, deps.clock()),
    async rotate(id) {
      const key = await deps.store.byId(id);
      if (key === undefined) return refuse('key-unknown');
      const secret = secretFor(key.scope);
      const rotated = await deps.store.rotate(id, deps.digest(secret));
      return rotated.ok ? done({ key: rotated.value, secret }) : rotated;
    },
  };
}
