import type { Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { fetchPage, type Page } from '../../lib/page.ts';
import type { Clock } from '../../lib/time.ts';
import type { Actor, SystemActor } from '../../model/actor.ts';
import type { AuditAction } from '../../model/audit.ts';
import { parseDomain } from '../../model/domain.ts';
import { foldName } from '../../model/name.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { NewProperty, PropertySearch, PropertyStore, Slice } from '../../model/ports/property.ts';
import {
  type Property,
  type PropertyId,
  parseSitekey,
  type Sitekey,
  toAuditedActions,
} from '../../model/property.ts';
import {
  DEFAULT_SETTINGS,
  PROPERTY_FIELDS,
  type PropertyFieldProblem,
  type PropertySettings,
  SETTING_FIELDS,
} from '../../model/propertyFields.ts';
import type { EntryFor } from '../audit.ts';
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

/** Use cases for properties. The Platform API and the portal change properties through tasks instead. */
export type Properties = {
  /**
   * Creates a property. Missing settings get their defaults. Does not look up the domain.
   *
   * @param skipsDnsCheck recorded in the audit log: the domain was not looked up although the check is turned on
   */
  create(
    actor: Actor,
    draft: PropertyDraft,
    skipsDnsCheck?: boolean,
  ): Promise<Outcome<Property, PropertyProblem>>;
  /** Enables or disables a property. Safe to repeat. */
  setEnabled(actor: Actor, id: PropertyId, isEnabled: boolean): Promise<Outcome<Property, 'property-gone'>>;
  /**
   * Replaces the secret for offline verification. Earlier challenges keep the old secret. Safe to repeat.
   *
   * @param rotations how many times the secret was replaced before; nothing changes if it was replaced since then
   */
  rotateOffline(actor: Actor, id: PropertyId, rotations: number): Promise<Outcome<Property, 'property-gone'>>;
  /** Lists all properties, or those of one organization; oldest first. */
  list(actor: SystemActor, organizationId?: OrganizationId): Promise<readonly Property[]>;
  /** @param text if it is not empty, only the properties whose name, domain, or sitekey contains it, ignoring case */
  page(
    actor: Actor,
    organizationId: OrganizationId,
    slice: Slice,
    text?: string,
  ): Promise<Outcome<Page<Property>, AccessProblem>>;
  /** Rejects a property of another organization with `property-gone`. */
  byId(
    actor: Actor,
    organizationId: OrganizationId,
    id: PropertyId,
  ): Promise<Outcome<Property, AccessProblem | 'property-gone'>>;
  /** Finds a property in any organization that the actor can use. */
  find(actor: Actor, id: PropertyId): Promise<Outcome<Property, 'property-gone'>>;
};

/** @see Properties */
export function createProperties(deps: {
  readonly store: PropertyStore;
  readonly access: Access;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
}): Properties {
  const { store, access, clock } = deps;

  function entriesFor(actor: Actor, property: NewProperty, action: AuditAction, skipsDnsCheck = false) {
    const audited = toAuditedActions(property, [action], { skipsDnsCheck });
    return Promise.all(audited.map((each) => deps.entryFor(actor, each)));
  }

  async function find(actor: Actor, id: PropertyId): Promise<Outcome<Property, 'property-gone'>> {
    const property = await store.byId(id);
    const organization = property && (await access.requireMember(actor, property.organizationId));
    return property !== undefined && organization?.ok === true ? done(property) : reject('property-gone');
  }

  return {
    find,
    async create(actor, draft, skipsDnsCheck) {
      const name = PROPERTY_FIELDS.name.parse(draft.name);
      if (!name.ok) return name;
      const domain = PROPERTY_FIELDS.domain.parse(draft.domain);
      if (!domain.ok) return domain;
      const settings = { ...DEFAULT_SETTINGS, ...draft };
      const problem = problemIn(settings);
      if (problem !== undefined) return reject(problem);
      const sitekey = newSitekey(deps.random);
      const property = { ...settings, name: name.value, domain: domain.value, sitekey };
      const entries = await entriesFor(actor, property, 'property-created', skipsDnsCheck);
      return store.create(property, clock(), actor, entries);
    },
    async setEnabled(actor, id, isEnabled) {
      const property = await find(actor, id);
      if (!property.ok) return property;
      const action = isEnabled ? 'property-enabled' : 'property-disabled';
      return store.setEnabled(id, isEnabled, clock(), await entriesFor(actor, property.value, action));
    },
    async rotateOffline(actor, id, rotations) {
      const property = await find(actor, id);
      if (!property.ok) return property;
      const entries = await entriesFor(actor, property.value, 'property-offline-secret-replaced');
      await store.rotateOffline(id, rotations, entries);
      return find(actor, id);
    },
    list: (_, organizationId) => store.list(organizationId),
    async page(actor, organizationId, { limit, ...slice }, text = '') {
      const organization = await access.requireMember(actor, organizationId);
      if (!organization.ok) return organization;
      const page = await fetchPage(limit, (upTo) =>
        text === ''
          ? store.slice(organizationId, { ...slice, limit: upTo })
          : store.search(organizationId, toSearch(text), { ...slice, limit: upTo }),
      );
      return done(page);
    },
    async byId(actor, organizationId, id) {
      const organization = await access.requireMember(actor, organizationId);
      if (!organization.ok) return organization;
      const property = await store.byId(id);
      return property?.organizationId === organizationId ? done(property) : reject('property-gone');
    },
  };
}

/** Converts the text of a search. It may be a domain in Unicode, or a sitekey with the dashes of a UUID. */
export function toSearch(text: string): PropertySearch {
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

/** Returns the first problem of the settings; only numbers can have one. */
function problemIn(settings: PropertySettings): PropertyFieldProblem | undefined {
  for (const key of Object.keys(SETTING_FIELDS) as (keyof PropertySettings)[]) {
    const parsed = SETTING_FIELDS[key].parse(settings[key]);
    if (!parsed.ok) return parsed.problem;
  }
  return undefined;
}
