import type { Account, AccountId } from '../model/account.ts';
import type { UserActor } from '../model/actor.ts';
import { type ApiKey, type ApiKeyId, KEY_RATE_MIN } from '../model/apiKey.ts';
import type { StoredAuditEntry } from '../model/audit.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { Task } from '../model/task.ts';

/** The columns of an entity, with null instead of undefined. */
type Row<Entity> = {
  readonly [Key in keyof Entity]-?: undefined extends Entity[Key]
    ? Exclude<Entity[Key], undefined> | null
    : Entity[Key];
};

type TaskRow = Row<Omit<Task, 'actor'>> & {
  readonly accountId: AccountId;
  readonly keyId: ApiKeyId | null;
  readonly organizationId: OrganizationId | null;
  readonly source: UserActor['source'] | null;
  readonly address: string | null;
};

/** Converts the row of an account. */
export function toAccount(row: Row<Account>): Account {
  const { id, email, name, isAdmin, createdAt, plan } = row;
  return { id, email, name, isAdmin, createdAt, plan, disabledAt: row.disabledAt ?? undefined };
}

/** Converts the row of an API key. */
export function toApiKey(row: Row<ApiKey>): ApiKey {
  const { id, accountId, name, scope, isReadOnly, createdAt } = row;
  return {
    id,
    accountId,
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
  };
}

/** Converts the row of a task. */
export function toTask(row: TaskRow): Task {
  const { id, order, failures, createdAt } = row;
  return {
    id,
    actor: {
      source: row.source ?? 'api-key',
      user: row.accountId,
      isAdmin: false,
      address: row.address ?? undefined,
      limits: { organizationId: row.organizationId ?? undefined, keyId: row.keyId ?? undefined },
    },
    order,
    failures,
    createdAt,
    finishedAt: row.finishedAt ?? undefined,
    results: row.results ?? undefined,
  };
}

/** Converts the row of an audit log entry. */
export function toAuditEntry(row: Row<StoredAuditEntry>): StoredAuditEntry {
  const { id, at, actor, source, action, subject } = row;
  return {
    id,
    at,
    accountId: row.accountId ?? undefined,
    actor,
    source,
    address: row.address ?? undefined,
    action,
    organizationId: row.organizationId ?? undefined,
    subject,
  };
}
