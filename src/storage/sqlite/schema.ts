import { blob, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The main database as drizzle sees it. `migrations/` makes it; test/storage/schema.test.ts compares the two. */

export const accounts = sqliteTable('accounts', {
  id: integer().primaryKey({ autoIncrement: true }),
  email: text().notNull().unique(),
  name: text().notNull(),
  passwordHash: text('password_hash'),
  isAdmin: integer('is_admin', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
  plan: text().notNull().default('default'),
  disabledAt: integer('disabled_at'),
});

export const plans = sqliteTable('plans', {
  name: text().primaryKey(),
  organizations: integer().notNull(),
  properties: integer().notNull(),
});

export const organizations = sqliteTable('organizations', {
  id: integer().primaryKey({ autoIncrement: true }),
  ownerId: integer('owner_id').notNull(),
  name: text().notNull(),
  nameFolded: text('name_folded').notNull(),
  createdAt: integer('created_at').notNull(),
  deletedAt: integer('deleted_at'),
});

export const members = sqliteTable(
  'members',
  {
    organizationId: integer('organization_id').notNull(),
    accountId: integer('account_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId] })],
);

export const properties = sqliteTable('properties', {
  id: integer().primaryKey({ autoIncrement: true }),
  organizationId: integer('organization_id').notNull(),
  name: text().notNull(),
  nameFolded: text('name_folded').notNull(),
  domain: text().notNull(),
  sitekey: text().notNull().unique(),
  level: integer().notNull(),
  growth: text().notNull(),
  validitySeconds: integer('validity_seconds').notNull(),
  allowsSubdomains: integer('allows_subdomains', { mode: 'boolean' }).notNull(),
  allowsLocalhost: integer('allows_localhost', { mode: 'boolean' }).notNull(),
  allowance: integer().notNull(),
  isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
  deletedAt: integer('deleted_at'),
});

export const apiKeys = sqliteTable('api_keys', {
  id: integer().primaryKey({ autoIncrement: true }),
  accountId: integer('account_id').notNull(),
  name: text().notNull(),
  keyHash: text('key_hash').notNull().unique(),
  scope: text().notNull(),
  organizationId: integer('organization_id'),
  isReadOnly: integer('is_read_only', { mode: 'boolean' }).notNull(),
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
  createdAt: integer('created_at').notNull(),
  rate: real(),
  burst: integer(),
  lastUsedAt: integer('last_used_at'),
  expiryWarnedDays: integer('expiry_warned_days'),
});

export const signingKeys = sqliteTable('signing_keys', {
  fingerprint: blob({ mode: 'buffer' }).primaryKey(),
  secret: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

export const installation = sqliteTable('installation', {
  name: text().primaryKey(),
  value: blob({ mode: 'buffer' }).notNull(),
});

export const tasks = sqliteTable('tasks', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull().unique(),
  accountId: integer('account_id').notNull(),
  keyId: integer('key_id'),
  organizationId: integer('organization_id'),
  /** JSON: a TaskOrder. */
  order: text('task_order').notNull(),
  lease: text(),
  leasedUntil: integer('leased_until'),
  failures: integer().notNull().default(0),
  /** JSON: an array of TaskResult. */
  results: text(),
  createdAt: integer('created_at').notNull(),
  finishedAt: integer('finished_at'),
  door: text(),
  address: text(),
});

export const audit = sqliteTable('audit', {
  id: integer().primaryKey({ autoIncrement: true }),
  at: integer().notNull(),
  accountId: integer('account_id'),
  actor: text().notNull(),
  door: text().notNull(),
  address: text(),
  action: text().notNull(),
  organizationId: integer('organization_id'),
  subject: text().notNull(),
  words: text().notNull(),
});

export const invitations = sqliteTable('invitations', {
  id: integer().primaryKey({ autoIncrement: true }),
  organizationId: integer('organization_id').notNull(),
  email: text().notNull(),
  tokenHash: text('token_hash').notNull().unique(),
  inviterId: integer('inviter_id').notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

export const statisticsHourly = sqliteTable(
  'statistics_hourly',
  {
    hour: integer().notNull(),
    /** 0 for the installation. */
    propertyId: integer('property_id').notNull(),
    /** See counts.ts. */
    counts: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.propertyId] })],
);

export const statisticsDaily = sqliteTable(
  'statistics_daily',
  {
    day: integer().notNull(),
    propertyId: integer('property_id').notNull(),
    counts: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.propertyId] })],
);

export const sessions = sqliteTable('sessions', {
  id: integer().primaryKey({ autoIncrement: true }),
  secretHash: text('secret_hash').notNull().unique(),
  accountId: integer('account_id').notNull(),
  awaitsCode: integer('awaits_code', { mode: 'boolean' }).notNull(),
  address: text().notNull(),
  browser: text().notNull(),
  createdAt: integer('created_at').notNull(),
  seenAt: integer('seen_at').notNull(),
  confirmedAt: integer('confirmed_at').notNull(),
});

export const secondFactors = sqliteTable('second_factors', {
  accountId: integer('account_id').primaryKey(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  isConfirmed: integer('is_confirmed', { mode: 'boolean' }).notNull(),
  sessionId: integer('session_id').notNull(),
  lastStep: integer('last_step').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    accountId: integer('account_id').notNull(),
    codeHash: text('code_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.codeHash] })],
);
