import type { Children } from '../../jsx/elements.ts';
import type { FieldErrors } from '../components/field.tsx';
import { t } from '../i18n/t.ts';
import { TOKEN_FIELD } from '../kit/csrf.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { formErrorsOf, ruleAccessLost } from './ruleErrors.ts';
import { exampleRule } from './ruleExamples.ts';
import { positionOf, RuleFields } from './ruleForm.tsx';
import { type TypedRule, typedRuleIn, wireRuleOf } from './ruleFormData.ts';
import type { RulePlace } from './rulePlace.tsx';

/** The form for a new rule. The query can have `example`. */
export async function showNewRule(
  place: RulePlace,
  deps: PortalDeps,
  typed: TypedRule = exampleRule(fieldOf(place.visit.query, 'example')),
  errors: FieldErrors = [],
) {
  const list = await deps.rules.list(place.visit.actor, place.scope);
  if (!list.ok) return ruleAccessLost(place, list.problem);
  const content = (
    <RuleForm place={place} action={`${place.path}/new`} button={t('rules.create')}>
      <RuleFields typed={typed} errors={errors} geoip={deps.rules.geoip()} list={list.value} />
    </RuleForm>
  );
  return place.show({ title: t('rules.form.createTitle'), content, errors });
}

export async function createRule(place: RulePlace, deps: PortalDeps) {
  const typed = typedRuleIn(place.visit.form);
  const added = await deps.rules.add(place.visit.actor, place.scope, wireRuleOf(typed), {
    acceptsText: true,
    position: positionOf(typed),
  });
  if (!added.ok) return showNewRule(place, deps, typed, formErrorsOf(added, typed));
  return redirectWithNotice(deps, place.path, t('rules.created', { name: typed.name.trim() }));
}

/** A form of any size: a condition can have thousands of entries. */
export function RuleForm(props: {
  readonly place: RulePlace;
  readonly action: string;
  readonly button: string;
  readonly children?: Children;
}) {
  const { place, action, button, children } = props;
  return (
    <form method="post" action={action} enctype="multipart/form-data" class="plain">
      <input type="hidden" name={TOKEN_FIELD} value={place.visit.formToken} />
      {children}
      <div class="buttons">
        <button type="submit" class="main">
          {button}
        </button>
        <a class="button quiet" href={place.path}>
          {t('components.cancel')}
        </a>
      </div>
    </form>
  );
}
