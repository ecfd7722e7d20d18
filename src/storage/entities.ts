import { getTableColumns, sql } from 'drizzle-orm';
import type { Instant } from '../lib/time.ts';
import type { Account, AccountId } from '../model/account.ts';
import type { TenantActor } from '../model/actor.ts';
import {
  type ApiKey,
  type ApiKeyId,
  KEY_RATE_MIN,
  type Principal,
  type SecretHint,
} from '../model/apiKey.ts';
import type { StoredAuditEntry } from '../model/audit.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { Task } from '../model/task.ts';
import { invitations, organizations, properties, sessions } from './schema.ts';

/** The columns of an entity, with null instead of undefined. */
type Row<Entity> = {
  readonly [Key in keyof Entity]-?: undefined extends Entity[Key]
    ? Exclude<Entity[Key], undefined> | null
    : Entity[Key];
};

type TaskRow = Row<Omit<Task, 'actor' | 'organizationId'>> & {
  readonly targetOrganizationId: OrganizationId | null;
  readonly accountId: AccountId;
  readonly keyId: ApiKeyId | null;
  readonly organizationId: OrganizationId | null;
  readonly source: TenantActor['source'] | null;
  readonly address: string | null;
};

/** Converts the row of an account. */
export function toAccount(row: Row<Account>): Account {
  const { id, email, name, isAdmin, createdAt, plan } = row;
  return { id, email, name, isAdmin, createdAt, plan, disabledAt: row.disabledAt ?? undefined };
}

type ApiKeyRow = Row<Omit<ApiKey, 'hint' | 'oldSecret'>> & {
  readonly prefix: string | null;
  readonly lastFour: string | null;
  readonly previousUntil: Instant | null;
  readonly previousUsedAt: Instant | null;
  readonly previousPrefix: string | null;
  readonly previousLastFour: string | null;
};

/** Converts the row of an API key. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  const { id, accountId, isOrganizationOwned, name, scope, isReadOnly, createdAt, previousUntil } = row;
  return {
    id,
    accountId,
    isOrganizationOwned,
    name,
    scope,
    organizationId: row.organizationId ?? undefined,
    isReadOnly,
    expiresAt: row.expiresAt ?? undefined,
    revokedAt: row.revokedAt ?? undefined,
    createdAt,
    // An early version stored rates below the minimum.
    rate: row.rate === null ? undefined : Math.max(row.rate, KEY_RATE_MIN),
    burst: row.burst ?? undefined,
    lastUsedAt: row.lastUsedAt ?? undefined,
    hint: toHint(row.prefix, row.lastFour),
    rotatedAt: row.rotatedAt ?? undefined,
    oldSecret:
      previousUntil === null
        ? undefined
        : {
            worksUntil: previousUntil,
            lastUsedAt: row.previousUsedAt ?? undefined,
            hint: toHint(row.previousPrefix, row.previousLastFour),
          },
  };
}

function toHint(prefix: string | null, lastFour: string | null): SecretHint | undefined {
  return prefix === null || lastFour === null ? undefined : { prefix, lastFour };
}

/**
 * Converts the row of an API key to the sender of a request with one of its secrets.
 *
 * @param isOld whether the secret is the one that the last rotation replaced
 * @param memberOf the organizations of the key's user; not used if an organization owns the key
 */
export function toPrincipal(
  row: ApiKeyRow,
  isOld: boolean,
  memberOf: () => ReadonlySet<OrganizationId>,
): Principal {
  const { id, accountId, isOrganizationOwned, scope, organizationId, isReadOnly, rate, burst, ...key } =
    toApiKey(row);
  const ends = [key.expiresAt, isOld ? key.oldSecret?.worksUntil : undefined].filter(
    (end) => end !== undefined,
  );
  const isOwned = isOrganizationOwned && organizationId !== undefined;
  return {
    keyId: id,
    accountId: isOwned ? undefined : accountId,
    creatorId: accountId,
    scope,
    organizationId,
    isReadOnly,
    expiresAt: ends.length === 0 ? undefined : (Math.min(...ends) as Instant),
    replacedAt: isOld ? key.rotatedAt : undefined,
    rate,
    burst,
    memberOf: isOwned ? new Set([organizationId]) : memberOf(),
  };
}

/** Converts the row of a task. */
export function toTask(row: TaskRow): Task {
  const { id, order, failures, createdAt } = row;
  return {
    id,
    actor: toTaskActor(row),
    organizationId: row.targetOrganizationId ?? undefined,
    order,
    failures,
    createdAt,
    finishedAt: row.finishedAt ?? undefined,
    results: row.results ?? undefined,
  };
}

function toTaskActor({ accountId, source, ...row }: TaskRow): TenantActor {
  const address = row.address ?? undefined;
  const keyId = row.keyId ?? undefined;
  const organizationId = row.organizationId ?? undefined;
  if (source === 'organization-key' && organizationId !== undefined)
    return { source, isAdmin: false, address, limits: { organizationId, keyId } };
  // A task without its organization never acts as the user.
  if (source === 'organization-key') throw new TypeError('a task of an organization has no organization');
  return {
    source: source ?? 'api-key',
    user: accountId,
    isAdmin: false,
    address,
    limits: { organizationId, keyId },
  };
}

/** Converts the row of an audit log entry. */
export function toAuditEntry(row: Row<StoredAuditEntry>): StoredAuditEntry {
  const { id, at, actor, source, action, object } = row;
  return {
    id,
    at,
    accountId: row.accountId ?? undefined,
    actor,
    source,
    address: row.address ?? undefined,
    action,
    organizationId: row.organizationId ?? undefined,
    object,
  };
}

/** The columns of entities that need no conversion. */

const { nameFolded: _name, deletedAt: _deleted, ...ofOrganization } = getTableColumns(organizations);
export const organizationColumns = ofOrganization;

/** The later end of attack mode of a property and of its organization. Raw SQL, because drizzle omits table names in computed columns. */
const ATTACK_UNTIL = sql`(
  SELECT CASE WHEN o.attack_until > properties.attack_until THEN o.attack_until ELSE properties.attack_until END
  FROM organizations o WHERE o.id = properties.organization_id
)`.mapWith(properties.attackUntil);

const { nameFolded: _folded, deletedAt: _at, ...ofProperty } = getTableColumns(properties);
export const propertyColumns = { ...ofProperty, attackUntil: ATTACK_UNTIL };

const { tokenHash: _token, ...ofInvitation } = getTableColumns(invitations);
export const invitationColumns = ofInvitation;

const { secretHash: _secret, ...ofSession } = getTableColumns(sessions);
export const sessionColumns = ofSession;
