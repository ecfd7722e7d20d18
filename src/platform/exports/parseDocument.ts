import { isObject } from '../../lib/json.ts';
import { quoted } from '../../lib/memberNames.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { parseEmail } from '../../model/email.ts';
import {
  createErrorList,
  type ErrorList,
  EXPORT_FORMAT,
  type ExportDocument,
  type ExportedOrganization,
  type ExportedProperty,
  IMPORT_VERSIONS,
  type ImportErrors,
} from '../../model/exportDocument.ts';
import { fromNamedValues, toNamedFields } from '../../model/field.ts';
import { foldName, parseName } from '../../model/name.ts';
import { parseOrganizationName } from '../../model/organization.ts';
import { PLAN_FIELDS, parsePlanName } from '../../model/plan.ts';
import { parseSitekey, type Sitekey, TEST_SITEKEY } from '../../model/property.ts';
import { PROPERTY_FIELDS, SETTING_FIELDS } from '../../model/propertyFields.ts';
import {
  createItems,
  DocumentTextError,
  type Items,
  type ReadDocument,
  readSkeleton,
  withoutItems,
} from './documentItems.ts';
import { parseItems, parseMembers, parseRuleList, stringWith } from './parseMembers.ts';
import { createRepeats } from './repeats.ts';

/** The document, or all errors that do not depend on the database. */
export type ParsedDocument =
  | { readonly ok: true; readonly value: OpenDocument }
  | ({ readonly ok: false } & ImportErrors);

/** A valid document, which is read again while the properties of its organizations are iterated, in the order of the document. */
export type OpenDocument = {
  readonly document: ExportDocument;
  /** Size in bytes. */
  readonly bytes: number;
  /** Stops reading. */
  readonly close: () => void;
};

/**
 * Parses an export document with the parsers of the Platform API. Reads the document twice: first everything but the properties,
 * then each property, of which only hashes stay in memory.
 */
export function parseDocument(read: ReadDocument): ParsedDocument {
  const errors = createErrorList();
  try {
    const { root, bytes } = readSkeleton(read);
    const checked = createItems(read);
    const content = parseContent(root, checked, errors);
    checked.close();
    const found = errors.all();
    if (content === undefined || found.total > 0) return { ok: false, ...found };
    const items = createItems(read);
    const document = { ...content, organizations: content.organizations.map((each) => toLazy(each, items)) };
    return done({ document, bytes, close: items.close });
  } catch (error) {
    if (!(error instanceof DocumentTextError)) throw error;
    const only = createErrorList();
    const detail = error.problem === 'document-malformed' ? error.message : undefined;
    only.add('$', error.problem, detail);
    return { ok: false, ...only.all() };
  }
}

/** An organization whose properties are still a list of the skeleton. */
type Checked = Omit<ExportedOrganization, 'properties'> & { readonly list: readonly unknown[] };

/** @param items are read while the properties are iterated */
function toLazy({ list, ...head }: Checked, items: Items): ExportedOrganization {
  return {
    ...head,
    properties: {
      *[Symbol.iterator]() {
        for (const item of items.of(list)) {
          const property = parseProperty(item, '$', createErrorList());
          if (property === undefined) throw new Error('the document changed while it was being read');
          yield property;
        }
      },
    },
  };
}

type Content = Omit<ExportDocument, 'organizations'> & { readonly organizations: readonly Checked[] };

function parseContent(root: unknown, items: Items, errors: ErrorList): Content | undefined {
  const { format, version } = isObject(root) ? root : {};
  if (format !== EXPORT_FORMAT) {
    errors.add('$.format', 'format-unknown');
    return undefined;
  }
  if (!IMPORT_VERSIONS.includes(version)) {
    errors.add('$.version', 'version-unknown');
    return undefined;
  }
  const any = { parse: (value: unknown) => done(value) };
  const none: { readonly parse: (value: unknown) => Outcome<unknown, never>; readonly default: unknown } = {
    ...any,
    default: [],
  };
  const lists = { format: any, version: any, rules: none, plans: any, users: any, organizations: any };
  const parsed = parseMembers(lists, root, '$', errors);
  if (parsed === undefined) return undefined;
  const rules = parseRuleList(parsed.rules, '$.rules', errors);
  const plans = parseItems(parsed.plans, '$.plans', errors, createParsePlan(errors));
  const seenUsers = createSeen(errors);
  const users = parseItems(parsed.users, '$.users', errors, createParseUser(errors, seenUsers));
  const parseOrganization = createParseOrganization(errors, seenUsers, items);
  const organizations = parseItems(parsed.organizations, '$.organizations', errors, parseOrganization);
  return { rules, plans, users, organizations };
}

/** Finds repeated values. */
type Seen = ReturnType<typeof createSeen>;

function createSeen(errors: ErrorList) {
  const paths = new Map<string, string>();
  return {
    /** Adds an error if the value occurred before. */
    add(value: string, path: string): void {
      const first = paths.get(value);
      if (first === undefined) paths.set(value, path);
      else errors.add(path, 'repeated', `first at ${first}`);
    },
    has: (value: string): boolean => paths.has(value),
  };
}

function createParsePlan(errors: ErrorList) {
  const { organizations, properties } = PLAN_FIELDS;
  const members = { name: { parse: stringWith(parsePlanName) }, organizations, properties };
  const seen = createSeen(errors);
  return (item: unknown, path: string) => {
    const plan = parseMembers(members, item, path, errors);
    if (plan !== undefined) seen.add(plan.name, `${path}.name`);
    return plan;
  };
}

function createParseUser(errors: ErrorList, seen: Seen) {
  const members = {
    email: { parse: stringWith(parseEmail) },
    name: { parse: stringWith((text) => parseName('account', text)) },
    plan: { parse: stringWith(parsePlanName) },
    disabled: {
      parse: (value: unknown): Outcome<boolean, 'disabled-malformed'> =>
        typeof value === 'boolean' ? done(value) : reject('disabled-malformed'),
    },
  };
  return (item: unknown, path: string) => {
    // An invalid user must not cause a second error in an organization that refers to it.
    const listed = isObject(item) ? members.email.parse(item.email) : undefined;
    if (listed?.ok) seen.add(listed.value, `${path}.email`);
    const user = parseMembers(members, item, path, errors);
    if (user === undefined) return undefined;
    const { disabled: isDisabled, ...rest } = user;
    return { ...rest, isDisabled };
  };
}

function createParseOrganization(errors: ErrorList, users: Seen, items: Items) {
  const any = { parse: (value: unknown) => done(value) };
  const members = {
    name: { parse: stringWith(parseOrganizationName) },
    owner: { parse: stringWith(parseEmail) },
    members: any,
    properties: any,
  };
  const seen = createSeen(errors);
  const checkProperties = createCheckProperties(errors, items);

  function requireUser(email: string, path: string): void {
    if (!users.has(email)) errors.add(path, 'user-unlisted', quoted(email));
  }

  return (item: unknown, path: string, index: number): Checked | undefined => {
    const given = parseMembers(members, item, path, errors);
    if (given === undefined) return undefined;
    const { name, owner } = given;
    seen.add(`${foldName(name)}\n${owner}`, `${path}.name`);
    requireUser(owner, `${path}.owner`);
    const emails = createSeen(errors);
    emails.add(owner, `${path}.owner`);
    const parseMember = (value: unknown, at: string) => {
      const email = members.owner.parse(value);
      if (!email.ok) errors.add(at, email.problem);
      else {
        emails.add(email.value, at);
        requireUser(email.value, at);
      }
      return email.ok ? email.value : undefined;
    };
    const listed = withoutItems(given.members);
    const parsed = { name, owner, members: parseItems(listed, `${path}.members`, errors, parseMember) };
    const list: readonly unknown[] = Array.isArray(given.properties) ? given.properties : [];
    if (list !== given.properties) errors.add(`${path}.properties`, 'not-an-array');
    checkProperties(list, index);
    return { ...parsed, list };
  };
}

/** More properties than a document can have. */
const MAX_PROPERTIES = 2 ** 26;

const toPlace = (organization: number, index: number) => organization * MAX_PROPERTIES + index;
const toPath = (place: number) =>
  `$.organizations[${Math.floor(place / MAX_PROPERTIES)}].properties[${place % MAX_PROPERTIES}]`;

/** @returns a function that checks the properties of the organization with the given index */
function createCheckProperties(errors: ErrorList, items: Items) {
  const [names, sitekeys] = [createRepeats(), createRepeats()];
  return (list: readonly unknown[], organization: number): void => {
    let index = 0;
    for (const item of items.of(list)) {
      const place = toPlace(organization, index++);
      const path = toPath(place);
      const property = parseProperty(item, path, errors);
      if (property === undefined) continue;
      const { name, sitekey } = property;
      for (const [member, first] of [
        ['name', names.add(`${organization} ${foldName(name)}`, place)],
        ['sitekey', sitekeys.add(sitekey, place)],
      ] as const) {
        if (first !== undefined)
          errors.add(`${path}.${member}`, 'repeated', `first at ${toPath(first)}.${member}`);
      }
    }
  };
}

function parseProperty(item: unknown, path: string, errors: ErrorList): ExportedProperty | undefined {
  const given = parseMembers(PROPERTY_MEMBERS, item, path, errors);
  if (given === undefined) return undefined;
  const rules = parseRuleList(given.rules, `${path}.rules`, errors);
  return {
    ...(rules.length === 0 ? {} : { rules }),
    name: given.name,
    domain: given.domain,
    sitekey: given.sitekey,
    ...fromNamedValues(SETTING_FIELDS, given),
  };
}

function parseNewSitekey(text: string): Outcome<Sitekey, 'sitekey-malformed' | 'sitekey-reserved'> {
  const sitekey = parseSitekey(text);
  return sitekey.ok && sitekey.value === TEST_SITEKEY ? reject('sitekey-reserved') : sitekey;
}

/** Missing settings get the defaults of the Platform API. */
const PROPERTY_MEMBERS = {
  name: { parse: stringWith(PROPERTY_FIELDS.name.parse) },
  domain: { parse: stringWith(PROPERTY_FIELDS.domain.parse) },
  sitekey: { parse: stringWith(parseNewSitekey) },
  ...toNamedFields(SETTING_FIELDS),
  rules: { parse: (value: unknown): Outcome<unknown, never> => done(value), default: [] },
};
