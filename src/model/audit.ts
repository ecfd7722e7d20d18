import type { Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { OrganizationId } from './organization.ts';

/** Through which door somebody acted. */
export type AuditDoor = 'portal' | 'api' | 'command';

/** One line of the audit log: who did what to what, from where. Never a secret, a password or a solution. */
export type AuditEntry = {
  readonly at: Instant;
  /** Undefined where nobody is known: a failed sign-in, a command. */
  readonly accountId: AccountId | undefined;
  /** How the log names who acted, also after the account is gone: an e-mail address, or `command line`. */
  readonly actor: string;
  readonly door: AuditDoor;
  /** The address that acted, as the server saw it; undefined for commands. */
  readonly address: string | undefined;
  /** Kebab-case, noun first: `session-started`, `property-created`. */
  readonly action: string;
  /** Whose members may read this entry; undefined for what concerns the account or the installation alone. */
  readonly organizationId: OrganizationId | undefined;
  /** What was acted upon, in words: a name, an e-mail address, a sitekey. Empty where there is nothing to name. */
  readonly subject: string;
};

/** Where acts are noted down. */
export type RecordAudit = (entry: Omit<AuditEntry, 'at'>) => Promise<void>;
