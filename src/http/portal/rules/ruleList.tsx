import type { CountedRule, CountedRules } from '../../../platform/rules/rules.ts';
import type { Children, Element } from '../../jsx/elements.ts';
import { EmptyState } from '../components/emptyState.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { grouped } from '../components/numbers.ts';
import { Pager, Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { t } from '../i18n/t.ts';
import { TOKEN_FIELD } from '../kit/csrf.ts';
import { pageNumberOf, withQuery } from '../kit/formData.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { GeoipCard } from './geoipCard.tsx';
import { ruleAccessLost } from './ruleErrors.ts';
import { EXAMPLE_NAMES } from './ruleExamples.ts';
import { type RulePlace, rulePath } from './rulePlace.tsx';
import { ActionBadge, ConditionsSentence, ModeBadge, modeOf } from './ruleSummary.tsx';

/** Rules on a page, so that the page of a full list stays small. */
const PAGE_SIZE = 50;

/** The path of the page that shows a rule. @param index of the rule in the list */
export function pagePathOf({ path }: RulePlace, index: number): string {
  return index < PAGE_SIZE ? path : withQuery(path, { page: String(Math.floor(index / PAGE_SIZE)) });
}

/** The list of rules. */
export async function showRules(place: RulePlace, deps: PortalDeps, errors: FieldErrors = []) {
  const found = await deps.rules.list(place.visit.actor, place.scope);
  if (!found.ok) return ruleAccessLost(place, found.problem);
  const list = found.value;
  const isOfInstallation = place.scope === 'installation';
  const content = (
    <>
      <p class="intro">{t(isOfInstallation ? 'rules.introInstallation' : 'rules.introProperty')}</p>
      {list.rules.length === 0 ? <Examples place={place} /> : <RuleTable place={place} list={list} />}
      {isOfInstallation && <GeoipCard status={deps.rules.geoip()} />}
    </>
  );
  return place.show({ content, actions: <Actions place={place} />, errors });
}

function Actions({ place: { path } }: { readonly place: RulePlace }): Element {
  return (
    <>
      <a class="button quiet" href={`${path}/json`}>
        {t('rules.json')}
      </a>
      <a class="button quiet" href={`${path}/test`}>
        {t('rules.test')}
      </a>
      <a class="button" href={`${path}/new`}>
        <Icon name="add" /> {t('rules.create')}
      </a>
    </>
  );
}

/** Replaces an empty list: examples that fill in the form for a new rule. */
function Examples({ place: { path } }: { readonly place: RulePlace }): Element {
  return (
    <EmptyState
      icon="filter"
      title={t('rules.empty.title')}
      text={t('rules.empty.text')}
      action={
        <ul class="rule-examples">
          {EXAMPLE_NAMES.map((name) => (
            <li>
              <a href={withQuery(`${path}/new`, { example: name })}>
                <strong>{t(`rules.examples.${name}.title`)}</strong>
                <span class="soft">{t(`rules.examples.${name}.text`)}</span>
              </a>
            </li>
          ))}
        </ul>
      }
    />
  );
}

/** A page of the rules. One form contains all buttons. */
function RuleTable({ place, list }: { readonly place: RulePlace; readonly list: CountedRules }): Element {
  const { visit, path } = place;
  const { rules } = list;
  const lastPage = Math.max(0, Math.ceil(rules.length / PAGE_SIZE) - 1);
  const page = Math.min(pageNumberOf(visit.query), lastPage);
  const start = page * PAGE_SIZE;
  return (
    <section class="card">
      <form method="post" action={`${path}/change`} class="plain">
        <input type="hidden" name={TOKEN_FIELD} value={visit.formToken} />
        <Table
          caption={t('rules.caption')}
          head={[
            t('rules.columns.order'),
            t('rules.columns.rule'),
            t('rules.columns.action'),
            t('rules.columns.mode'),
            t('rules.columns.hits'),
            t('rules.columns.lastHit'),
            t('rules.columns.change'),
          ]}
          numeric={[4]}
          rows={rules
            .slice(start, start + PAGE_SIZE)
            .map((rule, index) => rowOf(place, rule, start + index, rules.length))}
          empty=""
        />
      </form>
      <p class="help">{t('rules.hitsNote')}</p>
      <Pager page={page} hasMore={page < lastPage} pathOf={(at) => pagePathOf(place, at * PAGE_SIZE)} />
    </section>
  );
}

function rowOf(place: RulePlace, rule: CountedRule, index: number, length: number): readonly Children[] {
  const { name, action, conditions, hits } = rule;
  const path = rulePath(place, rule);
  return [
    <Order rule={rule} index={index} length={length} />,
    <div class="rule">
      <a href={path}>
        <bdi>{name}</bdi>
      </a>
      <span class="soft">
        <ConditionsSentence conditions={conditions} />
      </span>
    </div>,
    <ActionBadge action={action} />,
    <ModeBadge mode={modeOf(rule)} />,
    grouped(hits?.hits ?? 0),
    hits === undefined ? <span class="soft">{t('rules.never')}</span> : <Moment instant={hits.lastHitAt} />,
    <ModeButton rule={rule} />,
  ];
}

/** The number of a rule, and the buttons that move it. */
function Order(props: {
  readonly rule: CountedRule;
  readonly index: number;
  readonly length: number;
}): Element {
  const { rule, index, length } = props;
  const { id, name } = rule;
  return (
    <div class="rule-order">
      <span>{index + 1}</span>
      <button
        type="submit"
        class="quiet small"
        name="up"
        value={id}
        disabled={index === 0}
        aria-label={t('rules.moveUp', { name })}
      >
        <Icon name="up" />
      </button>
      <button
        type="submit"
        class="quiet small"
        name="down"
        value={id}
        disabled={index === length - 1}
        aria-label={t('rules.moveDown', { name })}
      >
        <Icon name="down" />
      </button>
    </div>
  );
}

/** Activates a rule, or starts a dry run of an active one. */
function ModeButton({ rule }: { readonly rule: CountedRule }): Element {
  const { id, name } = rule;
  const isActive = modeOf(rule) === 'active';
  return (
    <button
      type="submit"
      class="quiet small"
      name={isActive ? 'dry_run' : 'activate'}
      value={id}
      aria-label={t(isActive ? 'rules.startDryRunNamed' : 'rules.activateNamed', { name })}
    >
      {t(isActive ? 'rules.startDryRun' : 'rules.activate')}
    </button>
  );
}
