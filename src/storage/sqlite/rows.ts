import type { InferSelectModel } from 'drizzle-orm';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId } from '../../model/account.ts';
import { type ApiKey, type ApiKeyId, KEY_RATE_MIN, type Scope } from '../../model/apiKey.ts';
import type { AuditAction, AuditId, AuditSource, KeptAuditEntry } from '../../model/audit.ts';
import type { Invitation, InvitationId } from '../../model/invitation.ts';
import type { Organization, OrganizationId } from '../../model/organization.ts';
import type { Property, PropertyId, Sitekey } from '../../model/property.ts';
import type { Growth } from '../../model/propertyFields.ts';
import type { Session, SessionId } from '../../model/session.ts';
import type { Task, TaskId, TaskOrder, TaskResult } from '../../model/task.ts';
import type {
  accounts,
  apiKeys,
  audit,
  invitations,
  organizations,
  properties,
  sessions,
  tasks,
} from './schema.ts';

/** Rows into nouns. The casts are earned: only parsed values are ever written. */

export function accountOf(row: InferSelectModel<typeof accounts>): Account {
  return {
    id: row.id as AccountId,
    email: row.email,
    name: row.name,
    isAdmin: row.isAdmin,
    createdAt: row.createdAt as Instant,
    plan: row.plan,
    disabledAt: (row.disabledAt ?? undefined) as Instant | undefined,
  };
}

export function organizationOf(row: InferSelectModel<typeof organizations>): Organization {
  return {
    id: row.id as OrganizationId,
    name: row.name,
    ownerId: row.ownerId as AccountId,
    createdAt: row.createdAt as Instant,
  };
}

export function propertyOf(row: InferSelectModel<typeof properties>): Property {
  return {
    id: row.id as PropertyId,
    organizationId: row.organizationId as OrganizationId,
    name: row.name,
    domain: row.domain,
    sitekey: row.sitekey as Sitekey,
    level: row.level,
    growth: row.growth as Growth,
    validitySeconds: row.validitySeconds,
    allowsSubdomains: row.allowsSubdomains,
    allowsLocalhost: row.allowsLocalhost,
    allowance: row.allowance,
    isEnabled: row.isEnabled,
    createdAt: row.createdAt as Instant,
  };
}

export function apiKeyOf(row: InferSelectModel<typeof apiKeys>): ApiKey {
  return {
    id: row.id as ApiKeyId,
    accountId: row.accountId as AccountId,
    name: row.name,
    scope: row.scope as Scope,
    organizationId: (row.organizationId ?? undefined) as OrganizationId | undefined,
    isReadOnly: row.isReadOnly,
    expiresAt: (row.expiresAt ?? undefined) as Instant | undefined,
    revokedAt: (row.revokedAt ?? undefined) as Instant | undefined,
    createdAt: row.createdAt as Instant,
    // There may be rows from before there was a least rate.
    rate: row.rate === null ? undefined : Math.max(row.rate, KEY_RATE_MIN),
    burst: row.burst ?? undefined,
    lastUsedAt: (row.lastUsedAt ?? undefined) as Instant | undefined,
  };
}

export function taskOf(row: InferSelectModel<typeof tasks>): Task {
  return {
    id: row.id as TaskId,
    actor: {
      // Tasks that an old version stored have no door.
      source: row.door === DOORS.portal ? 'portal' : 'api-key',
      user: row.accountId as AccountId,
      isAdmin: false,
      address: row.address ?? undefined,
      limits: {
        organizationId: (row.organizationId ?? undefined) as OrganizationId | undefined,
        keyId: (row.keyId ?? undefined) as ApiKeyId | undefined,
      },
    },
    order: JSON.parse(row.order) as TaskOrder,
    failures: row.failures,
    createdAt: row.createdAt as Instant,
    finishedAt: (row.finishedAt ?? undefined) as Instant | undefined,
    results: row.results === null ? undefined : (JSON.parse(row.results) as readonly TaskResult[]),
  };
}

/** How the column `door` of tasks and audit log entries names the source of an action. */
export const DOORS = { portal: 'portal', 'api-key': 'api', 'command-line': 'command' } as const;

function sourceOf(door: string): AuditSource {
  if (door === DOORS.portal) return 'portal';
  return door === DOORS['api-key'] ? 'api-key' : 'command-line';
}

export function auditEntryOf(row: InferSelectModel<typeof audit>): KeptAuditEntry {
  return {
    id: row.id as AuditId,
    at: row.at as Instant,
    accountId: (row.accountId ?? undefined) as AccountId | undefined,
    actor: row.actor,
    source: sourceOf(row.door),
    address: row.address ?? undefined,
    action: row.action as AuditAction,
    organizationId: (row.organizationId ?? undefined) as OrganizationId | undefined,
    subject: row.subject,
  };
}

export function invitationOf(row: InferSelectModel<typeof invitations>): Invitation {
  return {
    id: row.id as InvitationId,
    organizationId: row.organizationId as OrganizationId,
    email: row.email,
    inviterId: row.inviterId as AccountId,
    createdAt: row.createdAt as Instant,
    expiresAt: row.expiresAt as Instant,
  };
}

export function sessionOf(row: InferSelectModel<typeof sessions>): Session {
  return {
    id: row.id as SessionId,
    accountId: row.accountId as AccountId,
    awaitsCode: row.awaitsCode,
    createdAt: row.createdAt as Instant,
    seenAt: row.seenAt as Instant,
    confirmedAt: row.confirmedAt as Instant,
    address: row.address,
    browser: row.browser,
  };
}
