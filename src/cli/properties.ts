import { COMMAND_LINE } from '../model/actor.ts';
import { parseDomain } from '../model/domain.ts';
import { toNamedValues } from '../model/field.ts';
import { PROBLEMS } from '../model/problems.ts';
import type { Property, PropertyId } from '../model/property.ts';
import { type PropertySettings, SETTING_FIELDS } from '../model/propertyFields.ts';
import { createDnsLookup } from '../platform/properties/dnsResolver.ts';
import type { Services } from '../server/services.ts';
import { type Command, CommandError, type Context } from './command.ts';
import {
  choiceOption,
  hasOption,
  requireOperand,
  requireOption,
  textOption,
  unwrap,
  wholeNumberOption,
} from './options.ts';
import { printRow, printRows, type Row } from './output.ts';
import { attackEnd, requireConfig, requireOrganizationId, withServices } from './withServices.ts';

/** The settings that have an option. A new property is enabled. */
const { isEnabled: _, ...SETTINGS } = SETTING_FIELDS;

/** `validity-seconds` for the field `validity_seconds`. */
function optionFor({ name }: { readonly name: string }): string {
  return name.replaceAll('_', '-');
}

function describe(field: (typeof SETTINGS)[keyof typeof SETTINGS]): string {
  if (field.kind === 'boolean') return field.help;
  const allowed = field.kind === 'choice' ? field.choices.join(', ') : `${field.min} to ${field.max}`;
  return `${field.help} Allowed: ${allowed}. Default: ${field.default}.`;
}

const propertyCreate: Command = {
  name: 'properties create',
  usage:
    '--org ORG_ID --name N --domain D [--level L] [--growth G] [--challenge W] [--validity-seconds S] [--allow-subdomains] [--allow-localhost] [--max-replay-count C] [--no-dns-check]',
  summary: 'Creates a property. Its domain must resolve, unless POSTERN_DNS_CHECK is off.',
  options: {
    org: 'Id of the organization.',
    name: 'Name of the property.',
    domain: 'Host name of the pages with the widget, such as example.com.',
    ...Object.fromEntries(Object.values(SETTINGS).map((field) => [optionFor(field), describe(field)])),
    'no-dns-check': 'Does not check whether the domain resolves.',
  },
  example:
    'postern properties create --org Q65MmmLtTR8IlCTsKbP3Aw --name Shop --domain example.com --allow-subdomains',
  async run(context) {
    const org = requireOption(context, 'org');
    const name = requireOption(context, 'name');
    const domain = requireOption(context, 'domain');
    const settings = parseSettings(context);
    return withServices(context, async (services) => {
      const organizationId = requireOrganizationId(services, org);
      unwrap(await services.organizations.byId(COMMAND_LINE, organizationId));
      const wasSkipped = await checkDomain(context, domain);
      const draft = { organizationId, name, domain, ...settings };
      const property = unwrap(await services.properties.create(COMMAND_LINE, draft, wasSkipped));
      printRow(context, toFullPropertyRow(services, property));
    });
  },
};

/**
 * Resolves the domain, as the Platform API and the portal do.
 *
 * @returns whether `--no-dns-check` skipped the check
 * @throws CommandError if the domain is invalid or does not resolve
 */
async function checkDomain(context: Context, text: string): Promise<boolean> {
  const domain = unwrap(parseDomain(text));
  const resolve = createDnsLookup(requireConfig(context));
  if (resolve === undefined) return false;
  if (hasOption(context, 'no-dns-check')) return true;
  const { resolution } = await resolve(domain);
  if (resolution === 'found') return false;
  const { code, sentence } = PROBLEMS[resolution === 'missing' ? 'domain-unresolved' : 'dns-unanswered'];
  throw new CommandError(
    `${sentence} (code ${code}, ${domain}) Use --no-dns-check to create the property anyway, or set POSTERN_DNS_CHECK=off to turn off the check.`,
  );
}

/** Options that are missing get the defaults of the use case. */
function parseSettings(context: Context): Partial<PropertySettings> {
  const { allowsSubdomains, allowsLocalhost } = SETTINGS;
  const numberOf = (key: 'level' | 'validitySeconds' | 'allowance') =>
    wholeNumberOption(context, optionFor(SETTINGS[key]), SETTINGS[key]);
  const level = numberOf('level');
  const growth = choiceOption(context, optionFor(SETTINGS.growth), SETTINGS.growth.choices);
  const challenge = choiceOption(context, optionFor(SETTINGS.challenge), SETTINGS.challenge.choices);
  const validitySeconds = numberOf('validitySeconds');
  const allowance = numberOf('allowance');
  return {
    ...(level === undefined ? {} : { level }),
    ...(growth === undefined ? {} : { growth }),
    ...(challenge === undefined ? {} : { challenge }),
    ...(validitySeconds === undefined ? {} : { validitySeconds }),
    ...(allowance === undefined ? {} : { allowance }),
    allowsSubdomains: hasOption(context, optionFor(allowsSubdomains)),
    allowsLocalhost: hasOption(context, optionFor(allowsLocalhost)),
  };
}

const propertyList: Command = {
  name: 'properties list',
  usage: '[--org ORG_ID]',
  summary: 'Lists all properties, or those of one organization.',
  options: { org: 'Id of the organization. Default: all organizations.' },
  example: 'postern properties list --org Q65MmmLtTR8IlCTsKbP3Aw',
  async run(context) {
    const org = textOption(context, 'org');
    return withServices(context, async (services) => {
      const id = org === undefined ? undefined : requireOrganizationId(services, org);
      if (id !== undefined) unwrap(await services.organizations.byId(COMMAND_LINE, id));
      const properties = await services.properties.list(COMMAND_LINE, id);
      const rows = properties.map((property) => toPropertyRow(services, property));
      printRows(context, rows, ['id', 'name', 'domain', 'sitekey', 'org_id', 'enabled']);
    });
  },
};

/** The statistics keep hourly counts for 30 days. */
const HOURS = { min: 1, max: 720 } as const;
const DEFAULT_HOURS = 1;
const LIMIT = { min: 1, max: 1000 } as const;
const DEFAULT_LIMIT = 10;

const propertyBusiest: Command = {
  name: 'properties busiest',
  usage: '[--hours N] [--limit N]',
  summary: 'Lists the properties with the most puzzles in recent hours.',
  options: {
    hours: `Number of hours, ${HOURS.min} to ${HOURS.max}, including the current one. Default: ${DEFAULT_HOURS}.`,
    limit: `Number of properties, ${LIMIT.min} to ${LIMIT.max}. Default: ${DEFAULT_LIMIT}.`,
  },
  example: 'postern properties busiest --hours 24 --limit 5',
  async run(context) {
    const hours = wholeNumberOption(context, 'hours', HOURS) ?? DEFAULT_HOURS;
    const limit = wholeNumberOption(context, 'limit', LIMIT) ?? DEFAULT_LIMIT;
    return withServices(context, async (services) => {
      const busiest = await services.busiest(COMMAND_LINE, hours, limit);
      const rows = busiest.map((one) => toRow(services, one));
      printRows(context, rows, ['org', 'name', 'domain', 'id', 'issued', 'verified', 'failed']);
    });
  },
};

type BusyProperty = Awaited<ReturnType<Services['busiest']>>[number];

function toRow({ ids }: Services, { property, organizationName, totals }: BusyProperty): Row {
  const { id, name, domain, sitekey, organizationId } = property;
  const { issued, verified, repeated, failed } = totals;
  return {
    id: ids.seal('property', id),
    name,
    domain,
    sitekey,
    org_id: ids.seal('organization', organizationId),
    org: organizationName,
    issued,
    verified,
    repeated,
    failed,
  };
}

const propertyDisable: Command = createSwitch(
  'disable',
  'Disables a property: it issues no puzzles, and its solutions are rejected. Safe to repeat.',
);

const propertyEnable: Command = createSwitch('enable', 'Enables a disabled property. Safe to repeat.');

function createSwitch(verb: 'disable' | 'enable', summary: string): Command {
  return {
    name: `properties ${verb}`,
    usage: 'PROPERTY_ID',
    summary,
    example: `postern properties ${verb} S7T0_MqDpoCqi49RMMT1CQ`,
    async run(context) {
      const text = requireOperand(context, 'PROPERTY_ID');
      return withServices(context, async (services) => {
        const id = requirePropertyId(services, text);
        const property = unwrap(await services.properties.setEnabled(COMMAND_LINE, id, verb === 'enable'));
        printRow(context, toFullPropertyRow(services, property));
      });
    },
  };
}

const propertyAttack: Command = {
  name: 'properties attack',
  usage: 'PROPERTY_ID [--end]',
  summary: 'Starts attack mode for a property, which makes its puzzles harder for one hour, or ends it.',
  options: { end: 'Ends attack mode.' },
  example: 'postern properties attack 0HmRBhPtT8WzP0eCw9kmZg',
  async run(context) {
    const text = requireOperand(context, 'PROPERTY_ID');
    const isOn = !hasOption(context, 'end');
    return withServices(context, async (services) => {
      const id = requirePropertyId(services, text);
      const property = unwrap(await services.attackMode.ofProperty(COMMAND_LINE, id, isOn));
      printRow(context, { ...toPropertyRow(services, property), attack_until: attackEnd(property) });
    });
  },
};

function requirePropertyId({ ids }: Services, text: string): PropertyId {
  return ids.open('property', text) ?? unwrap({ ok: false, problem: 'property-id-malformed' });
}

/** The fields that commands print for a property in a list. */
function toPropertyRow({ ids }: Services, property: Property): Row {
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

/** All fields of a property, with the names of the Platform API. */
function toFullPropertyRow(services: Services, property: Property): Row {
  return {
    ...toPropertyRow(services, property),
    ...toNamedValues(SETTING_FIELDS, property),
  };
}

/** The commands for properties, in the order of `postern help`. */
export const propertyCommands: readonly Command[] = [
  propertyCreate,
  propertyList,
  propertyBusiest,
  propertyEnable,
  propertyDisable,
  propertyAttack,
];
