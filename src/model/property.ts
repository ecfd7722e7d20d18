import { type Brand, done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { Attackable } from './attackMode.ts';
import { type AuditAction, type AuditEntry, describeChange } from './audit.ts';
import type { OrganizationId } from './organization.ts';
import { PROPERTY_FIELDS, type PropertySettings } from './propertyFields.ts';

export type PropertyId = Brand<number, 'PropertyId'>;

/** The public id of a property: 32 lowercase hex digits. */
export type Sitekey = Brand<string, 'Sitekey'>;

/** A protected website, or a part of one. */
export type Property = PropertySettings &
  Attackable & {
    readonly id: PropertyId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    /** Lowercase ASCII (Punycode), without a trailing dot. */
    readonly domain: string;
    readonly sitekey: Sitekey;
    readonly createdAt: Instant;
    /** How many times the secret for offline verification was replaced. */
    readonly offlineRotations: number;
  };

/** The public test sitekey. Its property is not in the database. */
export const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee' as Sitekey;

const CANONICAL_SITEKEY = /^[0-9a-f]{32}$/;
const UUID_SITEKEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Including the dashes of a UUID. */
const SITEKEY_MAX_LENGTH = 36;

/** Parses a sitekey in uppercase or lowercase, with or without the dashes of a UUID. */
export function parseSitekey(text: string): Outcome<Sitekey, 'sitekey-malformed'> {
  if (CANONICAL_SITEKEY.test(text)) return done(text as Sitekey);
  if (text.length > SITEKEY_MAX_LENGTH) return reject('sitekey-malformed');
  const lower = text.toLowerCase();
  if (CANONICAL_SITEKEY.test(lower)) return done(lower as Sitekey);
  if (UUID_SITEKEY.test(lower)) return done(lower.replaceAll('-', '') as Sitekey);
  return reject('sitekey-malformed');
}

type AuditedProperty = Omit<Property, 'id' | 'createdAt' | 'offlineRotations' | keyof Attackable>;

/** The names of the settings that `property-updated` lists. Enabling and disabling have their own actions. */
const { isEnabled: _, ...UPDATED_FIELDS } = PROPERTY_FIELDS;
const UPDATED_NAMES = Object.fromEntries(
  Object.entries(UPDATED_FIELDS).map(([key, { name }]) => [key, name]),
) as Readonly<Record<keyof typeof UPDATED_FIELDS, string>>;

/**
 * Adds the organization and the object of the audit log entries to actions on a property.
 *
 * @param before the property before an update, whose entry lists the changes
 */
export function toAuditedActions(
  property: AuditedProperty,
  actions: readonly AuditAction[],
  { skipsDnsCheck = false, before = property }: { skipsDnsCheck?: boolean; before?: AuditedProperty } = {},
): readonly Pick<AuditEntry, 'action' | 'organizationId' | 'object'>[] {
  const { organizationId, name, sitekey, domain } = property;
  const object = `${name} (${sitekey})`;
  const change = describeChange(before, property, UPDATED_NAMES);
  const updated = change === '' ? object : `${object}: ${change}`;
  const audited = actions.map((action) => {
    return { action, organizationId, object: action === 'property-updated' ? updated : object };
  });
  if (!skipsDnsCheck) return audited;
  return [...audited, { action: 'dns-check-skipped', organizationId, object: `${domain} of ${object}` }];
}
