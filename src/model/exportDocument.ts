import type { Email } from './email.ts';
import type { Plan } from './plan.ts';
import type { Problem } from './problems.ts';
import type { Sitekey } from './property.ts';
import type { PropertySettings } from './propertyFields.ts';
import type { RuleDraft } from './rules/rule.ts';

/** The document that moves organizations between installations; `docs/reference/export.schema.json` is its JSON Schema. */

/** The member `format` of every export document. */
export const EXPORT_FORMAT = 'postern-export';

/**
 * The version of the format. It increases with each change that older versions of Postern cannot read. Version 2 added the member
 * `challenge` of properties, and the members `rules`.
 */
export const EXPORT_VERSION = 2;

/** The versions that an import accepts. */
export const IMPORT_VERSIONS: readonly unknown[] = [1, EXPORT_VERSION];

/** Maximum size of a document in bytes, about 1,000,000 properties. */
export const EXPORT_MAX_BYTES = 256 * 1024 ** 2;

export type ExportedUser = {
  readonly email: Email;
  readonly name: string;
  /** The name of the user's plan. */
  readonly plan: string;
  readonly isDisabled: boolean;
};

export type ExportedProperty = PropertySettings & {
  readonly name: string;
  readonly domain: string;
  readonly sitekey: Sitekey;
  /** In the order of evaluation, without ids; absent if there are none. */
  readonly rules?: readonly RuleDraft[];
};

/** An organization without its properties. */
export type OrganizationHead = {
  readonly name: string;
  /** Email address of the owner. */
  readonly owner: Email;
  /** Email addresses of the members, without the owner. */
  readonly members: readonly Email[];
};

export type ExportedOrganization = OrganizationHead & {
  /** Can be iterated only once, and only after the properties of all previous organizations. */
  readonly properties: Iterable<ExportedProperty>;
};

/** The content of a valid document. Every owner and member is one of the users. */
export type ExportDocument = {
  /** The rules of the installation, without ids; empty if there are none. */
  readonly rules: readonly RuleDraft[];
  readonly plans: readonly Plan[];
  readonly users: readonly ExportedUser[];
  readonly organizations: readonly ExportedOrganization[];
};

/** The kinds of objects in a document. */
export const EXPORTED_KINDS = ['plans', 'users', 'organizations', 'members', 'properties'] as const;

export type ExportedKind = (typeof EXPORTED_KINDS)[number];

/** Numbers of objects in a document. */
export type ExportCounts = Readonly<Record<ExportedKind, number>>;

/** Numbers of objects that an import created, and of those that existed already. */
export type ImportCounts = Readonly<
  Record<ExportedKind, { readonly created: number; readonly unchanged: number }>
>;

/** Problems that only an import can have. */
export const IMPORT_PROBLEMS = {
  'document-too-large':
    'The document is larger than 256 MiB, or has more than 25000000 commas, colons, brackets, and braces.',
  'document-too-deep': 'Arrays and objects are nested too deeply for an export document.',
  'document-malformed': 'The document is not valid JSON in UTF-8.',
  'format-unknown': 'This is not an export document of Postern: format must be "postern-export".',
  'version-unknown':
    'This version of Postern can read only versions 1 and 2 of the format; use a newer version of Postern.',
  'member-missing': 'A member is missing.',
  'member-not-accepted': 'The document has a member that is not part of the format.',
  'not-an-object': 'The value must be an object.',
  'not-an-array': 'The value must be an array.',
  'not-a-string': 'The value must be a string.',
  'quota-malformed': 'A quota must be a whole number from 0 to 1000000000.',
  'disabled-malformed': 'disabled must be true or false.',
  repeated: 'The document contains this value more than once.',
  'user-unlisted': 'The list of users in the document does not include this user.',
  'user-missing': 'This user does not exist; create the user first, or use --create-users.',
  'plan-differs': 'A plan with this name exists, but has other quotas.',
  'sitekey-reserved': 'This sitekey is reserved for tests.',
  'sitekey-taken': 'A property of another organization has this sitekey.',
  'sitekey-deleted': 'A deleted property has this sitekey; it is removed 30 days after its deletion.',
  'rule-rejected': 'A rule has an error.',
  'rules-differ': 'The installation has other rules; remove them first.',
  'property-differs': 'A property with this sitekey exists, but has other values.',
} as const;

export type ImportProblem = Problem | keyof typeof IMPORT_PROBLEMS;

/** A reason why a document cannot be imported. */
export type ImportError = {
  /** Location in the document as a JSONPath (RFC 9535), such as `$.organizations[0].name`. */
  readonly path: string;
  readonly problem: ImportProblem;
  /** Added to the message of the problem, such as the location of the first of two equal values. */
  readonly detail?: string;
};

/** Maximum number of errors that an import lists. */
export const IMPORT_MAX_ERRORS = 1000;

export type ImportErrors = {
  /** The first errors, at most IMPORT_MAX_ERRORS. */
  readonly errors: readonly ImportError[];
  /** The number of all errors. */
  readonly total: number;
};

/** Collects errors up to a limit. */
export type ErrorList = ReturnType<typeof createErrorList>;

/** @see ErrorList */
export function createErrorList() {
  const errors: ImportError[] = [];
  let total = 0;
  return {
    add(path: string, problem: ImportProblem, detail?: string): void {
      total++;
      if (errors.length === IMPORT_MAX_ERRORS) return;
      errors.push({ path, problem, ...(detail === undefined ? {} : { detail }) });
    },
    all: (): ImportErrors => ({ errors, total }),
  };
}

/** The result of an import: nothing was changed if there are errors. */
export type ImportResult =
  | { readonly ok: true; readonly value: ImportCounts }
  | ({ readonly ok: false } & ImportErrors);
