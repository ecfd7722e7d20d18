import { COMMAND_LINE } from '../../model/actor.ts';
import { RULE_LIMITS } from '../../model/rules/rule.ts';
import { withoutHits } from '../../model/rules/ruleDocument.ts';
import type { Command } from '../command.ts';
import { requireOperand, wholeNumberOption } from '../options.ts';
import { withServices } from '../withServices.ts';
import { readJsonFile, requireChange, requireScope, SCOPE_OPTION } from './ruleScope.ts';
import { printRules } from './ruleTable.ts';

/** Positions on the command line, from 1. */
export const POSITIONS = { min: 1, max: RULE_LIMITS.rules } as const;

/** `postern rules add`. */
export const ruleAdd: Command = {
  name: 'rules add',
  usage: 'FILE [--position N] [--property SITEKEY]',
  summary:
    'Adds the rule in a JSON file. `-` is standard input. Positions start at 1. Without a position, the rule becomes the last one.',
  options: { ...SCOPE_OPTION, position: { type: 'string' } },
  operands: 1,
  async run(context) {
    const rule = withoutHits(await readJsonFile(requireOperand(context, 'FILE'), context));
    const position = wholeNumberOption(context, 'position', POSITIONS);
    const options = position === undefined ? {} : { position: position - 1 };
    return withServices(context, async (services) => {
      const scope = await requireScope(context, services);
      printRules(context, requireChange(await services.rules.add(COMMAND_LINE, scope, rule, options)));
    });
  },
};
