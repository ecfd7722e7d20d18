import type { Awaitable } from '../lib/awaitable.ts';
import { reasonOf } from '../lib/log.ts';
import { COMMAND_LINE } from '../model/actor.ts';
import { PROBLEMS, type Problem } from '../model/problems.ts';
import { parseSitekey } from '../model/property.ts';
import type { MatchedRule, RuleTest } from '../model/rules/evaluation.ts';
import { toWireRule, type WireRule } from '../model/rules/parseRules.ts';
import {
  DOWNGRADES,
  type Downgrade,
  downgradeOf,
  RULE_LIMITS,
  type RuleError,
  type RuleId,
  type RuleScope,
} from '../model/rules/rule.ts';
import {
  pathOfError,
  type RuleDocument,
  readRuleFile,
  sentenceOfError,
  toRuleDocument,
  toWireTest,
  withoutHits,
} from '../model/rules/ruleDocument.ts';
import type { Services } from '../server/services.ts';
import { type Command, CommandError, type Context, UsageError } from './command.ts';
import {
  readBounded,
  requireOperand,
  requireWholeNumber,
  textOption,
  unwrap,
  wholeNumberOption,
} from './options.ts';
import { printRow, printRows } from './output.ts';
import { withServices } from './withServices.ts';

/** Maximum size of a file, in bytes: twice the limit of a list as compact JSON, for spaces and hits. */
const FILE_MAX_BYTES = 512 * 1024;

/** @returns the property of `--property`, or the installation @throws CommandError if there is no such property */
async function requireScope(context: Context, { stores }: Services): Promise<RuleScope> {
  const text = textOption(context, 'property');
  if (text === undefined) return 'installation';
  const property = await stores.properties.bySitekey(unwrap(parseSitekey(text)));
  return property === undefined ? unwrap({ ok: false, problem: 'property-gone' }) : property.id;
}

/** The first positional argument. The use case rejects a text that is not the id of a rule. */
function requireRuleId(context: Context): RuleId {
  return requireOperand(context, 'RULE_ID').toLowerCase() as RuleId;
}

/** Reads a JSON file; `-` is standard input. @throws CommandError if it cannot be read, is too large, or is not JSON */
async function readJsonFile(file: string, { input }: Context): Promise<unknown> {
  const bytes = await readBytes(file, input);
  if (bytes === undefined) throw new CommandError(`${file} is larger than 512 KiB`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new CommandError(`${file} is not valid JSON: ${reasonOf(cause)}`, { cause });
  }
}

async function readBytes(file: string, input: Context['input']): Promise<Uint8Array | undefined> {
  try {
    return await readBounded(file === '-' ? input() : Bun.file(file).stream(), FILE_MAX_BYTES);
  } catch (cause) {
    throw new CommandError(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

type Change =
  | { readonly ok: true; readonly value: Parameters<typeof toRuleDocument>[0] }
  | { readonly ok: false; readonly problem: Problem; readonly errors?: readonly RuleError[] };

/** @returns the rules after a change @throws CommandError with all errors of the rules, one on each line */
function requireChange(change: Change): RuleDocument {
  if (change.ok) return toRuleDocument(change.value);
  const lines = (change.errors ?? []).map(describeError);
  if (lines.length === 0) throw new CommandError(PROBLEMS[change.problem].sentence);
  throw new CommandError(`nothing was changed, because the rules have errors:\n${lines.join('\n')}`);
}

function describeError(error: RuleError): string {
  const path = pathOfError(error);
  const character = error.offset === undefined ? '' : `, character ${error.offset + 1}`;
  return `  ${path === '' ? '' : `${path}${character}: `}${sentenceOfError(error)}`;
}

const COLUMNS = ['position', 'id', 'name', 'action', 'mode', 'conditions', 'hits', 'last_hit_at'] as const;

/** Maximum length of the conditions in a table. `--json` prints all of them. */
const CONDITIONS_MAX_LENGTH = 60;

/** Prints a list of rules: as the document of the Platform API, or as a table. */
function printRules(context: Context, document: RuleDocument): void {
  if (context.isJson) context.out(JSON.stringify(document));
  else if (document.rules.length === 0) context.out('There are no rules.');
  else printRows(context, document.rules.map(toRow), COLUMNS);
}

function toRow(rule: RuleDocument['rules'][number], index: number) {
  const { id = '', name, hits, last_hit_at } = rule;
  return {
    position: index + 1,
    id,
    name,
    action: actionOf(rule),
    mode: modeOf(rule),
    conditions: conditionsOf(rule),
    hits,
    last_hit_at,
  };
}

/** @returns for example `adjust +16` */
function actionOf({ action, levels, level }: Pick<WireRule, 'action' | 'levels' | 'level'>): string {
  if (levels !== undefined) return `${action} ${levels < 0 ? '' : '+'}${levels}`;
  return level === undefined ? action : `${action} ${level}`;
}

function modeOf({ enabled, dry_run }: WireRule): string {
  if (!enabled) return 'disabled';
  return dry_run ? 'dry run' : 'active';
}

/** @returns for example `networks=192.0.2.0/24,198.51.100.7 paths=/login*` */
function conditionsOf({ conditions }: WireRule): string {
  const text = Object.entries(conditions)
    .map(([name, entries]) => `${name}=${entries.slice(0, 10).join(',')}`)
    .join(' ');
  return text.length <= CONDITIONS_MAX_LENGTH ? text : `${text.slice(0, CONDITIONS_MAX_LENGTH - 1)}…`;
}

const PROPERTY = 'Sitekey of the property that has the rules. Default: the rules of the installation.';

const ruleList = createRuleCommand('list', {
  summary:
    'Lists the rules of the installation or of a property with their hits, in the order of evaluation.',
  example: 'postern rules list --property aea467bc315688bf55ff632df525dda8',
  parse: () => (rules, scope) => rules.list(COMMAND_LINE, scope),
});

const ruleSet = createRuleCommand('set', {
  usage: 'FILE',
  summary:
    'Replaces all rules with those in a JSON file: an array of rules, or the output of `rules list --json`. `-` is standard input.',
  example: 'postern rules set rules.json',
  async parse(context) {
    const file = requireOperand(context, 'FILE');
    const given = readRuleFile(await readJsonFile(file, context));
    if (!given.ok) {
      const unknown = given.unknown === undefined ? '' : `; the member ${given.unknown} is unknown`;
      throw new CommandError(
        `${file} must be an array of rules, or an object with the members rules and revision${unknown}`,
      );
    }
    const { revision } = given;
    return (rules, scope) => rules.replace(COMMAND_LINE, scope, given.rules, { revision });
  },
});

/** Positions on the command line, from 1. */
const POSITIONS = { min: 1, max: RULE_LIMITS.rules } as const;

const ruleAdd = createRuleCommand('add', {
  usage: 'FILE [--position N]',
  summary:
    'Adds the rule in a JSON file. `-` is standard input. Positions start at 1. Without a position, the rule becomes the last one.',
  options: { position: 'Position of the rule, from 1. Default: after the last rule.' },
  example: 'postern rules add rule.json --position 1',
  async parse(context) {
    const rule = withoutHits(await readJsonFile(requireOperand(context, 'FILE'), context));
    const position = wholeNumberOption(context, 'position', POSITIONS);
    const options = position === undefined ? {} : { position: position - 1 };
    return (rules, scope) => rules.add(COMMAND_LINE, scope, rule, options);
  },
});

const ruleUpdate = createRuleCommand('update', {
  usage: 'RULE_ID FILE',
  summary:
    'Replaces a rule with the one in a JSON file. The rule keeps its position and its hits. `-` is standard input.',
  example: 'postern rules update 6f1c2a90b7e4d358 rule.json',
  async parse(context) {
    const id = requireRuleId(context);
    const [, file = ''] = context.operands;
    if (file === '') throw new UsageError('FILE is missing');
    const rule = withoutHits(await readJsonFile(file, context));
    return (rules, scope) => rules.update(COMMAND_LINE, scope, id, rule);
  },
});

const ruleMove = createRuleCommand('move', {
  usage: 'RULE_ID --position N',
  summary: 'Moves a rule to a position. Positions start at 1. The order of the other rules stays the same.',
  options: { position: 'New position of the rule, from 1.' },
  example: 'postern rules move 6f1c2a90b7e4d358 --position 1',
  parse(context) {
    const id = requireRuleId(context);
    const position = requireWholeNumber(context, 'position', POSITIONS);
    return (rules, scope) => rules.move(COMMAND_LINE, scope, id, position - 1);
  },
});

const ruleRemove = createRuleCommand('remove', {
  usage: 'RULE_ID',
  summary: 'Deletes a rule and its hits.',
  example: 'postern rules remove 6f1c2a90b7e4d358',
  parse(context) {
    const id = requireRuleId(context);
    return (rules, scope) => rules.remove(COMMAND_LINE, scope, id);
  },
});

type ListCommand = Pick<Command, 'summary' | 'options' | 'example'> & {
  /** The arguments before `--property`; none by default. */
  readonly usage?: string;
  /** Reads the arguments before the data is opened. @returns what reads or changes the list */
  parse(context: Context): Awaitable<(rules: Services['rules'], scope: RuleScope) => Promise<Change>>;
};

/** A command that reads or changes the rules of the installation or of a property and prints them. */
function createRuleCommand(verb: string, { usage = '', parse, options, ...texts }: ListCommand): Command {
  return {
    name: `rules ${verb}`,
    usage: `${usage} [--property SITEKEY]`.trimStart(),
    options: { ...options, property: PROPERTY },
    ...texts,
    async run(context) {
      const run = await parse(context);
      return withServices(context, async (services) => {
        const scope = await requireScope(context, services);
        printRules(context, requireChange(await run(services.rules, scope)));
      });
    },
  };
}

const ASN = { min: 1, max: 4_294_967_294 } as const;

const ruleTest: Command = {
  name: 'rules test',
  usage:
    '[--property SITEKEY] [--address IP] [--user-agent UA] [--header "NAME: VALUE"]... [--path PATH] [--country CC] [--asn N] [--downgrade KIND]',
  summary: 'Shows what would happen to a request for a puzzle. Counts nothing and changes nothing.',
  options: {
    property: 'Sitekey of the property. Default: only the rules of the installation.',
    address: 'Client address. Default: none, so no rule for networks matches.',
    'user-agent': '`User-Agent` header of the request. Default: none.',
    header: 'Another header of the request; repeat the option for more headers. Default: none.',
    path: 'Path of the page. Default: none.',
    country: 'Two-letter code of the country. Default: the country of the address in the GeoIP files.',
    asn: 'Number of the autonomous system. Default: that of the address in the GeoIP files.',
    downgrade: `Kind of work from which the puzzle is downgraded: ${DOWNGRADES.join(' or ')}. Default: none.`,
  },
  example: 'postern rules test --address 198.51.100.7 --path /login',
  async run(context) {
    const request = {
      address: textOption(context, 'address'),
      userAgent: textOption(context, 'user-agent'),
      headers: parseHeaders(context),
      path: textOption(context, 'path'),
      country: parseCountry(context),
      asn: wholeNumberOption(context, 'asn', ASN),
      downgrade: parseDowngrade(context),
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

/** @throws UsageError if puzzles of this kind of work are not downgraded */
function parseDowngrade(context: Context): Downgrade | undefined {
  const text = textOption(context, 'downgrade');
  const kind = downgradeOf(text);
  if (text === undefined || kind !== undefined) return kind;
  throw new UsageError(`--downgrade must be ${DOWNGRADES.join(' or ')}, not ${JSON.stringify(text)}`);
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

/** The commands for rules, in the order of `postern help`. */
export const ruleCommands: readonly Command[] = [
  ruleList,
  ruleSet,
  ruleAdd,
  ruleUpdate,
  ruleMove,
  ruleRemove,
  ruleTest,
];
