import { COMMAND_LINE } from '../../model/actor.ts';
import { toRuleDocument } from '../../model/rules/ruleDocument.ts';
import type { Command } from '../command.ts';
import { unwrap } from '../options.ts';
import { withServices } from '../withServices.ts';
import { requireScope, SCOPE_OPTION } from './ruleScope.ts';
import { printRules } from './ruleTable.ts';

/** `postern rules list`. */
export const ruleList: Command = {
  name: 'rules list',
  usage: '[--property SITEKEY]',
  summary:
    'Lists the rules of the installation or of a property with their hits, in the order of evaluation.',
  options: SCOPE_OPTION,
  async run(context) {
    return withServices(context, async (services) => {
      const scope = await requireScope(context, services);
      printRules(context, toRuleDocument(unwrap(await services.rules.list(COMMAND_LINE, scope))));
    });
  },
};
