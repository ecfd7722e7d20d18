import { toWireRule } from '../../model/rules/parseRules.ts';
import { CONDITION_NAMES, type Rule, type RuleAction, type RuleCondition } from '../../model/rules/rule.ts';

/** Maximum number of changes that a summary lists. */
const MAX_CHANGES = 8;

/** Summarizes a change of a list of rules for the audit log: `added "Bots" (block, user_agents 2); moved rules`. */
export function summarizeChange(before: readonly Rule[], after: readonly Rule[]): string {
  const old = new Map(before.map((rule) => [rule.id, rule]));
  const kept = new Set(after.map(({ id }) => id));
  const changes = [
    ...before.filter(({ id }) => !kept.has(id)).map((rule) => `removed "${rule.name}" (${describe(rule)})`),
    ...after.flatMap((rule) => {
      const stored = old.get(rule.id);
      return stored === undefined ? [`added "${rule.name}" (${describe(rule)})`] : changeOf(stored, rule);
    }),
    ...(isReordered(before, after) ? ['moved rules'] : []),
  ];
  const rest = changes.length - MAX_CHANGES;
  const listed = changes.slice(0, MAX_CHANGES).join('; ');
  return rest > 0 ? `${listed}; ${rest} more changes` : listed || 'no changes';
}

/** @returns no text if the rule has not changed */
function changeOf(before: Rule, after: Rule): readonly string[] {
  const [was, is] = [JSON.stringify(toWireRule(before)), JSON.stringify(toWireRule(after))];
  if (was === is) return [];
  const renamed = before.name === after.name ? '' : ` to "${after.name}"`;
  const [from, to] = [describe(before), describe(after)];
  // The numbers of entries can be equal although the entries differ.
  const detail = from === to ? (renamed === '' ? `${to}, other entries` : to) : `${from} -> ${to}`;
  return [`changed "${before.name}"${renamed} (${detail})`];
}

/** Whether the rules that both lists have are in another order. */
function isReordered(before: readonly Rule[], after: readonly Rule[]): boolean {
  const [old, kept] = [new Set(before.map(({ id }) => id)), new Set(after.map(({ id }) => id))];
  const was = before.filter(({ id }) => kept.has(id));
  const is = after.filter(({ id }) => old.has(id));
  return was.some(({ id }, index) => is[index]?.id !== id);
}

/** Describes a rule without its name: `block, dry run, networks 2`. */
function describe({ action, isEnabled, isDryRun, conditions }: Rule): string {
  const lists = Object.entries(conditions).map(
    ([condition, entries]) => `${CONDITION_NAMES[condition as RuleCondition]} ${entries.length}`,
  );
  const states = [...(isEnabled ? [] : ['disabled']), ...(isDryRun ? ['dry run'] : [])];
  return [describeAction(action), ...states, ...lists].join(', ');
}

function describeAction(action: RuleAction): string {
  if (action.kind === 'adjust') return `adjust ${action.levels >= 0 ? '+' : ''}${action.levels}`;
  return action.kind === 'set' ? `set ${action.level}` : action.kind;
}
