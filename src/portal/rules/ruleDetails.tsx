import { toWireRule } from '../../model/rules/parseRules.ts';
import type { RuleId } from '../../model/rules/rule.ts';
import type { CountedRule } from '../../platform/rules/rules.ts';
import { formState } from '../components/field.tsx';
import { ConfirmButton } from '../components/form.tsx';
import { Card, DescriptionList } from '../components/sections.tsx';
import { useCard } from '../components/useOverTime.tsx';
import { grouped, Moment } from '../components/values.tsx';
import { t } from '../i18n/t.tsx';
import { fieldOf } from '../kit/forms.ts';
import type { NamedRule, PortalDeps } from '../kit/handler.ts';
import { accessLost, notFound, redirectWithNotice } from '../kit/pages.tsx';
import { positionOf, RuleForm, ruleFields } from './ruleForm.tsx';
import { rejectedRule, suggestedRule, typedRuleIn, typedRuleOf, wireRuleOf } from './ruleFormData.ts';
import { exampleRule, pagePathOf, showRules } from './ruleList.tsx';
import { type RulePlace, rulePath } from './rulePlace.tsx';
import { ActionBadge, ConditionsSentence, ModeBadge, modeOf } from './ruleSummary.tsx';

/** The form for a new rule. The query can have `example`, or the members of `TrafficFacts`. */
export async function showNewRule(
  place: RulePlace,
  deps: PortalDeps,
  form = formState(suggestedRule(place.visit.query) ?? exampleRule(fieldOf(place.visit.query, 'example'))),
) {
  const list = await deps.rules.list(place.visit.actor, place.scope);
  if (!list.ok) return accessLost(place.visit, list.problem);
  const content = (
    <RuleForm place={place} action={`${place.path}/new`} button={t('rules.create')}>
      {ruleFields(form, deps, list.value)}
    </RuleForm>
  );
  return place.show({ title: t('rules.form.createTitle'), content, errors: form.errors });
}

export async function createRule(place: RulePlace, deps: PortalDeps) {
  const typed = typedRuleIn(place.visit.form);
  const added = await deps.rules.add(place.visit.actor, place.scope, wireRuleOf(typed), {
    acceptsText: true,
    position: positionOf(typed),
  });
  if (!added.ok) return showNewRule(place, deps, rejectedRule(typed, added));
  return redirectWithNotice(deps, place.path, t('rules.created', { name: typed.name.trim() }));
}

/** A rule with its hits and its form. */
export async function showRule(
  place: RulePlace,
  named: NamedRule,
  deps: PortalDeps,
  form = formState(typedRuleOf(named.rule)),
) {
  const { rule, list } = named;
  const path = rulePath(place, rule);
  const content = (
    <>
      {ruleFacts(named)}
      {await hitsCard(place, rule.id, deps)}
      <RuleForm place={place} action={path} button={t('rules.form.save')}>
        <input type="hidden" name="revision" value={String(list.revision)} />
        {ruleFields(form, deps)}
      </RuleForm>
      <section class="card danger-zone">
        <h2>{t('rules.delete.title')}</h2>
        <p>{t('rules.delete.text')}</p>
        <ConfirmButton
          visit={place.visit}
          action={`${path}/delete`}
          id="delete"
          button={t('rules.delete.button')}
          title={t('rules.delete.question', { name: rule.name })}
        >
          <p>{t('rules.delete.consequence')}</p>
        </ConfirmButton>
      </section>
    </>
  );
  return place.show({ title: rule.name, content, errors: form.errors });
}

function ruleFacts({ rule, index }: NamedRule) {
  const { id, action, conditions, hits } = rule;
  const lastHit = hits === undefined ? t('rules.never') : <Moment instant={hits.lastHitAt} />;
  return (
    <Card title={t('rules.facts.title', { number: index + 1 })}>
      <p>
        <ActionBadge action={action} /> <ModeBadge mode={modeOf(rule)} />{' '}
        <ConditionsSentence conditions={conditions} />
      </p>
      <DescriptionList
        items={[
          [t('rules.columns.hits'), grouped(hits?.hits ?? 0)],
          [t('rules.columns.lastHit'), lastHit],
          [t('rules.facts.id'), <code>{id}</code>],
        ]}
      />
    </Card>
  );
}

function hitsCard({ visit, scope }: RulePlace, id: RuleId, { useOverTime }: PortalDeps) {
  return useCard({
    title: t('rules.facts.hits'),
    help: t('rules.facts.hitsHelp'),
    columns: ['hits'],
    async load(range) {
      const report = await useOverTime.ofRule(visit.actor, scope, id, range);
      return report.ok ? report.value : undefined;
    },
  });
}

/** Changes a rule, unless another user has changed the list since the form was shown. */
export async function changeRule(place: RulePlace, named: NamedRule, deps: PortalDeps) {
  const { form, actor } = place.visit;
  const typed = typedRuleIn(form);
  const options = { acceptsText: true, revision: revisionIn(form) };
  const changed = await deps.rules.update(actor, place.scope, named.rule.id, wireRuleOf(typed), options);
  if (changed.ok) return redirectWithNotice(deps, place.path, t('rules.saved', { name: typed.name.trim() }));
  if (changed.problem === 'rule-unknown') return notFound(place.visit);
  return showRule(place, named, deps, rejectedRule(typed, changed));
}

/** @returns undefined if the form has no valid revision: then the change is made in any case */
function revisionIn(form: URLSearchParams): number | undefined {
  const text = fieldOf(form, 'revision');
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export async function deleteRule(place: RulePlace, { rule }: NamedRule, deps: PortalDeps) {
  const removed = await deps.rules.remove(place.visit.actor, place.scope, rule.id);
  if (!removed.ok && removed.problem !== 'rule-unknown')
    return showRules(place, deps, rejectedRule(typedRuleOf(rule), removed).errors);
  return redirectWithNotice(deps, place.path, t('rules.deleted', { name: rule.name }));
}

/**
 * The buttons of the list: moves a rule (`up`, `down`), activates it, or starts a dry run. The value of the button is the id of the
 * rule.
 */
export async function changeRuleState(place: RulePlace, deps: PortalDeps) {
  const { actor, form } = place.visit;
  const button = BUTTONS.find((name) => form.has(name));
  const list = await deps.rules.list(actor, place.scope);
  const rules = list.ok ? list.value.rules : [];
  const index = rules.findIndex(({ id }) => id === fieldOf(form, button ?? ''));
  const rule = rules[index];
  if (button === undefined || rule === undefined) return notFound(place.visit);
  const { id, name } = rule;
  if (button === 'activate' || button === 'dry_run') {
    const isDryRun = button === 'dry_run';
    const wanted = { ...toWireRule(rule), enabled: true, dry_run: isDryRun };
    const changed = await deps.rules.update(actor, place.scope, id, wanted);
    if (!changed.ok) return showRules(place, deps, rejectedRule(typedRuleOf(rule), changed).errors);
    const notice = t(isDryRun ? 'rules.nowDryRun' : 'rules.nowActive', { name });
    return redirectWithNotice(deps, pagePathOf(place, index), notice);
  }
  return moveRule(place, deps, rule, Math.max(0, button === 'up' ? index - 1 : index + 1));
}

const BUTTONS = ['up', 'down', 'activate', 'dry_run'] as const;

async function moveRule(place: RulePlace, deps: PortalDeps, { id, name }: CountedRule, position: number) {
  const moved = await deps.rules.move(place.visit.actor, place.scope, id, position);
  if (!moved.ok) return showRules(place, deps, [{ text: t(`problems.${moved.problem}`) }]);
  const number = moved.value.rules.findIndex((one) => one.id === id) + 1;
  return redirectWithNotice(deps, pagePathOf(place, number - 1), t('rules.moved', { name, number }));
}
