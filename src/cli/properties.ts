import type { AuditAction } from '../model/audit.ts';
import { parseDomain } from '../model/domain.ts';
import { PROBLEMS } from '../model/problems.ts';
import {
  GROWTHS,
  type Property,
  type PropertyId,
  type PropertySettings,
  SETTING_RANGES,
} from '../model/property.ts';
import { createLookUp, type Services } from '../server/services.ts';
import {
  type Command,
  CommandError,
  type Context,
  choiceOption,
  countOption,
  granted,
  hasOption,
  requireOperand,
  requireOption,
  textOption,
} from './command.ts';
import { type Row, showRow, showRows } from './output.ts';
import { configOf, note, organizationIdFor, withServices } from './withServices.ts';

/** `postern properties create`. */
export const createProperty: Command = {
  name: 'properties create',
  usage:
    '--org ORG_ID --name N --domain D [--level L] [--growth G] [--validity-seconds S] [--allow-subdomains] [--allow-localhost] [--max-replay-count C] [--no-dns-check]',
  summary: 'Creates a property; its domain must resolve.',
  options: {
    org: { type: 'string' },
    name: { type: 'string' },
    domain: { type: 'string' },
    level: { type: 'string' },
    growth: { type: 'string' },
    'validity-seconds': { type: 'string' },
    'allow-subdomains': { type: 'boolean' },
    'allow-localhost': { type: 'boolean' },
    'max-replay-count': { type: 'string' },
    'no-dns-check': { type: 'boolean' },
  },
  async run(context) {
    const org = requireOption(context, 'org');
    const name = requireOption(context, 'name');
    const domain = requireOption(context, 'domain');
    const settings = settingsOf(context);
    return withServices(context, async (services) => {
      const organizationId = organizationIdFor(services, org);
      granted(await services.organizations.byId(organizationId));
      const isSkipped = await checkDomain(context, domain);
      const property = granted(
        await services.properties.create({ organizationId, name, domain, ...settings }),
      );
      const subject = subjectOf(property);
      await note(services, 'property-created', subject, organizationId);
      if (isSkipped) {
        await note(services, 'dns-check-skipped', `${property.domain} of ${subject}`, organizationId);
      }
      showRow(context, { ...rowOf(services, property), ...settingsRowOf(property) });
    });
  },
};

/**
 * Resolves the domain, as the Platform API and the portal do.
 *
 * @returns whether `--no-dns-check` skipped a check that the settings ask for
 * @throws CommandError where the domain is invalid or does not resolve
 */
async function checkDomain(context: Context, text: string): Promise<boolean> {
  const domain = granted(parseDomain(text));
  const resolve = createLookUp(configOf(context));
  if (resolve === undefined) return false;
  if (hasOption(context, 'no-dns-check')) return true;
  const { resolution } = await resolve(domain);
  if (resolution === 'found') return false;
  const { code, sentence } = PROBLEMS[resolution === 'missing' ? 'domain-unresolved' : 'dns-unanswered'];
  throw new CommandError(
    `${sentence} (code ${code}, ${domain}) Use --no-dns-check to create the property anyway, or POSTERN_DNS_CHECK=off to turn the check off.`,
  );
}

/** `postern properties list`. */
export const listProperties: Command = {
  name: 'properties list',
  usage: '[--org ORG_ID]',
  summary: 'Shows all properties, or those of an organization.',
  options: { org: { type: 'string' } },
  async run(context) {
    const org = textOption(context, 'org');
    return withServices(context, async (services) => {
      const id = org === undefined ? undefined : organizationIdFor(services, org);
      if (id !== undefined) granted(await services.organizations.byId(id));
      const properties = await services.properties.list(id);
      showRows(
        context,
        properties.map((property) => rowOf(services, property)),
        ['id', 'name', 'domain', 'sitekey', 'org_id', 'enabled'],
      );
    });
  },
};

/** `postern properties enable`. */
export const enableProperty: Command = switchCommand('enable', {
  summary: 'Enables a property that was disabled. Safe to repeat.',
  isEnabled: true,
  action: 'property-enabled',
});

/** `postern properties disable`. */
export const disableProperty: Command = switchCommand('disable', {
  summary: 'Disables a property: it issues no puzzles, and its solutions are rejected. Safe to repeat.',
  isEnabled: false,
  action: 'property-disabled',
});

function switchCommand(
  verb: string,
  { summary, isEnabled, action }: { summary: string; isEnabled: boolean; action: AuditAction },
): Command {
  return {
    name: `properties ${verb}`,
    usage: 'PROPERTY_ID',
    summary,
    options: {},
    operands: 1,
    async run(context) {
      const text = requireOperand(context, 'PROPERTY_ID');
      return withServices(context, async (services) => {
        const property = granted(
          await services.properties.setEnabled(propertyIdFor(services, text), isEnabled),
        );
        await note(services, action, subjectOf(property), property.organizationId);
        showRow(context, { ...rowOf(services, property), ...settingsRowOf(property) });
      });
    },
  };
}

function propertyIdFor({ ids }: Services, text: string): PropertyId {
  return ids.open('property', text) ?? granted({ ok: false, problem: 'property-id-malformed' });
}

/** How the audit log names a property. */
function subjectOf({ name, sitekey }: Property): string {
  return `${name} (${sitekey})`;
}

/** Only what was said; the defaults are the model's. */
function settingsOf(context: Context): Partial<PropertySettings> {
  const level = countOption(context, 'level', SETTING_RANGES.level);
  const growth = choiceOption(context, 'growth', GROWTHS);
  const validitySeconds = countOption(context, 'validity-seconds', SETTING_RANGES.validitySeconds);
  const allowance = countOption(context, 'max-replay-count', SETTING_RANGES.allowance);
  return {
    ...(level === undefined ? {} : { level }),
    ...(growth === undefined ? {} : { growth }),
    ...(validitySeconds === undefined ? {} : { validitySeconds }),
    ...(allowance === undefined ? {} : { allowance }),
    allowsSubdomains: hasOption(context, 'allow-subdomains'),
    allowsLocalhost: hasOption(context, 'allow-localhost'),
  };
}

function rowOf({ ids }: Services, property: Property): Row {
  const { id, name, domain, sitekey, organizationId, isEnabled } = property;
  return {
    id: ids.seal('property', id),
    name,
    domain,
    sitekey,
    org_id: ids.seal('organization', organizationId),
    enabled: isEnabled,
  };
}

/** In the names of the Platform API. */
function settingsRowOf(property: Property): Row {
  return {
    level: property.level,
    growth: property.growth,
    validity_seconds: property.validitySeconds,
    allow_subdomains: property.allowsSubdomains,
    allow_localhost: property.allowsLocalhost,
    max_replay_count: property.allowance,
  };
}
