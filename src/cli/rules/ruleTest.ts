import { COMMAND_LINE } from '../../model/actor.ts';
import type { MatchedRule, RuleTest } from '../../model/rules/evaluation.ts';
import { toWireRule } from '../../model/rules/parseRules.ts';
import { toWireTest } from '../../model/rules/ruleDocument.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { textOption, unwrap, wholeNumberOption } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { requireScope, SCOPE_OPTION } from './ruleScope.ts';
import { actionOf } from './ruleTable.ts';

const ASN = { min: 1, max: 4_294_967_294 } as const;

/** `postern rules test`. */
export const ruleTest: Command = {
  name: 'rules test',
  usage:
    '[--property SITEKEY] [--address IP] [--user-agent UA] [--header "NAME: VALUE"]... [--path PATH] [--country CC] [--asn N]',
  summary: 'Shows what would happen to a request for a puzzle. Counts nothing and changes nothing.',
  options: {
    ...SCOPE_OPTION,
    address: { type: 'string' },
    'user-agent': { type: 'string' },
    header: { type: 'string', multiple: true },
    path: { type: 'string' },
    country: { type: 'string' },
    asn: { type: 'string' },
  },
  async run(context) {
    const request = {
      address: textOption(context, 'address'),
      userAgent: textOption(context, 'user-agent'),
      headers: parseHeaders(context),
      path: textOption(context, 'path'),
      country: parseCountry(context),
      asn: wholeNumberOption(context, 'asn', ASN),
    };
    return withServices(context, async (services) => {
      const scope = await requireScope(context, services);
      printTest(context, unwrap(await services.rules.test(COMMAND_LINE, scope, request)));
    });
  },
};

/** @throws UsageError if a header has no name */
function parseHeaders({ options }: Context): Record<string, string> {
  const given = options.header;
  const texts = typeof given === 'object' ? given : [];
  const headers = texts.map((text) => {
    const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/.exec(text);
    if (match === null) throw new UsageError(`--header must be NAME: VALUE, not ${JSON.stringify(text)}`);
    return [match[1], match[2]];
  });
  return Object.fromEntries(headers);
}

/** @throws UsageError if the country is not two letters */
function parseCountry(context: Context): string | undefined {
  const text = textOption(context, 'country');
  if (text === undefined || /^[A-Za-z]{2}$/.test(text)) return text?.toUpperCase();
  throw new UsageError(`--country must be a two-letter code, such as DE, not ${JSON.stringify(text)}`);
}

function printTest(context: Context, test: RuleTest): void {
  if (context.isJson) {
    context.out(JSON.stringify(toWireTest(test)));
    return;
  }
  const { action, ...levels } = toWireTest(test).action ?? { action: 'no rule decides' };
  const { country, asn, matches, puzzle } = test;
  printRow(context, {
    action: actionOf({ action, ...levels }),
    level: puzzle?.level ?? null,
    growth: puzzle?.growth ?? null,
    difficulty: puzzle?.difficulty ?? null,
    country: country ?? null,
    asn: asn ?? null,
  });
  for (const match of matches) context.out(describeMatch(match));
}

const ROLES: Readonly<Record<MatchedRule['role'], string>> = {
  effective: 'decides',
  'dry-run': 'matches in a dry run and is only counted',
  'not-reached': 'matches, but an earlier rule decides',
};

function describeMatch({ scope, index, rule, role }: MatchedRule): string {
  const name = rule === undefined ? '' : ` "${rule.name}" (${actionOf(toWireRule(rule))})`;
  return `rule ${index + 1} of the ${scope}${name} ${ROLES[role]}`;
}
