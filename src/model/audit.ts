import type { Brand } from '../lib/brand.ts';
import type { Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { Actor } from './actor.ts';
import type { OrganizationId } from './organization.ts';

/** The sources that the audit log records; actions of the installation itself are not recorded. */
export type AuditSource = Exclude<Actor['source'], 'installation' | 'organization-key'>;

/** Returns the source that the audit log records for an actor; undefined for the installation itself. */
export function toAuditSource({ source }: Actor): AuditSource | undefined {
  if (source === 'installation') return undefined;
  return source === 'organization-key' ? 'api-key' : source;
}

/** Names of the sources in the column `door` of the database and of CSV exports, and in the field `door` of JSON documents. */
export const SOURCE_NAMES = {
  portal: 'portal',
  'api-key': 'api',
  'command-line': 'command',
} as const satisfies Record<AuditSource, string>;

/** The recorded actions. The portal has a label for each of them; docs/reference/audit-log.md lists their subjects. */
export const AUDIT_ACTIONS = [
  'set-up-completed',
  'session-started',
  'session-refused',
  'session-ended',
  'sessions-ended',
  'password-refused',
  'password-changed',
  'second-factor-enabled',
  'second-factor-disabled',
  'recovery-code-used',
  'recovery-codes-renewed',
  'organization-created',
  'organization-renamed',
  'organization-deleted',
  'organization-transferred',
  'property-created',
  'property-updated',
  'property-enabled',
  'property-disabled',
  'property-deleted',
  'dns-check-skipped',
  'member-added',
  'member-removed',
  'member-left',
  'invitation-created',
  'invitation-withdrawn',
  'invitation-accepted',
  'key-created',
  'key-changed',
  'key-rotated',
  'key-old-secret-ended',
  'key-revoked',
  'user-created',
  'user-not-created',
  'user-disabled',
  'user-enabled',
  'user-plan-set',
  'admin-added',
  'admin-removed',
  'password-link-created',
  'plan-set',
  'signing-key-rotated',
  'data-exported',
  'data-imported',
  'maintenance-switched',
  'backup-restored',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Increases in the order in which entries are written. */
export type AuditId = Brand<number, 'AuditId'>;

/** An entry of the audit log. It never contains a secret, a password, or a solution. */
export type AuditEntry = {
  readonly at: Instant;
  /** The actor's account; undefined for commands, for failed sign-ins, and for API keys of organizations. */
  readonly accountId: AccountId | undefined;
  /** The actor's email address, which remains after the account is deleted; `command line`; or the name of an organization's API key. */
  readonly actor: string;
  readonly source: AuditSource;
  /** The client address as the server sees it; undefined for commands. */
  readonly address: string | undefined;
  readonly action: AuditAction;
  /** The organization whose members can read the entry; undefined if it concerns only the account or the installation. */
  readonly organizationId: OrganizationId | undefined;
  /** The object of the action: a name, an email address, or a sitekey. Empty if there is none. */
  readonly subject: string;
};

/** Returns the name of an API key that belongs to an organization, as an actor. */
export function toKeyActorName(key: string, organization: string): string {
  return `API key ${key} of organization ${organization}`;
}

export type StoredAuditEntry = AuditEntry & { readonly id: AuditId };

/** Conditions that entries must meet; undefined members are ignored. */
export type AuditFilter = {
  /** Only entries of this account and of the organizations that it can access now; undefined for all entries. */
  readonly reader?: AccountId | undefined;
  readonly organizationId?: OrganizationId | undefined;
  /** The actor's account. */
  readonly accountId?: AccountId | undefined;
  readonly action?: AuditAction | undefined;
  /** A part of the actor or of the subject; case is ignored. */
  readonly text?: string | undefined;
  /** Inclusive. */
  readonly from?: Instant | undefined;
  /** Exclusive. */
  readonly to?: Instant | undefined;
};

/** Appends an entry to the audit log. */
export type RecordAudit = (entry: Omit<AuditEntry, 'at'>) => Promise<void>;
