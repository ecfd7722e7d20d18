import { COMMAND_LINE } from '../../model/actor.ts';
import { parseDomain } from '../../model/domain.ts';
import { PROBLEMS } from '../../model/problems.ts';
import { type PropertySettings, SETTING_FIELDS } from '../../model/propertyFields.ts';
import { createDnsLookup } from '../../server/dnsLookup.ts';
import { type Command, CommandError, type Context } from '../command.ts';
import { choiceOption, hasOption, requireOption, unwrap, wholeNumberOption } from '../options.ts';
import { printRow } from '../output.ts';
import { requireConfig, requireOrganizationId, withServices } from '../withServices.ts';
import { toFullPropertyRow } from './propertyRow.ts';

/** The settings that have an option. A new property is enabled. */
const { isEnabled: _, ...SETTINGS } = SETTING_FIELDS;

/** `validity-seconds` for the field `validity_seconds`. */
function optionFor({ name }: { readonly name: string }): string {
  return name.replaceAll('_', '-');
}

/** `postern properties create`. */
export const propertyCreate: Command = {
  name: 'properties create',
  usage:
    '--org ORG_ID --name N --domain D [--level L] [--growth G] [--challenge W] [--validity-seconds S] [--allow-subdomains] [--allow-localhost] [--max-replay-count C] [--no-dns-check]',
  summary: 'Creates a property. Its domain must resolve.',
  options: {
    org: { type: 'string' },
    name: { type: 'string' },
    domain: { type: 'string' },
    ...Object.fromEntries(
      Object.values(SETTINGS).map((field) => [
        optionFor(field),
        { type: field.kind === 'boolean' ? 'boolean' : 'string' },
      ]),
    ),
    'no-dns-check': { type: 'boolean' },
  },
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
