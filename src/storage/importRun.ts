import type { AuditEntry } from '../model/audit.ts';
import {
  createErrorList,
  type ErrorList,
  type ExportedKind,
  type ExportedProperty,
  type ImportCounts,
  type ImportResult,
} from '../model/exportDocument.ts';
import type { OrganizationId } from '../model/organization.ts';
import { describePlan, type Plan } from '../model/plan.ts';
import type { ImportOptions } from '../model/ports/installation.ts';
import { type Property, type Sitekey, toAuditedActions } from '../model/property.ts';
import { PROPERTY_FIELDS } from '../model/propertyFields.ts';
import type { RuleDraft, RuleScope } from '../model/rules/rule.ts';
import { haveSameRules, toNewRules, toWritten, type WrittenRules } from './ruleRows.ts';
import type { PropertyWriter } from './stores/propertyWriter.ts';

/** Thrown to roll back a transaction that must not change anything. */
class Rollback extends Error {
  override readonly name = 'Rollback';
  readonly result: ImportResult;

  constructor(result: ImportResult) {
    super('the import was rolled back');
    this.result = result;
  }
}

/** The errors, counts, and audit log entries of one import, within its transaction. */
export type ImportRun = {
  readonly errors: ErrorList;
  readonly count: (kind: ExportedKind, isCreated: boolean) => void;
  /** Adds rules that are stored later. */
  readonly addRules: (scope: RuleScope, rules: readonly RuleDraft[]) => void;
  /** @returns the rules that were added since the last call, with new ids */
  readonly takeRules: () => readonly WrittenRules[];
  /** Adds an audit log entry if the import has one. */
  readonly record: (audited: Pick<AuditEntry, 'action' | 'object'> & Partial<AuditEntry>) => void;
  /** @returns the entries that were recorded since the last call */
  readonly takeEntries: () => readonly AuditEntry[];
  /** The entries since the last call, followed by the entry of the import itself; empty if nothing was ever recorded. */
  readonly entries: () => readonly (AuditEntry | undefined)[];
  /** @returns the result @throws an error for `resultOfRollback` if the import must not change anything */
  readonly end: () => ImportResult;
};

/** @see ImportRun */
export function createImportRun({ entry, isDryRun }: ImportOptions): ImportRun {
  const errors = createErrorList();
  const counts = createCounts();
  let hasRecorded = false;
  let entries: AuditEntry[] = [];
  let added: WrittenRules[] = [];
  const takeEntries = () => {
    const taken = entries;
    entries = [];
    return taken;
  };
  return {
    errors,
    addRules: (scope, rules) => added.push({ scope, ...toWritten(toNewRules(rules)) }),
    takeRules() {
      const taken = added;
      added = [];
      return taken;
    },
    count: (kind, isCreated) => counts[kind][isCreated ? 'created' : 'unchanged']++,
    record(audited) {
      hasRecorded = true;
      if (entry !== undefined) entries.push({ ...entry, ...audited });
    },
    takeEntries,
    entries: () => (hasRecorded ? [...takeEntries(), entry] : []),
    end() {
      const found = errors.all();
      const result: ImportResult = found.total > 0 ? { ok: false, ...found } : { ok: true, value: counts };
      if (isDryRun || !result.ok) throw new Rollback(result);
      return result;
    },
  };
}

function createCounts(): { [Kind in keyof ImportCounts]: { created: number; unchanged: number } } {
  const none = () => ({ created: 0, unchanged: 0 });
  return { plans: none(), users: none(), organizations: none(), members: none(), properties: none() };
}

/** @returns the result of an import that was rolled back @throws the error itself if the import failed for another reason */
export function resultOfRollback(error: unknown): ImportResult {
  if (error instanceof Rollback) return error.result;
  throw error;
}

/** Compares a plan with the stored one. The caller inserts it if `stored` is undefined. */
export function checkPlan(run: ImportRun, plan: Plan, stored: Plan | undefined, path: string): void {
  if (stored === undefined) {
    run.record({ action: 'plan-set', object: describePlan(plan) });
  } else if (stored.organizations !== plan.organizations || stored.properties !== plan.properties) {
    const detail = `${stored.organizations} organizations, ${stored.properties} properties`;
    run.errors.add(`${path}.name`, 'plan-differs', detail);
  }
  run.count('plans', stored === undefined);
}

/** Adds the rules of the installation if it has none, and compares them otherwise. */
export function importRules(run: ImportRun, rules: readonly RuleDraft[], storedJson: string | null): void {
  if (rules.length === 0 || haveSameRules(rules, storedJson)) return;
  if (!haveSameRules([], storedJson)) run.errors.add('$.rules', 'rules-differ');
  else {
    run.addRules('installation', rules);
    run.record({ action: 'installation-rules-changed', object: `imported ${rules.length} rules` });
  }
}

/** Number of objects that one step of an import loads. */
const CHUNK_SIZE = 1000;

/** @returns the items in parts, each with the index of its first item */
export function* toChunks<Item>(
  items: Iterable<Item>,
): Generator<{ readonly first: number; readonly items: readonly Item[] }> {
  let first = 0;
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < CHUNK_SIZE) continue;
    yield { first, items: chunk };
    first += chunk.length;
    chunk = [];
  }
  if (chunk.length > 0) yield { first, items: chunk };
}

/** A property that exists, or a deleted property whose sitekey is still reserved. */
export type StoredProperty = Omit<ExportedProperty, 'sitekey' | 'rules'> & {
  readonly rulesJson: string | null;
  readonly organizationId: OrganizationId;
  /** Whether neither the property nor its organization is deleted. */
  readonly isLive: boolean;
};

/** Properties of one organization in a document. */
export type ImportedProperties = {
  readonly properties: readonly ExportedProperty[];
  /** The index of the first of them in the organization. */
  readonly first: number;
  /** Undefined if the organization cannot be created; then only the sitekeys are checked. */
  readonly organizationId: OrganizationId | undefined;
  /** Location of the organization in the document. */
  readonly path: string;
  /** Whether the quota of the owner is used up, so that no property is created. */
  readonly isFull: boolean;
};

/** Creates the properties that do not exist, and compares the others. @returns the new value of `isFull` */
export function importProperties(
  run: ImportRun,
  { properties, first, organizationId, path, ...rest }: ImportedProperties,
  find: (sitekey: Sitekey) => StoredProperty | undefined,
  writer: Pick<PropertyWriter, 'create'>,
): boolean {
  let { isFull } = rest;
  for (const [index, property] of properties.entries()) {
    const at = `${path}.properties[${first + index}]`;
    const stored = find(property.sitekey);
    if (stored !== undefined) {
      compare(run, property, stored, organizationId, at);
      continue;
    }
    if (organizationId === undefined || isFull) continue;
    const created = writer.create({ ...property, organizationId });
    if (created.ok) recordCreation(run, property, created.value);
    else if (created.problem === 'properties-limit') {
      isFull = true;
      run.errors.add(`${path}.properties`, created.problem);
    } else {
      run.errors.add(`${at}.name`, created.problem);
    }
  }
  return isFull;
}

function recordCreation(run: ImportRun, { rules }: ExportedProperty, created: Property): void {
  for (const audited of toAuditedActions(created, ['property-created'])) run.record(audited);
  if (rules !== undefined) run.addRules(created.id, rules);
  run.count('properties', true);
}

/** Counts a property that exists with the same values; otherwise adds an error. */
function compare(
  { errors, count }: ImportRun,
  property: ExportedProperty,
  { isLive, organizationId: storedIn, ...stored }: StoredProperty,
  organizationId: OrganizationId | undefined,
  path: string,
): void {
  if (!isLive) errors.add(`${path}.sitekey`, 'sitekey-deleted');
  else if (storedIn !== organizationId) errors.add(`${path}.sitekey`, 'sitekey-taken');
  else {
    const values: Readonly<Record<string, unknown>> = stored;
    const wanted: Readonly<Record<string, unknown>> = property;
    const fields = Object.entries(PROPERTY_FIELDS);
    const different: string[] = fields
      .filter(([key]) => values[key] !== wanted[key])
      .map(([, { name }]) => name);
    if (!haveSameRules(property.rules, stored.rulesJson)) different.push('rules');
    if (different.length === 0) count('properties', false);
    else errors.add(path, 'property-differs', different.join(', '));
  }
}
