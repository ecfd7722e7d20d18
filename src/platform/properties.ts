import { hexOf } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Outcome, refuse } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import { type DomainProblem, parseDomain } from '../model/domain.ts';
import type { NameProblem } from '../model/name.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { OrganizationStore, PropertyStore } from '../model/ports.ts';
import {
  DEFAULT_SETTINGS,
  type Property,
  type PropertySettings,
  parseIntegerSetting,
  parsePropertyName,
  type Sitekey,
} from '../model/property.ts';

export type PropertyDraft = Partial<PropertySettings> & {
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly domain: string;
};

export type PropertyProblem =
  | NameProblem<'property'>
  | DomainProblem
  | 'setting-out-of-range'
  | 'property-name-taken'
  | 'organization-unknown';

export type Properties = {
  /** Absent settings get their defaults. Nothing is looked up in DNS here. */
  readonly create: (draft: PropertyDraft) => Promise<Outcome<Property, PropertyProblem>>;
  readonly list: (organizationId?: OrganizationId) => Promise<readonly Property[]>;
};

/** Use cases around properties. */
export function createProperties(deps: {
  readonly store: PropertyStore;
  readonly organizations: OrganizationStore;
  readonly clock: Clock;
  readonly random: Random;
}): Properties {
  return {
    async create(draft) {
      const name = parsePropertyName(draft.name);
      if (!name.ok) return name;
      const domain = parseDomain(draft.domain);
      if (!domain.ok) return domain;
      const settings: PropertySettings = { ...DEFAULT_SETTINGS, ...draft };
      if (!areInRange(settings)) return refuse('setting-out-of-range');
      const organization = await deps.organizations.byId(draft.organizationId);
      if (organization === undefined) return refuse('organization-unknown');
      const sitekey = hexOf(deps.random(new Uint8Array(16))) as Sitekey;
      const { organizationId } = draft;
      const property = { ...settings, organizationId, name: name.value, domain: domain.value, sitekey };
      return deps.store.create(property, deps.clock());
    },
    list: (organizationId) => deps.store.list(organizationId),
  };
}

function areInRange(settings: PropertySettings): boolean {
  return (['level', 'validitySeconds', 'allowance'] as const).every(
    (setting) => parseIntegerSetting(setting, settings[setting]).ok,
  );
}
