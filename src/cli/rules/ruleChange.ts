import { COMMAND_LINE } from '../../model/actor.ts';
import { withoutHits } from '../../model/rules/ruleDocument.ts';
import { type Command, UsageError } from '../command.ts';
import { requireWholeNumber } from '../options.ts';
import { withServices } from '../withServices.ts';
import { POSITIONS } from './ruleAdd.ts';
import { readJsonFile, requireChange, requireRuleId, requireScope, SCOPE_OPTION } from './ruleScope.ts';
import { printRules } from './ruleTable.ts';

/** `postern rules update`. */
export const ruleUpdate: Command = {
  name: 'rules update',
  usage: 'RULE_ID FILE [--property SITEKEY]',
  summary:
    'Replaces a rule with the one in a JSON file. The rule keeps its position and its hits. `-` is standard input.',
  options: SCOPE_OPTION,
  operands: 2,
  async run(context) {
    const id = requireRuleId(context);
    const [, file = ''] = context.operands;
    if (file === '') throw new UsageError('FILE is missing');
    const rule = withoutHits(await readJsonFile(file, context));
    return withServices(context, async (services) => {
      const scope = await requireScope(context, services);
      printRules(context, requireChange(await services.rules.update(COMMAND_LINE, scope, id, rule)));
    });
  },
};

/** `postern rules move`. */
export const ruleMove: Command = {
  name: 'rules move',
  usage: 'RULE_ID --position N [--property SITEKEY]',
  summary: 'Moves a rule to a position. Positions start at 1. The order of the other rules stays the same.',
  options: { ...SCOPE_OPTION, position: { type: 'string' } },
  operands: 1,
  async run(context) {
    const id = requireRuleId(context);
    const position = requireWholeNumber(context, 'position', POSITIONS);
    return withServices(context, async (services) => {
      const scope = await requireScope(context, services);
      printRules(context, requireChange(await services.rules.move(COMMAND_LINE, scope, id, position - 1)));
    });
  },
};

/** `postern rules remove`. */
export const ruleRemove: Command = {
  name: 'rules remove',
  usage: 'RULE_ID [--property SITEKEY]',
  summary: 'Deletes a rule and its hits.',
  options: SCOPE_OPTION,
  operands: 1,
  async run(context) {
    const id = requireRuleId(context);
    return withServices(context, async (services) => {
      const scope = await requireScope(context, services);
      printRules(context, requireChange(await services.rules.remove(COMMAND_LINE, scope, id)));
    });
  },
};
