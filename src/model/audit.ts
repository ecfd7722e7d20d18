import type { Brand } from '../lib/outcome.ts';
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

/** Names of the sources in the column `door` of the database, in the column `source` of CSV exports, and in the field `source` of JSON documents. */
export const SOURCE_NAMES = {
  portal: 'portal',
  'api-key': 'api',
  'command-line': 'command',
} as const satisfies Record<AuditSource, string>;

/**
 * The recorded actions by group. The portal has a sentence for each action and a label for each group; docs/reference/audit-log.md lists
 * the objects of the actions.
 */
export const AUDIT_GROUPS = {
  'signing-in': [
    'session-started',
    'session-rejected',
    'session-ended',
    'sessions-ended',
    'password-rejected',
    'recovery-code-used',
  ],
  'account-security': [
    'password-changed',
    'password-link-created',
    'second-factor-enabled',
    'second-factor-disabled',
    'recovery-codes-renewed',
  ],
  organizations: [
    'organization-created',
    'organization-renamed',
    'organization-deleted',
    'organization-transferred',
    'organization-attack-started',
    'organization-attack-ended',
  ],
  members: [
    'member-added',
    'member-removed',
    'member-left',
    'invitation-created',
    'invitation-withdrawn',
    'invitation-accepted',
  ],
  properties: [
    'property-created',
    'property-updated',
    'property-enabled',
    'property-disabled',
    'property-deleted',
    'dns-check-skipped',
    'property-rules-changed',
    'property-attack-started',
    'property-attack-ended',
    'property-offline-secret-replaced',
    'share-link-created',
    'share-link-revoked',
  ],
  'api-keys': ['key-created', 'key-changed', 'key-rotated', 'key-old-secret-ended', 'key-revoked'],
  users: [
    'user-created',
    'user-not-created',
    'user-disabled',
    'user-enabled',
    'user-email-changed',
    'user-plan-set',
    'admin-added',
    'admin-removed',
  ],
  installation: [
    'setup-completed',
    'plan-set',
    'signing-key-rotated',
    'data-exported',
    'data-imported',
    'maintenance-switched',
    'backup-restored',
    'installation-rules-changed',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type AuditGroup = keyof typeof AUDIT_GROUPS;

export const AUDIT_ACTIONS = Object.values(AUDIT_GROUPS).flat();

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
  /** The object of the action: a name, an email address, or a sitekey, often followed by what changed. Empty if there is none. */
  readonly object: string;
};

/** Returns the name of an API key that belongs to an organization, as an actor. */
export function toKeyActorName(key: string, organization: string): string {
  return `API key ${key} of organization ${organization}`;
}

/**
 * Describes what changed, for an entry: `level 128 -> 144, name "Shop" -> "Store"`. The values have bounded lengths, and none is a secret.
 *
 * @param names of the members that can change
 * @returns an empty text if none of them changed
 */
export function describeChange<T extends object>(
  before: T,
  after: T,
  names: Readonly<Partial<Record<keyof T, string>>>,
): string {
  const changes = Object.entries<string | undefined>(names).flatMap(([key, name]) => {
    const [was, is] = [before[key as keyof T], after[key as keyof T]];
    return was === is ? [] : [`${name} ${valueText(was)} -> ${valueText(is)}`];
  });
  return changes.join(', ');
}

function valueText(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

export type StoredAuditEntry = AuditEntry & { readonly id: AuditId };

/** Conditions that entries must meet; undefined members are ignored. */
export type AuditFilter = {
  /** Only entries of this account and of the organizations that it can access now; undefined for all entries. */
  readonly reader?: AccountId | undefined;
  readonly organizationId?: OrganizationId | undefined;
  /** The actor's account. */
  readonly accountId?: AccountId | undefined;
  readonly actions?: readonly AuditAction[] | undefined;
  /** A part of the actor's email address, or a complete address in any spelling; case is ignored. */
  readonly actor?: string | undefined;
  /** A part of the object, or a complete address in any spelling; case is ignored. */
  readonly object?: string | undefined;
  /** Inclusive. */
  readonly from?: Instant | undefined;
  /** Exclusive. */
  readonly to?: Instant | undefined;
};

/** Appends an entry to the audit log. */
export type RecordAudit = (entry: Omit<AuditEntry, 'at'>) => Promise<void>;
