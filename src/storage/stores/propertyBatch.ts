import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import { foldName } from '../../model/name.ts';
import type { Organization, OrganizationId } from '../../model/organization.ts';
import type { Property, PropertyId, Sitekey } from '../../model/property.ts';
import type { OrganizationProblem, PropertyProblem, PropertyWriter } from './propertyWriter.ts';

/** The stored data that the steps of a batch need. Organizations and quotas are loaded once in a transaction. */
export type LoadedData = {
  /** Whether the actor has access to an organization. */
  readonly access: ReadonlyMap<OrganizationId, Outcome<Organization, OrganizationProblem>>;
  /** The number of properties that each owner may still create. The batch updates it. */
  readonly quotas: Map<AccountId, number>;
  /** The properties that the batch updates or removes, unless they are deleted. */
  readonly properties: readonly Property[];
  /** The properties that have one of the names of the batch, unless they are deleted. */
  readonly holders: readonly { readonly id: PropertyId; readonly nameKey: string }[];
  /** The new sitekeys that are already in use, including by deleted properties. */
  readonly sitekeys: ReadonlySet<Sitekey>;
  /** The ids for new properties. */
  readonly ids: readonly PropertyId[];
};

/** The changes of a batch. */
export type BatchChanges = {
  readonly created: ReadonlyMap<PropertyId, Property>;
  readonly updated: ReadonlyMap<PropertyId, Property>;
  readonly removed: ReadonlySet<PropertyId>;
  /** The name keys that updated properties no longer use. */
  readonly unusedNames: ReadonlySet<string>;
};

/** A new property was never in attack mode. */
const NEVER = 0 as Instant;

/** Identifies the name of a property within its organization. Two properties must not have the same key. */
export function toNameKey(organizationId: OrganizationId, nameFolded: string): string {
  return `${organizationId} ${nameFolded}`;
}

/** @returns the name key of a property */
export const nameKeyOf = ({ organizationId, name }: Pick<Property, 'organizationId' | 'name'>) =>
  toNameKey(organizationId, foldName(name));

/** Creates a writer that collects its changes in memory. */
export function createBatch(
  loaded: LoadedData,
  now: Instant,
): PropertyWriter & { readonly changes: BatchChanges } {
  const { access, quotas } = loaded;
  const properties = new Map(loaded.properties.map((property) => [property.id, property]));
  const holders = new Map(loaded.holders.map(({ id, nameKey }) => [nameKey, id]));
  const sitekeys = new Set(loaded.sitekeys);
  const ids = loaded.ids.values();
  const created = new Map<PropertyId, Property>();
  const updated = new Map<PropertyId, Property>();
  const removed = new Set<PropertyId>();
  const unusedNames = new Set<string>();
  const accessTo = (id: OrganizationId) => access.get(id) ?? reject('organization-unknown');

  function load(id: PropertyId): Outcome<Property, PropertyProblem> {
    const property = properties.get(id);
    if (property === undefined) return reject('property-gone');
    const allowed = accessTo(property.organizationId);
    if (allowed.ok) return done(property);
    return reject(allowed.problem === 'organization-unknown' ? 'property-gone' : 'property-not-yours');
  }

  function store(property: Property): void {
    properties.set(property.id, property);
    holders.set(nameKeyOf(property), property.id);
    (created.has(property.id) ? created : updated).set(property.id, property);
  }

  return {
    changes: { created, updated, removed, unusedNames },
    create(given) {
      const organization = accessTo(given.organizationId);
      if (!organization.ok) return organization;
      const { ownerId } = organization.value;
      const quota = quotas.get(ownerId) ?? 0;
      if (quota <= 0) return reject('properties-limit');
      if (holders.has(nameKeyOf(given)) || sitekeys.has(given.sitekey)) return reject('property-name-taken');
      const { value: id } = ids.next();
      if (id === undefined) throw new Error('the batch creates more properties than it declared');
      const property = { ...given, id, createdAt: now, attackUntil: NEVER, offlineRotations: 0 };
      quotas.set(ownerId, quota - 1);
      sitekeys.add(property.sitekey);
      created.set(id, property);
      store(property);
      return done(property);
    },
    update({ id, change, sitekey }) {
      const found = load(id);
      if (!found.ok) return found;
      const { value: before } = found;
      if (sitekey !== undefined && sitekey !== before.sitekey) return reject('sitekey-read-only');
      const after = { ...before, ...change };
      const holder = change.name === undefined ? id : holders.get(nameKeyOf(after));
      if (holder !== undefined && holder !== id) return reject('property-name-taken');
      if (nameKeyOf(before) !== nameKeyOf(after)) {
        holders.delete(nameKeyOf(before));
        unusedNames.add(nameKeyOf(before));
      }
      store(after);
      return done({ before, after });
    },
    remove(id) {
      const found = load(id);
      if (!found.ok) return found;
      properties.delete(id);
      holders.delete(nameKeyOf(found.value));
      removed.add(id);
      return found;
    },
  };
}
