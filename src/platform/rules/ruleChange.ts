import type { Random } from '../../lib/ids.ts';
import { isObject } from '../../lib/json.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Pacer } from '../../lib/pacer.ts';
import type { Clock } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import type { RuleReplacement, RuleStore } from '../../model/ports/rules.ts';
import type { Property } from '../../model/property.ts';
import { parseRulesInSteps, toWireRule } from '../../model/rules/parseRules.ts';
import type { Rule, RuleError, RuleId, RuleList, RuleScope } from '../../model/rules/rule.ts';
import { toRulesJson } from '../../model/rules/rulesJson.ts';
import type { EntryFor } from '../audit.ts';
import { summarizeChange } from './ruleSummary.ts';
import type { InvalidRules, RuleInput } from './rules.ts';

/** Returns the new list in the format of the API. */
export type Edit = (rules: readonly Rule[]) => Outcome<readonly unknown[], 'rule-unknown'>;

type ChangeProblem = 'rule-unknown' | 'rules-changed-meanwhile' | 'property-gone';

/** Changes the rules of a scope, whose access was checked. @param property undefined for the installation */
export type ChangeRules = (
  actor: Actor,
  scope: RuleScope,
  property: Property | undefined,
  input: RuleInput,
  edit: Edit,
) => Promise<Outcome<RuleList, ChangeProblem> | InvalidRules>;

/** A replacement before its rules are converted to text. */
type Prepared = Omit<RuleReplacement, 'json' | 'ids'> & { readonly rules: readonly Rule[] };

/** How often a change is repeated if another one changed the list in the meantime. */
const ATTEMPTS = 5;

/** @see ChangeRules */
export function createChangeRules(deps: {
  readonly store: Pick<RuleStore, 'list' | 'replace'>;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
  readonly pacer: Pick<Pacer, 'run'>;
}): ChangeRules {
  const { store } = deps;

  function toEntry(actor: Actor, property: Property | undefined, summary: string) {
    if (property === undefined)
      return deps.entryFor(actor, { action: 'installation-rules-changed', object: summary });
    const { organizationId, name, sitekey } = property;
    const object = `${name} (${sitekey}): ${summary}`;
    return deps.entryFor(actor, { action: 'property-rules-changed', organizationId, object });
  }

  /** @returns the replacement, which nothing has stored yet */
  async function prepare(
    actor: Actor,
    scope: RuleScope,
    property: Property | undefined,
    { revision, acceptsText = false }: RuleInput,
    edit: Edit,
  ): Promise<Outcome<Prepared, ChangeProblem> | InvalidRules> {
    const stored = await store.list(scope);
    if (revision !== undefined && revision !== stored.revision) return reject('rules-changed-meanwhile');
    const edited = edit(stored.rules);
    if (!edited.ok) return edited;
    const rules = await toRules(edited.value, stored.rules, acceptsText, deps);
    if (!rules.ok) return rules;
    const entry = await toEntry(actor, property, summarizeChange(stored.rules, rules.value));
    return done({ scope, rules: rules.value, revision: stored.revision, now: deps.clock(), entry });
  }

  async function write({ rules, ...rest }: Prepared) {
    const ids = rules.map(({ id }) => id);
    const replaced = await store.replace({ ...rest, json: toRulesJson(rules), ids });
    if (replaced.ok) return done({ revision: replaced.value, changedAt: rest.now, rules });
    const { problem } = replaced;
    return problem === 'rules-of-organization-too-large' ? toInvalid([{ problem }]) : reject(problem);
  }

  return async (actor, scope, property, input, edit) => {
    for (let attempt = 1; ; attempt++) {
      const replacement = await prepare(actor, scope, property, input, edit);
      if (!replacement.ok) return replacement;
      const replaced = await write(replacement.value);
      const isRepeated = !replaced.ok && replaced.problem === 'rules-changed-meanwhile';
      if (!isRepeated || input.revision !== undefined || attempt === ATTEMPTS) return replaced;
    }
  };
}

/** Parses rules, and gives each new rule an id. Rules with an id must exist. */
async function toRules(
  given: readonly unknown[],
  stored: readonly Rule[],
  acceptsText: boolean,
  { pacer, random }: { readonly pacer: Pick<Pacer, 'run'>; readonly random: Random },
): Promise<{ readonly ok: true; readonly value: readonly Rule[] } | InvalidRules> {
  const parsed = await pacer.run(parseRulesInSteps(given, { acceptsText }));
  if (!parsed.ok) return toInvalid(parsed.errors);
  const known = new Set(stored.map(({ id }) => id));
  const errors = parsed.value.flatMap(({ id }, rule): readonly RuleError[] =>
    id === undefined || known.has(id) ? [] : [{ problem: 'rule-id-unknown', rule, member: 'id' }],
  );
  if (errors.length > 0) return toInvalid(errors);
  const newId = () => random(new Uint8Array(8)).toHex() as RuleId;
  return done(parsed.value.map((rule) => ({ ...rule, id: rule.id ?? newId() })));
}

/** @param errors at least one */
export function toInvalid(errors: readonly RuleError[]): InvalidRules {
  return { ...reject('rules-invalid'), errors };
}

/** Adds a rule. */
export function insertRule(rule: unknown, position: number): Edit {
  return (rules) => done(rules.map<unknown>(toWireRule).toSpliced(Math.max(0, position), 0, rule));
}

/** Replaces a rule, which keeps its id. The parser rejects values that are not objects. */
export function updateRule(id: RuleId, rule: unknown): Edit {
  return edit(id, (rules, index) => rules.with(index, isObject(rule) ? { id, ...rule } : rule));
}

/** Moves a rule to another index. */
export function moveRule(id: RuleId, position: number): Edit {
  return edit(id, (rules, index) =>
    rules.toSpliced(index, 1).toSpliced(Math.max(0, position), 0, rules[index]),
  );
}

export function removeRule(id: RuleId): Edit {
  return edit(id, (rules, index) => rules.toSpliced(index, 1));
}

function edit(id: RuleId, change: (rules: readonly unknown[], index: number) => readonly unknown[]): Edit {
  return (rules) => {
    const index = rules.findIndex((each) => each.id === id);
    return index < 0 ? reject('rule-unknown') : done(change(rules.map(toWireRule), index));
  };
}
