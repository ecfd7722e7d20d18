import type { Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import { parseDomain } from '../../model/domain.ts';
import { foldName } from '../../model/name.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertySearch, PropertyStore, Slice } from '../../model/ports/property.ts';
import { type Property, type PropertyId, parseSitekey, type Sitekey } from '../../model/property.ts';
import {
  DEFAULT_SETTINGS,
  PROPERTY_FIELDS,
  type PropertyFieldProblem,
  type PropertySettings,
} from '../../model/propertyFields.ts';
import type { Access, AccessProblem } from '../organizations/access.ts';

export type PropertyDraft = Partial<PropertySettings> & {
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly domain: string;
};

export type PropertyProblem =
  | PropertyFieldProblem
  | 'property-name-taken'
  | 'properties-limit'
  | 'organization-unknown'
  | 'organization-not-yours';

/** A page of a list, and whether there is more after it. */
export type Page = { readonly properties: readonly Property[]; readonly hasMore: boolean };

export type Properties = {
  /** The house's own: absent settings get their defaults. Nothing is looked up in DNS here. */
  readonly create: (draft: PropertyDraft) => Promise<Outcome<Property, PropertyProblem>>;
  /** For the command line: enables or disables a property. Safe to repeat. */
  readonly setEnabled: (id: PropertyId, isEnabled: boolean) => Promise<Outcome<Property, 'property-gone'>>;
  readonly list: (organizationId?: OrganizationId) => Promise<readonly Property[]>;
  readonly page: (
    actor: Actor,
    organizationId: OrganizationId,
    slice: Slice,
  ) => Promise<Outcome<Page, AccessProblem>>;
  /** @param text a part of name, domain or sitekey, in capitals or not */
  readonly search: (
    actor: Actor,
    organizationId: OrganizationId,
    text: string,
    slice: Slice,
  ) => Promise<Outcome<Page, AccessProblem>>;
  /** @returns `property-gone` also where it is in another organization than this one */
  readonly byId: (
    actor: Actor,
    organizationId: OrganizationId,
    id: PropertyId,
  ) => Promise<Outcome<Property, AccessProblem | 'property-gone'>>;
  /** In whichever organization it is, as long as the actor may use that. */
  readonly find: (actor: Actor, id: PropertyId) => Promise<Outcome<Property, 'property-gone'>>;
};

/** Use cases around properties; those that change many are tasks. */
export function createProperties(deps: {
  readonly store: PropertyStore;
  readonly access: Access;
  readonly clock: Clock;
  readonly random: Random;
}): Properties {
  /** One more than asked for: whether there is more is known, not guessed. */
  async function pageOf(
    slice: Slice,
    find: (slice: Slice) => Promise<readonly Property[]>,
  ): Promise<Outcome<Page, never>> {
    const found = await find({ ...slice, limit: slice.limit + 1 });
    return done({ properties: found.slice(0, slice.limit), hasMore: found.length > slice.limit });
  }

  return {
    async create(draft) {
      const name = PROPERTY_FIELDS.name.parse(draft.name);
      if (!name.ok) return name;
      const domain = PROPERTY_FIELDS.domain.parse(draft.domain);
      if (!domain.ok) return domain;
      const settings: PropertySettings = { ...DEFAULT_SETTINGS, ...draft };
      const wrong = problemIn(settings);
      if (wrong !== undefined) return reject(wrong);
      const { organizationId } = draft;
      const sitekey = newSitekey(deps.random);
      const property = { ...settings, organizationId, name: name.value, domain: domain.value, sitekey };
      return deps.store.create(property, deps.clock());
    },
    setEnabled: (id, isEnabled) => deps.store.setEnabled(id, isEnabled, deps.clock()),
    list: (organizationId) => deps.store.list(organizationId),
    async page(actor, organizationId, slice) {
      const organization = await deps.access.use(actor, organizationId);
      if (!organization.ok) return organization;
      return pageOf(slice, (longer) => deps.store.slice(organizationId, longer));
    },
    async search(actor, organizationId, text, slice) {
      const organization = await deps.access.use(actor, organizationId);
      if (!organization.ok) return organization;
      return pageOf(slice, (longer) => deps.store.search(organizationId, searchOf(text), longer));
    },
    async byId(actor, organizationId, id) {
      const organization = await deps.access.use(actor, organizationId);
      if (!organization.ok) return organization;
      const property = await deps.store.byId(id);
      return property?.organizationId === organizationId ? done(property) : reject('property-gone');
    },
    async find(actor, id) {
      const property = await deps.store.byId(id);
      const organization = property && (await deps.access.use(actor, property.organizationId));
      return property !== undefined && organization?.ok === true ? done(property) : reject('property-gone');
    },
  };
}

/** What people type: a domain perhaps in their own script, a sitekey perhaps with dashes. */
function searchOf(text: string): PropertySearch {
  const part = text.trim();
  const domain = parseDomain(part);
  const sitekey = parseSitekey(part);
  return {
    name: foldName(part),
    domain: domain.ok ? domain.value : part.toLowerCase(),
    sitekey: sitekey.ok ? sitekey.value : part.toLowerCase(),
  };
}

/** 16 random bytes. */
export function newSitekey(random: Random): Sitekey {
  return random(new Uint8Array(16)).toHex() as Sitekey;
}

function problemIn(settings: PropertySettings): PropertyFieldProblem | undefined {
  for (const setting of ['level', 'validitySeconds', 'allowance'] as const) {
    const parsed = PROPERTY_FIELDS[setting].parse(settings[setting]);
    if (!parsed.ok) return parsed.problem;
  }
  return undefined;
}
