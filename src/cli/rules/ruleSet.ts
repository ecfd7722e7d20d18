import { COMMAND_LINE } from '../../model/actor.ts';
import { readRuleFile } from '../../model/rules/ruleDocument.ts';
import { type Command, CommandError } from '../command.ts';
import { requireOperand } from '../options.ts';
import { withServices } from '../withServices.ts';
import { readJsonFile, requireChange, requireScope, SCOPE_OPTION } from './ruleScope.ts';
import { printRules } from './ruleTable.ts';

/** `postern rules set`. */
export const ruleSet: Command = {
  name: 'rules set',
  usage: 'FILE [--property SITEKEY]',
  summary:
    'Replaces all rules with those in a JSON file: an array of rules, or the output of `rules list --json`. `-` is standard input.',
  options: SCOPE_OPTION,
  operands: 1,
  async run(context) {
    const file = requireOperand(context, 'FILE');
    const given = readRuleFile(await readJsonFile(file, context));
    if (given === undefined)
      throw new CommandError(
        `${file} must be an array of rules, or an object with the members rules and revision`,
      );
    return withServices(context, async (services) => {
      const scope = await requireScope(context, services);
      const { revision } = given;
      printRules(
        context,
        requireChange(await services.rules.replace(COMMAND_LINE, scope, given.rules, { revision })),
      );
    });
  },
};
