import type { Instant } from '../../lib/time.ts';
import type { AuditEntry } from '../audit.ts';
import type {
  ExportDocument,
  ExportedProperty,
  ExportedUser,
  ImportResult,
  OrganizationHead,
} from '../exportDocument.ts';
import type { Plan } from '../plan.ts';
import type { RuleDraft } from '../rules/rule.ts';

/** Receives the objects of an export: the rules of the installation if there are any, all plans, all users, and then each organization before its properties. */
export type ExportVisitor = {
  readonly rules: (rules: readonly RuleDraft[]) => void;
  readonly plan: (plan: Plan) => void;
  readonly user: (user: ExportedUser) => void;
  readonly organization: (organization: OrganizationHead) => void;
  readonly property: (property: ExportedProperty) => void;
};

export type ImportOptions = {
  /** Whether missing users are created; otherwise, each missing user is an error. */
  readonly createsUsers: boolean;
  /** Checks everything and changes nothing. */
  readonly isDryRun: boolean;
  readonly now: Instant;
  /** The entry of the import. The entries of the created objects have the same actor. */
  readonly entry: AuditEntry | undefined;
};

export interface ExportStore {
  /**
   * Reads one snapshot without loading it at once. Includes the plans that were set, the organizations that are not deleted, their
   * properties, owners, and members. The order does not depend on the ids. The visitor must be synchronous.
   */
  read(visitor: ExportVisitor): Promise<void>;
  /**
   * Creates the objects of a document that do not exist, in one transaction, with their audit log entries. Checks names, sitekeys,
   * and quotas in the same step. Changes nothing if an object exists with other values.
   */
  import(document: ExportDocument, options: ImportOptions): Promise<ImportResult>;
}
