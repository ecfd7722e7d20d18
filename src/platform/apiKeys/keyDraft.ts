import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock, Instant } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import { type Actor, isSystem } from '../../model/actor.ts';
import type { KeyRate, Scope } from '../../model/apiKey.ts';
import { API_KEY_FIELDS, parseKeyRate } from '../../model/apiKeyFields.ts';
import type { NameProblem } from '../../model/name.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { NewApiKey } from '../../model/ports/apiKey.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';
import type { Access, OwnerProblem } from '../organizations/access.ts';

/** The fields of a new key that do not depend on its owner. */
type KeyDetails = Partial<KeyRate> & {
  readonly name: string;
  readonly scope: Scope;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
  /** A secret that an operator chose; a random one is created if it is absent. */
  readonly chosen?: string;
};

export type UserKeyDraft = KeyDetails & {
  readonly isOrganizationOwned?: false;
  /** The user of the key. Only the command line creates keys for other users. */
  readonly account: Pick<Account, 'id'>;
  readonly organizationId: OrganizationId | undefined;
};

export type OrganizationKeyDraft = KeyDetails & {
  readonly isOrganizationOwned: true;
  readonly organizationId: OrganizationId;
};

export type ApiKeyDraft = UserKeyDraft | OrganizationKeyDraft;

export type RateProblem = 'key-rate-malformed' | 'key-burst-malformed';

export type DraftProblem =
  | RateProblem
  | NameProblem<'key'>
  | OwnerProblem
  | 'key-expiry-past'
  | 'organization-not-yours'
  | 'account-unknown'
  | 'key-rate-too-high';

type Rate = { readonly rate: number; readonly burst: number };

/** The rates of keys without rates of their own, by scope. */
export type ConfiguredRates = Readonly<Record<Scope, Rate>>;

type DraftDeps = {
  readonly organizations: Pick<OrganizationStore, 'byId' | 'isMember'>;
  readonly access: Pick<Access, 'requireOwner'>;
  readonly configured: ConfiguredRates;
  readonly clock: Clock;
};

/** Checks everything about a new key except its secret. */
export async function parseDraft(
  deps: DraftDeps,
  actor: Actor,
  draft: ApiKeyDraft,
): Promise<Outcome<Omit<NewApiKey, 'keyHash' | 'hint'>, DraftProblem>> {
  const { scope, isReadOnly, expiresAt, organizationId } = draft;
  const creator = await findCreator(deps, actor, draft);
  if (!creator.ok) return creator;
  const rate = parseKeyRate(draft);
  if (rate.ok && isTooHigh(actor, deps.configured[scope], rate.value)) return reject('key-rate-too-high');
  const name = API_KEY_FIELDS.name.parse(draft.name);
  if (!name.ok) return name;
  if (!rate.ok) return rate;
  if (expiresAt !== undefined && expiresAt <= deps.clock()) return reject('key-expiry-past');
  const isOrganizationOwned = draft.isOrganizationOwned ?? false;
  if (!isOrganizationOwned && organizationId !== undefined) {
    if ((await deps.organizations.byId(organizationId)) === undefined) return reject('organization-unknown');
    const isMember = await deps.organizations.isMember(organizationId, creator.value);
    if (!isMember) return reject('organization-not-yours');
  }
  return done({
    accountId: creator.value,
    isOrganizationOwned,
    name: name.value,
    scope,
    organizationId,
    isReadOnly,
    expiresAt,
    ...rate.value,
  });
}

/** Returns the user of the key or, for a key of an organization, the owner who creates it. */
async function findCreator(
  { access }: DraftDeps,
  actor: Actor,
  draft: ApiKeyDraft,
): Promise<Outcome<Account['id'], OwnerProblem | 'account-unknown'>> {
  if (draft.isOrganizationOwned) {
    const organization = await access.requireOwner(actor, draft.organizationId);
    return organization.ok ? done(organization.value.ownerId) : organization;
  }
  const { id } = draft.account;
  const isAllowed = isSystem(actor) || (actor.source !== 'organization-key' && actor.user === id);
  return isAllowed ? done(id) : reject('account-unknown');
}

/** Whether an actor who is not an administrator requests more than the configured rate. */
export function isTooHigh(actor: Actor, configured: Rate, { rate = 0, burst = 0 }: KeyRate): boolean {
  return !actor.isAdmin && (rate > configured.rate || burst > configured.burst);
}
