import type { Brand } from '../lib/brand.ts';
import type { Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { Actor } from './actor.ts';
import type { OrganizationId } from './organization.ts';

/** The sources that the audit log knows: what the installation itself does is not recorded. */
export type AuditSource = Exclude<Actor['source'], 'installation'>;

/** Everything that is noted down, noun first. The portal has a sentence for each, docs/reference/audit-log.md its subject. */
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
  'maintenance-switched',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** In the order in which they were written. */
export type AuditId = Brand<number, 'AuditId'>;

/** One line of the audit log: who did what to what, from where. Never a secret, a password or a solution. */
export type AuditEntry = {
  readonly at: Instant;
  /** Undefined where nobody is known: a failed sign-in, a command. */
  readonly accountId: AccountId | undefined;
  /** How the log names who acted, also after the account is gone: an e-mail address, or `command line`. */
  readonly actor: string;
  readonly source: AuditSource;
  /** The address that acted, as the server saw it; undefined for commands. */
  readonly address: string | undefined;
  readonly action: AuditAction;
  /** Whose members may read this entry; undefined for what concerns the account or the installation alone. */
  readonly organizationId: OrganizationId | undefined;
  /** What was acted upon, in words: a name, an e-mail address, a sitekey. Empty where there is nothing to name. */
  readonly subject: string;
};

/** An entry as it is kept. */
export type StoredAuditEntry = AuditEntry & { readonly id: AuditId };

/** Which entries are wanted; what is undefined does not matter. */
export type AuditFilter = {
  /** Those of organizations that this account owns or shares now, and its own; undefined for all. */
  readonly reader?: AccountId | undefined;
  readonly organizationId?: OrganizationId | undefined;
  /** Who acted. */
  readonly accountId?: AccountId | undefined;
  readonly action?: AuditAction | undefined;
  /** A part of the actor's name or of the subject, in capitals or not. */
  readonly text?: string | undefined;
  /** The first moment that counts. */
  readonly from?: Instant | undefined;
  /** The first moment that counts no more. */
  readonly to?: Instant | undefined;
};

/** Where acts are noted down. */
export type RecordAudit = (entry: Omit<AuditEntry, 'at'>) => Promise<void>;
