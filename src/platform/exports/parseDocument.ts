import { exceededLimit } from '../../lib/jsonLimits.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { parseEmail } from '../../model/email.ts';
import {
  createErrorList,
  type ErrorList,
  EXPORT_FORMAT,
  EXPORT_MAX_BYTES,
  type ExportDocument,
  type ExportedOrganization,
  type ExportedProperty,
  IMPORT_VERSIONS,
  type ImportErrors,
} from '../../model/exportDocument.ts';
import { foldName, parseName } from '../../model/name.ts';
import { parseOrganizationName } from '../../model/organization.ts';
import { PLAN_FIELDS, parsePlanName } from '../../model/plan.ts';
import { parseSitekey, type Sitekey, TEST_SITEKEY } from '../../model/property.ts';
import { PROPERTY_FIELDS, SETTING_FIELDS } from '../../model/propertyFields.ts';
import { parseItems, parseMembers, quoted, stringWith } from './parseMembers.ts';
import { parseRuleList } from './parseRuleList.ts';

/** A property has 22 tokens. A valid document has a depth of 9. */
const LIMITS = { tokens: 25_000_000, depth: 10 };

/** The document, or all errors that do not depend on the database. */
export type ParsedDocument =
  | { readonly ok: true; readonly value: ExportDocument }
  | ({ readonly ok: false } & ImportErrors);

/** Parses an export document with the parsers of the Platform API. @param json UTF-8 */
export function parseDocument(json: Uint8Array): ParsedDocument {
  const errors = createErrorList();
  const value = parseJson(json, errors);
  const document = value === undefined ? undefined : parseContent(value, errors);
  const found = errors.all();
  return document === undefined || found.total > 0 ? { ok: false, ...found } : done(document);
}

/** The limits are checked before the text is parsed. */
function parseJson(json: Uint8Array, errors: ErrorList): { readonly root: unknown } | undefined {
  const exceeded = json.length > EXPORT_MAX_BYTES ? 'tokens' : exceededLimit(json, LIMITS);
  if (exceeded !== undefined) {
    errors.add('$', exceeded === 'depth' ? 'document-too-deep' : 'document-too-large');
    return undefined;
  }
  try {
    return { root: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)) };
  } catch (error) {
    errors.add('$', 'document-malformed', error instanceof Error ? error.message : undefined);
    return undefined;
  }
}

function parseContent({ root }: { readonly root: unknown }, errors: ErrorList): ExportDocument | undefined {
  const { format, version } = isRecord(root) ? root : {};
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
  const parseOrganization = createParseOrganization(errors, seenUsers);
  const organizations = parseItems(parsed.organizations, '$.organizations', errors, parseOrganization);
  return { rules, plans, users, organizations };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Finds repeated values. */
type Seen = {
  /** Adds an error if the value occurred before. */
  readonly add: (value: string, path: string) => void;
  readonly has: (value: string) => boolean;
};

function createSeen(errors: ErrorList): Seen {
  const paths = new Map<string, string>();
  return {
    add(value, path) {
      const first = paths.get(value);
      if (first === undefined) paths.set(value, path);
      else errors.add(path, 'repeated', `first at ${first}`);
    },
    has: (value) => paths.has(value),
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
    const listed = isRecord(item) ? members.email.parse(item.email) : undefined;
    if (listed?.ok) seen.add(listed.value, `${path}.email`);
    const user = parseMembers(members, item, path, errors);
    if (user === undefined) return undefined;
    const { disabled: isDisabled, ...rest } = user;
    return { ...rest, isDisabled };
  };
}

function createParseOrganization(errors: ErrorList, users: Seen) {
  const any = { parse: (value: unknown) => done(value) };
  const members = {
    name: { parse: stringWith(parseOrganizationName) },
    owner: { parse: stringWith(parseEmail) },
    members: any,
    properties: any,
  };
  const seen = createSeen(errors);
  const sitekeys = createSeen(errors);

  function requireUser(email: string, path: string): void {
    if (!users.has(email)) errors.add(path, 'user-unlisted', quoted(email));
  }

  return (item: unknown, path: string): ExportedOrganization | undefined => {
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
    return {
      name,
      owner,
      members: parseItems(given.members, `${path}.members`, errors, parseMember),
      properties: parseItems(
        given.properties,
        `${path}.properties`,
        errors,
        createParseProperty(errors, sitekeys),
      ),
    };
  };
}

/** @param sitekeys of all organizations */
function createParseProperty(errors: ErrorList, sitekeys: Seen) {
  const names = createSeen(errors);
  return (item: unknown, path: string): ExportedProperty | undefined => {
    const given = parseMembers(PROPERTY_MEMBERS, item, path, errors);
    if (given === undefined) return undefined;
    names.add(foldName(given.name), `${path}.name`);
    sitekeys.add(given.sitekey, `${path}.sitekey`);
    const rules = parseRuleList(given.rules, `${path}.rules`, errors);
    return {
      ...(rules.length === 0 ? {} : { rules }),
      name: given.name,
      domain: given.domain,
      sitekey: given.sitekey,
      level: given.level,
      growth: given.growth,
      challenge: given.challenge,
      validitySeconds: given.validity_seconds,
      allowsSubdomains: given.allow_subdomains,
      allowsLocalhost: given.allow_localhost,
      allowance: given.max_replay_count,
      isEnabled: given.enabled,
    };
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
  level: SETTING_FIELDS.level,
  growth: SETTING_FIELDS.growth,
  challenge: SETTING_FIELDS.challenge,
  validity_seconds: SETTING_FIELDS.validitySeconds,
  allow_subdomains: SETTING_FIELDS.allowsSubdomains,
  allow_localhost: SETTING_FIELDS.allowsLocalhost,
  max_replay_count: SETTING_FIELDS.allowance,
  enabled: SETTING_FIELDS.isEnabled,
  rules: { parse: (value: unknown): Outcome<unknown, never> => done(value), default: [] },
};
