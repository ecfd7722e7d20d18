import type { WireRule } from '../../model/rules/parseRules.ts';
import type { RuleDocument } from '../../model/rules/ruleDocument.ts';
import type { Context } from '../command.ts';
import { printRows } from '../output.ts';

const COLUMNS = ['position', 'id', 'name', 'action', 'mode', 'conditions', 'hits', 'last_hit_at'] as const;

/** Maximum length of the conditions in a table. `--json` prints all of them. */
const CONDITIONS_MAX_LENGTH = 60;

/** Prints a list of rules: as the document of the Platform API, or as a table. */
export function printRules(context: Context, document: RuleDocument): void {
  if (context.isJson) {
    context.out(JSON.stringify(document));
    return;
  }
  if (document.rules.length === 0) context.out('There are no rules.');
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
export function actionOf({ action, levels, level }: Pick<WireRule, 'action' | 'levels' | 'level'>): string {
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
