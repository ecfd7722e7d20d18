import { customType, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import type { TenantActor } from '../../model/actor.ts';
import type { ApiKeyId, Scope } from '../../model/apiKey.ts';
import { type AuditAction, type AuditId, type AuditSource, SOURCE_NAMES } from '../../model/audit.ts';
import type { Email } from '../../model/email.ts';
import type { InvitationId } from '../../model/invitation.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertyId, Sitekey } from '../../model/property.ts';
import type { Challenge, Growth } from '../../model/propertyFields.ts';
import type { RuleId } from '../../model/rules/rule.ts';
import type { SessionId } from '../../model/session.ts';
import type { Day, Hour } from '../../model/statistics.ts';
import type { TaskId, TaskOrder, TaskResult } from '../../model/task.ts';
import { TASK_SOURCE_NAMES } from '../entities.ts';

/**
 * The tables of the main database. The SQL in `migrations/` creates them; test/storage/schema.test.ts compares both. Columns have
 * the types of the model, because only parsed values are written.
 */

const instant = (name: string) => integer(name).$type<Instant>();
const flag = (name: string) => integer(name, { mode: 'boolean' });
const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'blob' });

const source = customType<{ data: AuditSource; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => SOURCE_NAMES[value],
  fromDriver(name) {
    if (name === SOURCE_NAMES.portal) return 'portal';
    return name === SOURCE_NAMES['api-key'] ? 'api-key' : 'command-line';
  },
});

const taskSource = customType<{ data: TenantActor['source']; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => TASK_SOURCE_NAMES[value],
  fromDriver(name) {
    if (name === TASK_SOURCE_NAMES['organization-key']) return 'organization-key';
    return name === TASK_SOURCE_NAMES.portal ? 'portal' : 'api-key';
  },
});

export const accounts = sqliteTable('accounts', {
  id: integer().$type<AccountId>().primaryKey({ autoIncrement: true }),
  email: text().$type<Email>().notNull().unique(),
  name: text().notNull(),
  passwordHash: text('password_hash'),
  isAdmin: flag('is_admin').notNull(),
  createdAt: instant('created_at').notNull(),
  plan: text().notNull().default('default'),
  disabledAt: instant('disabled_at'),
});

export const plans = sqliteTable('plans', {
  name: text().primaryKey(),
  organizations: integer().notNull(),
  properties: integer().notNull(),
});

export const organizations = sqliteTable('organizations', {
  id: integer().$type<OrganizationId>().primaryKey({ autoIncrement: true }),
  ownerId: integer('owner_id').$type<AccountId>().notNull(),
  name: text().notNull(),
  nameFolded: text('name_folded').notNull(),
  createdAt: instant('created_at').notNull(),
  deletedAt: instant('deleted_at'),
});

export const members = sqliteTable(
  'members',
  {
    organizationId: integer('organization_id').$type<OrganizationId>().notNull(),
    accountId: integer('account_id').$type<AccountId>().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId] })],
);

export const properties = sqliteTable('properties', {
  id: integer().$type<PropertyId>().primaryKey({ autoIncrement: true }),
  organizationId: integer('organization_id').$type<OrganizationId>().notNull(),
  name: text().notNull(),
  nameFolded: text('name_folded').notNull(),
  domain: text().notNull(),
  sitekey: text().$type<Sitekey>().notNull().unique(),
  level: integer().notNull(),
  growth: text().$type<Growth>().notNull(),
  validitySeconds: integer('validity_seconds').notNull(),
  allowsSubdomains: flag('allows_subdomains').notNull(),
  allowsLocalhost: flag('allows_localhost').notNull(),
  allowance: integer().notNull(),
  isEnabled: flag('is_enabled').notNull(),
  createdAt: instant('created_at').notNull(),
  deletedAt: instant('deleted_at'),
  challenge: text().$type<Challenge>().notNull(),
});

/** Triggers create and delete the rows with their properties. */
export const propertyActivity = sqliteTable('property_activity', {
  propertyId: integer('property_id').$type<PropertyId>().primaryKey(),
  organizationId: integer('organization_id').$type<OrganizationId>().notNull(),
  hour: integer().$type<Hour>().notNull(),
  issued: integer().notNull(),
  recent: integer().notNull(),
  isSpike: flag('is_spike').notNull(),
  verifiedHour: integer('verified_hour').$type<Hour>(),
});

/** Property 0 is the installation. A trigger deletes the rows with their properties, as in `ruleHits`. */
export const ruleLists = sqliteTable('rule_lists', {
  propertyId: integer('property_id').primaryKey(),
  revision: integer().notNull(),
  changedAt: instant('changed_at').notNull(),
  rules: text().notNull(),
});

export const ruleHits = sqliteTable('rule_hits', {
  ruleId: text('rule_id').$type<RuleId>().primaryKey(),
  propertyId: integer('property_id').notNull(),
  hits: integer().notNull(),
  lastHitAt: instant('last_hit_at'),
});

export const apiKeys = sqliteTable('api_keys', {
  id: integer().$type<ApiKeyId>().primaryKey({ autoIncrement: true }),
  accountId: integer('account_id').$type<AccountId>().notNull(),
  name: text().notNull(),
  keyHash: text('key_hash').notNull().unique(),
  scope: text().$type<Scope>().notNull(),
  organizationId: integer('organization_id').$type<OrganizationId>(),
  isReadOnly: flag('is_read_only').notNull(),
  expiresAt: instant('expires_at'),
  revokedAt: instant('revoked_at'),
  createdAt: instant('created_at').notNull(),
  rate: real(),
  burst: integer(),
  lastUsedAt: instant('last_used_at'),
  expiryWarnedDays: integer('expiry_warned_days'),
  previousHash: text('previous_hash'),
  previousUntil: instant('previous_until'),
  previousUsedAt: instant('previous_used_at'),
  previousPrefix: text('previous_prefix'),
  previousLastFour: text('previous_last_four'),
  rotatedAt: instant('rotated_at'),
  firstHash: text('first_hash'),
  prefix: text(),
  lastFour: text('last_four'),
  isOrganizationOwned: flag('is_organization_owned').notNull().default(false),
});

export const signingKeys = sqliteTable('signing_keys', {
  fingerprint: bytes().primaryKey(),
  secret: bytes().notNull(),
  createdAt: instant('created_at').notNull(),
});

/** The stored builds of the widget: see `WidgetBuildStore`. */
export const widgetBuilds = sqliteTable('widget_builds', {
  id: text().primaryKey(),
  contents: bytes().notNull(),
  currentAt: instant('current_at').notNull(),
});

export const installation = sqliteTable('installation', {
  name: text().primaryKey(),
  value: bytes().notNull(),
});

export const tasks = sqliteTable('tasks', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: text().$type<TaskId>().notNull().unique(),
  accountId: integer('account_id').$type<AccountId>().notNull(),
  keyId: integer('key_id').$type<ApiKeyId>(),
  organizationId: integer('organization_id').$type<OrganizationId>(),
  order: text('task_order', { mode: 'json' }).$type<TaskOrder>().notNull(),
  lease: text(),
  leasedUntil: instant('leased_until'),
  failures: integer().notNull().default(0),
  results: text({ mode: 'json' }).$type<readonly TaskResult[]>(),
  createdAt: instant('created_at').notNull(),
  finishedAt: instant('finished_at'),
  /** Null in tasks that an early version stored. */
  source: taskSource('door'),
  address: text(),
  /** @see Task */
  targetOrganizationId: integer('target_organization_id').$type<OrganizationId>(),
});

export const audit = sqliteTable('audit', {
  id: integer().$type<AuditId>().primaryKey({ autoIncrement: true }),
  at: integer().$type<Instant>().notNull(),
  accountId: integer('account_id').$type<AccountId>(),
  actor: text().notNull(),
  source: source('door').notNull(),
  address: text(),
  action: text().$type<AuditAction>().notNull(),
  organizationId: integer('organization_id').$type<OrganizationId>(),
  subject: text().notNull(),
  words: text().notNull(),
});

export const invitations = sqliteTable('invitations', {
  id: integer().$type<InvitationId>().primaryKey({ autoIncrement: true }),
  organizationId: integer('organization_id').$type<OrganizationId>().notNull(),
  email: text().$type<Email>().notNull(),
  tokenHash: text('token_hash').notNull().unique(),
  inviterId: integer('inviter_id').$type<AccountId>().notNull(),
  createdAt: instant('created_at').notNull(),
  expiresAt: instant('expires_at').notNull(),
});

export const statisticsHourly = sqliteTable(
  'statistics_hourly',
  {
    hour: integer().$type<Hour>().notNull(),
    /** 0 for the installation. */
    propertyId: integer('property_id').notNull(),
    /** Encoded as in counts.ts. */
    counts: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.propertyId] })],
);

export const statisticsDaily = sqliteTable(
  'statistics_daily',
  {
    day: integer().$type<Day>().notNull(),
    propertyId: integer('property_id').notNull(),
    counts: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.propertyId] })],
);

export const sessions = sqliteTable('sessions', {
  id: integer().$type<SessionId>().primaryKey({ autoIncrement: true }),
  secretHash: text('secret_hash').notNull().unique(),
  accountId: integer('account_id').$type<AccountId>().notNull(),
  awaitsCode: flag('awaits_code').notNull(),
  address: text().notNull(),
  browser: text().notNull(),
  createdAt: instant('created_at').notNull(),
  seenAt: instant('seen_at').notNull(),
  confirmedAt: instant('confirmed_at').notNull(),
});

export const twoFactorSecrets = sqliteTable('second_factors', {
  accountId: integer('account_id').$type<AccountId>().primaryKey(),
  sealed: bytes().notNull(),
  isConfirmed: flag('is_confirmed').notNull(),
  sessionId: integer('session_id').$type<SessionId>().notNull(),
  lastStep: integer('last_step').notNull(),
  createdAt: instant('created_at').notNull(),
});

export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    accountId: integer('account_id').$type<AccountId>().notNull(),
    codeHash: text('code_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.codeHash] })],
);
