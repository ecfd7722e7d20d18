import { getTableColumns, type InferSelectModel } from 'drizzle-orm';
import type { Account } from '../../model/account.ts';
import { type ApiKey, KEY_RATE_MIN } from '../../model/apiKey.ts';
import type { StoredAuditEntry } from '../../model/audit.ts';
import type { Task } from '../../model/task.ts';
import {
  type accounts,
  type apiKeys,
  type audit,
  invitations,
  organizations,
  properties,
  sessions,
  type tasks,
} from './schema.ts';

/** The columns of entities that need no conversion. For the other entities, functions replace null with undefined. */

const { nameFolded: _name, deletedAt: _deleted, ...ofOrganization } = getTableColumns(organizations);
export const organizationColumns = ofOrganization;

const { nameFolded: _folded, deletedAt: _at, ...ofProperty } = getTableColumns(properties);
export const propertyColumns = ofProperty;

const { tokenHash: _token, ...ofInvitation } = getTableColumns(invitations);
export const invitationColumns = ofInvitation;

const { secretHash: _secret, ...ofSession } = getTableColumns(sessions);
export const sessionColumns = ofSession;

export function toAccount(row: InferSelectModel<typeof accounts>): Account {
  const { id, email, name, isAdmin, createdAt, plan } = row;
  return { id, email, name, isAdmin, createdAt, plan, disabledAt: row.disabledAt ?? undefined };
}

export function toApiKey(row: InferSelectModel<typeof apiKeys>): ApiKey {
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

export function toTask(row: InferSelectModel<typeof tasks>): Task {
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

export function toAuditEntry(row: InferSelectModel<typeof audit>): StoredAuditEntry {
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
