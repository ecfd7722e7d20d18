import { bigint, customType, doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Instant } from '../lib/time.ts';
import type { AccountId } from '../model/account.ts';
import type { TenantActor } from '../model/actor.ts';
import type { ApiKeyId, Scope } from '../model/apiKey.ts';
import { type AuditAction, type AuditId, type AuditSource, SOURCE_NAMES } from '../model/audit.ts';
import type { Email } from '../model/email.ts';
import type { InvitationId, OrganizationId } from '../model/organization.ts';
import type { PropertyId, Sitekey } from '../model/property.ts';
import type { Challenge, Growth } from '../model/propertyFields.ts';
import type { RuleId } from '../model/rules/rule.ts';
import type { SessionId } from '../model/session.ts';
import type { ShareLinkId } from '../model/shareLink.ts';
import type { Day, Hour } from '../model/statistics.ts';
import type { TaskId, TaskOrder, TaskResult } from '../model/task.ts';

/**
 * The tables that drizzle uses, in both engines. The SQL in `migrations/` creates them; test/storage/schema.test.ts compares both.
 * Columns have the types of the model, because only parsed values are written.
 */

const long = (name: string) => bigint(name, { mode: 'number' });
const instant = (name: string) => long(name).$type<Instant>();
const NEVER = 0 as Instant;

/** SQLite stores truth values as numbers. */
const flag = customType<{ data: boolean; driverData: boolean | number }>({
  dataType: () => 'boolean',
  fromDriver: (value) => value === true || value === 1,
});
const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** JSON as text: the type `json` of PostgreSQL rejects some strings that JSON allows. */
const json = <Value>(name: string) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (text) => JSON.parse(text),
  })(name);

const source = customType<{ data: AuditSource; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => SOURCE_NAMES[value],
  fromDriver(name) {
    if (name === SOURCE_NAMES.portal) return 'portal';
    return name === SOURCE_NAMES['api-key'] ? 'api-key' : 'command-line';
  },
});

/** Names of the sources of tasks in the column `door`. */
const TASK_SOURCE_NAMES = {
  portal: SOURCE_NAMES.portal,
  'api-key': SOURCE_NAMES['api-key'],
  'organization-key': 'organization',
} as const satisfies Record<TenantActor['source'], string>;

const taskSource = customType<{ data: TenantActor['source']; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => TASK_SOURCE_NAMES[value],
  fromDriver(name) {
    if (name === TASK_SOURCE_NAMES['organization-key']) return 'organization-key';
    return name === TASK_SOURCE_NAMES.portal ? 'portal' : 'api-key';
  },
});

export const accounts = pgTable('accounts', {
  id: long('id').$type<AccountId>().primaryKey().generatedByDefaultAsIdentity(),
  email: text().$type<Email>().notNull().unique(),
  name: text().notNull(),
  passwordHash: text('password_hash'),
  isAdmin: flag('is_admin').notNull(),
  createdAt: instant('created_at').notNull(),
  plan: text().notNull().default('default'),
  disabledAt: instant('disabled_at'),
  checklistDismissedAt: instant('checklist_dismissed_at'),
});

export const plans = pgTable('plans', {
  name: text().primaryKey(),
  organizations: long('organizations').notNull(),
  properties: long('properties').notNull(),
});

export const organizations = pgTable('organizations', {
  id: long('id').$type<OrganizationId>().primaryKey().generatedByDefaultAsIdentity(),
  ownerId: long('owner_id').$type<AccountId>().notNull(),
  name: text().notNull(),
  nameFolded: text('name_folded').notNull(),
  createdAt: instant('created_at').notNull(),
  deletedAt: instant('deleted_at'),
  /** @see Attackable */
  attackUntil: instant('attack_until').notNull().default(NEVER),
});

export const members = pgTable(
  'members',
  {
    organizationId: long('organization_id').$type<OrganizationId>().notNull(),
    accountId: long('account_id').$type<AccountId>().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId] })],
);

export const properties = pgTable('properties', {
  id: long('id').$type<PropertyId>().primaryKey().generatedByDefaultAsIdentity(),
  organizationId: long('organization_id').$type<OrganizationId>().notNull(),
  name: text().notNull(),
  nameFolded: text('name_folded').notNull(),
  domain: text().notNull(),
  sitekey: text().$type<Sitekey>().notNull().unique(),
  level: integer().notNull(),
  growth: text().$type<Growth>().notNull(),
  validitySeconds: integer('validity_seconds').notNull(),
  allowsSubdomains: flag('allows_subdomains').notNull(),
  allowsLocalhost: flag('allows_localhost').notNull(),
  allowance: long('allowance').notNull(),
  isEnabled: flag('is_enabled').notNull(),
  createdAt: instant('created_at').notNull(),
  deletedAt: instant('deleted_at'),
  challenge: text().$type<Challenge>().notNull(),
  /** Of the property itself: see `propertyColumns`. */
  attackUntil: instant('attack_until').notNull().default(NEVER),
  offlineRotations: integer('offline_rotations').notNull().default(0),
});

/** Triggers create and delete the rows with their properties. */
export const propertyActivity = pgTable('property_activity', {
  propertyId: long('property_id').$type<PropertyId>().primaryKey(),
  organizationId: long('organization_id').$type<OrganizationId>().notNull(),
  hour: long('hour').$type<Hour>().notNull(),
  issued: long('issued').notNull(),
  recent: long('recent').notNull(),
  isSpike: flag('is_spike').notNull(),
  verifiedHour: long('verified_hour').$type<Hour>(),
});

/** Property 0 is the installation. A trigger deletes the rows with their properties, as in `ruleHits`. */
export const ruleLists = pgTable('rule_lists', {
  propertyId: long('property_id').primaryKey(),
  revision: long('revision').notNull(),
  changedAt: instant('changed_at').notNull(),
  rules: text().notNull(),
});

export const ruleHits = pgTable('rule_hits', {
  ruleId: text('rule_id').$type<RuleId>().primaryKey(),
  propertyId: long('property_id').notNull(),
  hits: long('hits').notNull(),
  lastHitAt: instant('last_hit_at'),
});

export const apiKeys = pgTable('api_keys', {
  id: long('id').$type<ApiKeyId>().primaryKey().generatedByDefaultAsIdentity(),
  accountId: long('account_id').$type<AccountId>().notNull(),
  name: text().notNull(),
  keyHash: text('key_hash').notNull().unique(),
  scope: text().$type<Scope>().notNull(),
  organizationId: long('organization_id').$type<OrganizationId>(),
  isReadOnly: flag('is_read_only').notNull(),
  expiresAt: instant('expires_at'),
  revokedAt: instant('revoked_at'),
  createdAt: instant('created_at').notNull(),
  rate: doublePrecision(),
  burst: long('burst'),
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

export const signingKeys = pgTable('signing_keys', {
  fingerprint: bytes().primaryKey(),
  secret: bytes().notNull(),
  createdAt: instant('created_at').notNull(),
});

/** The stored builds of the widget: see `WidgetBuildStore`. */
export const widgetBuilds = pgTable('widget_builds', {
  id: text().primaryKey(),
  contents: bytes().notNull(),
  currentAt: instant('current_at').notNull(),
});

export const installation = pgTable('installation', {
  name: text().primaryKey(),
  value: bytes().notNull(),
});

export const tasks = pgTable('tasks', {
  number: long('number').primaryKey().generatedByDefaultAsIdentity(),
  id: text().$type<TaskId>().notNull().unique(),
  accountId: long('account_id').$type<AccountId>().notNull(),
  keyId: long('key_id').$type<ApiKeyId>(),
  organizationId: long('organization_id').$type<OrganizationId>(),
  order: json<TaskOrder>('task_order').notNull(),
  lease: text(),
  leasedUntil: instant('leased_until'),
  failures: integer().notNull().default(0),
  results: json<readonly TaskResult[]>('results'),
  createdAt: instant('created_at').notNull(),
  finishedAt: instant('finished_at'),
  /** Null in tasks that were moved from SQLite and stored by an early version. */
  source: taskSource('door'),
  address: text(),
  /** @see Task */
  targetOrganizationId: long('target_organization_id').$type<OrganizationId>(),
});

export const audit = pgTable('audit', {
  id: long('id').$type<AuditId>().primaryKey().generatedByDefaultAsIdentity(),
  at: instant('at').notNull(),
  accountId: long('account_id').$type<AccountId>(),
  actor: text().notNull(),
  source: source('door').notNull(),
  address: text(),
  action: text().$type<AuditAction>().notNull(),
  organizationId: long('organization_id').$type<OrganizationId>(),
  object: text('subject').notNull(),
  words: text().notNull(),
});

export const invitations = pgTable('invitations', {
  id: long('id').$type<InvitationId>().primaryKey().generatedByDefaultAsIdentity(),
  organizationId: long('organization_id').$type<OrganizationId>().notNull(),
  email: text().$type<Email>().notNull(),
  tokenHash: text('token_hash').notNull().unique(),
  inviterId: long('inviter_id').$type<AccountId>().notNull(),
  createdAt: instant('created_at').notNull(),
  expiresAt: instant('expires_at').notNull(),
});

export const shareLinks = pgTable('share_links', {
  id: long('id').$type<ShareLinkId>().primaryKey().generatedByDefaultAsIdentity(),
  propertyId: long('property_id').$type<PropertyId>().notNull(),
  tokenHash: text('token_hash').notNull().unique(),
  lastFour: text('last_four').notNull(),
  creatorId: long('creator_id').$type<AccountId>().notNull(),
  createdAt: instant('created_at').notNull(),
  expiresAt: instant('expires_at'),
});

export const statisticsHourly = pgTable(
  'statistics_hourly',
  {
    hour: long('hour').$type<Hour>().notNull(),
    /** 0 for the installation. */
    propertyId: long('property_id').notNull(),
    /** Encoded as in statisticsRows.ts. */
    counts: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.propertyId] })],
);

export const statisticsDaily = pgTable(
  'statistics_daily',
  {
    day: long('day').$type<Day>().notNull(),
    propertyId: long('property_id').notNull(),
    counts: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.propertyId] })],
);

export const sessions = pgTable('sessions', {
  id: long('id').$type<SessionId>().primaryKey().generatedByDefaultAsIdentity(),
  secretHash: text('secret_hash').notNull().unique(),
  accountId: long('account_id').$type<AccountId>().notNull(),
  awaitsCode: flag('awaits_code').notNull(),
  address: text().notNull(),
  browser: text().notNull(),
  createdAt: instant('created_at').notNull(),
  seenAt: instant('seen_at').notNull(),
  confirmedAt: instant('confirmed_at').notNull(),
});

export const twoFactorSecrets = pgTable('second_factors', {
  accountId: long('account_id').$type<AccountId>().primaryKey(),
  sealed: bytes().notNull(),
  isConfirmed: flag('is_confirmed').notNull(),
  sessionId: long('session_id').$type<SessionId>().notNull(),
  lastStep: long('last_step').notNull(),
  createdAt: instant('created_at').notNull(),
});

export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    accountId: long('account_id').$type<AccountId>().notNull(),
    codeHash: text('code_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.codeHash] })],
);
