import type { AccountId } from './account.ts';
import type { ApiKeyId } from './apiKey.ts';
import type { OrganizationId } from './organization.ts';

/**
 * The user, organization, or system that performs an action. Every use case checks the access of its actor and records it in the audit
 * log.
 */
export type Actor = TenantActor | SystemActor;

/** An actor with access to some organizations. */
export type TenantActor = UserActor | OrganizationActor;

/** A user, signed in to the portal or represented by an API key. */
export type UserActor = {
  readonly source: 'portal' | 'api-key';
  readonly user: AccountId;
  /** Whether the user acts as an administrator. An API key never does; only the rules of the installation accept keys of administrators. */
  readonly isAdmin: boolean;
  /** The full client address as the server sees it, for the audit log; undefined if it is unknown. */
  readonly address: string | undefined;
  readonly limits: ActorLimits;
};

/**
 * An API key that belongs to an organization. It may do what a member may do, and only in this organization. There is no property `user`,
 * so that the compiler finds code that forgets this kind of actor.
 */
export type OrganizationActor = {
  readonly source: 'organization-key';
  readonly isAdmin: false;
  readonly address: string | undefined;
  readonly limits: { readonly keyId: ApiKeyId | undefined; readonly organizationId: OrganizationId };
};

/** An actor without restrictions: the command line, or the installation itself, whose actions the audit log does not record. */
export type SystemActor = {
  readonly source: 'command-line' | 'installation';
  readonly user: undefined;
  readonly isAdmin: true;
  readonly address: undefined;
  readonly limits: ActorLimits;
};

/** The restrictions of an API key. Actions in the portal and on the command line have none. */
export type ActorLimits = {
  /** The API key. If it is revoked, its unfinished tasks change nothing. */
  readonly keyId?: ApiKeyId | undefined;
  /** The only organization that the key can access; undefined for all organizations of its user. */
  readonly organizationId?: OrganizationId | undefined;
};

const NO_LIMITS: ActorLimits = {};

const SYSTEM = { user: undefined, isAdmin: true, address: undefined, limits: NO_LIMITS } as const;

/** A person who runs `postern` commands on the data folder. */
export const COMMAND_LINE: SystemActor = { source: 'command-line', ...SYSTEM };

/** The installation itself, for example when it creates the configured administrator at the first start. */
export const INSTALLATION: SystemActor = { source: 'installation', ...SYSTEM };

/** A user in the portal. */
export function portalActor(
  { id, isAdmin }: { readonly id: AccountId; readonly isAdmin: boolean },
  address: string | undefined,
): UserActor {
  return { source: 'portal', user: id, isAdmin, address, limits: NO_LIMITS };
}

/** The user of an API key, or the organization that owns it. */
export function keyActor(
  key: {
    /** Undefined if the organization owns the key. */
    readonly accountId: AccountId | undefined;
    readonly keyId?: ApiKeyId | undefined;
    readonly organizationId: OrganizationId | undefined;
  },
  address: string | undefined,
): TenantActor {
  const { accountId: user, keyId, organizationId } = key;
  if (user !== undefined)
    return { source: 'api-key', user, isAdmin: false, address, limits: { keyId, organizationId } };
  if (organizationId === undefined) throw new TypeError('an API key without a user needs an organization');
  return { source: 'organization-key', isAdmin: false, address, limits: { keyId, organizationId } };
}

/** Whether access checks do not apply to the actor: the command line, or the installation itself. */
export function isSystem(actor: Actor): actor is SystemActor {
  return actor.source === 'command-line' || actor.source === 'installation';
}

/** Whether the limits of an actor allow access to an organization. Membership is checked separately. */
export function isWithinLimits({ limits }: Actor, id: OrganizationId): boolean {
  return limits.organizationId === undefined || limits.organizationId === id;
}
