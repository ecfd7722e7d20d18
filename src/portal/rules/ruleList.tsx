import type { Children } from '../../jsx/elements.ts';
import { foldName } from '../../model/name.ts';
import type { GeoipFile, GeoipStatus } from '../../model/rules/countries.ts';
import type { UseOfDay } from '../../platform/overview/useOverTime.ts';
import type { CountedRule } from '../../platform/rules/rules.ts';
import type { FieldErrors } from '../components/field.tsx';
import { ButtonLink, Form } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { Card, EmptyState, Pager, Table } from '../components/sections.tsx';
import { DayOfUse } from '../components/useOverTime.tsx';
import { Day, grouped, Moment, NameLink } from '../components/values.tsx';
import { t, texts } from '../i18n/t.tsx';
import { pageNumberOf } from '../kit/forms.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { accessLost } from '../kit/pages.tsx';
import { withQuery } from '../kit/paths.ts';
import { orderIn, unknownOrder } from '../kit/sorting.ts';
import { BLANK_RULE, type TypedRule } from './ruleFormData.ts';
import { type RulePlace, rulePath } from './rulePlace.tsx';
import { ActionBadge, ConditionsSentence, ModeBadge, modeOf, shortened } from './ruleSummary.tsx';

/** Rules per page. A page of the longest rules with hits then has at most 140 kB. */
const PAGE_SIZE = 20;

/** The path of the page that shows a rule. @param index of the rule in the list */
export function pagePathOf({ path }: RulePlace, index: number): string {
  return index < PAGE_SIZE ? path : withQuery(path, { page: String(Math.floor(index / PAGE_SIZE)) });
}

/** The list of rules. */
export async function showRules(place: RulePlace, deps: PortalDeps, errors: FieldErrors = []) {
  const order = orderIn(place.visit.query, RULE_ORDERS);
  if (order === undefined) return unknownOrder(place.visit);
  const found = await deps.rules.list(place.visit.actor, place.scope);
  if (!found.ok) return accessLost(place.visit, found.problem);
  const list = found.value;
  const isOfInstallation = place.scope === 'installation';
  const content = (
    <>
      <p class="intro">{t(isOfInstallation ? 'rules.introInstallation' : 'rules.introProperty')}</p>
      {list.rules.length === 0 ? examples(place) : await ruleTable(place, deps, list.rules, order)}
      {isOfInstallation && geoipCard(deps.rules.geoip())}
    </>
  );
  return place.show({ content, actions: actionsOf(place), errors });
}

function actionsOf({ path }: RulePlace) {
  return (
    <>
      <ButtonLink path={`${path}/json`} text={t('rules.json')} tone="quiet" />
      <ButtonLink path={`${path}/test`} text={t('rules.test')} tone="quiet" />
      <a class="button" href={`${path}/new`}>
        <Icon name="add" /> {t('rules.create')}
      </a>
    </>
  );
}

/** Replaces an empty list: examples that fill in the form for a new rule. */
function examples({ path }: RulePlace) {
  const links = (
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
  );
  return (
    <EmptyState icon="filter" title={t('rules.empty.title')} text={t('rules.empty.text')} action={links} />
  );
}

/** A page of the rules. One form contains all buttons. */
async function ruleTable(
  place: RulePlace,
  deps: PortalDeps,
  rules: readonly CountedRule[],
  order: RuleOrder,
) {
  const { visit, path } = place;
  const lastPage = Math.max(0, Math.ceil(rules.length / PAGE_SIZE) - 1);
  const page = Math.min(pageNumberOf(visit.query), lastPage);
  const start = page * PAGE_SIZE;
  const shown = sorted(rules, order).slice(start, start + PAGE_SIZE);
  const days = await deps.useOverTime.lastDaysOfRules(shown.map(({ rule }) => rule.id));
  const pathOf = (at: number, sort: string = order) =>
    withQuery(path, { ...(sort !== RULE_ORDERS[0] && { sort }), page: String(at) });
  return (
    <section class="card">
      <Form visit={visit} action={`${path}/change`} class="plain">
        <Table
          caption={t('rules.caption')}
          head={texts(
            'rules.columns',
            'order',
            'rule',
            'action',
            'mode',
            'lastDay',
            'hits',
            'lastHit',
            'change',
          )}
          numeric={[5]}
          nameColumn={1}
          sorting={{ columns: SORTED, order, pathOf: (sort) => pathOf(0, sort) }}
          rows={shown.map(({ rule, index }, at) =>
            rowOf(place, { rule, index, length: rules.length }, days[at]),
          )}
        />
      </Form>
      <p class="help">{t('rules.hitsNote')}</p>
      <Pager page={page} hasMore={page < lastPage} pathOf={(at) => pathOf(at)} />
    </section>
  );
}

const RULE_ORDERS = [
  'position_asc',
  'position_desc',
  'name_asc',
  'name_desc',
  'hits_desc',
  'hits_asc',
  'last_desc',
  'last_asc',
] as const;
type RuleOrder = (typeof RULE_ORDERS)[number];

/** The columns by which the list can be sorted. */
const SORTED = {
  0: ['position', 'asc'],
  1: ['name', 'asc'],
  5: ['hits', 'desc'],
  6: ['last', 'desc'],
} as const;

/** A rule and its index in the order of evaluation. */
type PlacedRule = { readonly rule: CountedRule; readonly index: number };

const COMPARE: Readonly<
  Record<'position' | 'name' | 'hits' | 'last', (a: PlacedRule, b: PlacedRule) => number>
> = {
  position: (a, b) => a.index - b.index,
  name: ({ rule: a }, { rule: b }) =>
    Number(foldName(a.name) > foldName(b.name)) - Number(foldName(a.name) < foldName(b.name)),
  hits: (a, b) => (a.rule.hits?.hits ?? 0) - (b.rule.hits?.hits ?? 0),
  last: (a, b) => (a.rule.hits?.lastHitAt ?? 0) - (b.rule.hits?.lastHitAt ?? 0),
};

function sorted(rules: readonly CountedRule[], order: RuleOrder): readonly PlacedRule[] {
  const [column, direction] = order.split('_') as [keyof typeof COMPARE, 'asc' | 'desc'];
  const sign = direction === 'asc' ? 1 : -1;
  return rules
    .map((rule, index) => ({ rule, index }))
    .sort((a, b) => sign * COMPARE[column](a, b) || a.index - b.index);
}

function rowOf(
  place: RulePlace,
  { rule, index, length }: PlacedRule & { readonly length: number },
  day: UseOfDay | undefined,
): readonly Children[] {
  const { name, action, conditions, hits } = rule;
  const path = rulePath(place, rule);
  return [
    order(rule, index, length),
    <div class="rule">
      <NameLink path={path} name={name} />
      <span class="soft">
        <ConditionsSentence conditions={conditions} />
      </span>
    </div>,
    <ActionBadge action={action} />,
    <ModeBadge mode={modeOf(rule)} />,
    <DayOfUse day={day} />,
    grouped(hits?.hits ?? 0),
    hits === undefined ? <span class="soft">{t('rules.never')}</span> : <Moment instant={hits.lastHitAt} />,
    modeButton(rule),
  ];
}

function order({ id, name: fullName }: CountedRule, index: number, length: number) {
  const name = shortened(fullName);
  const button = (direction: 'up' | 'down', isDisabled: boolean, label: string) => (
    <button
      type="submit"
      class="quiet small"
      name={direction}
      value={id}
      disabled={isDisabled}
      aria-label={label}
    >
      <Icon name={direction} />
    </button>
  );
  return (
    <div class="rule-order">
      <span>{index + 1}</span>
      {button('up', index === 0, t('rules.moveUp', { name }))}
      {button('down', index === length - 1, t('rules.moveDown', { name }))}
    </div>
  );
}

/** Activates a rule, or starts a dry run of an active one. */
function modeButton(rule: CountedRule) {
  const { id } = rule;
  const name = shortened(rule.name);
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

function geoipCard({ files }: GeoipStatus) {
  return (
    <Card title={t('rules.geoip.title')}>
      {files.length === 0 ? (
        <p>{t('rules.geoip.none')}</p>
      ) : (
        <Table
          caption={t('rules.geoip.caption')}
          head={texts('rules.geoip', 'path', 'type', 'built', 'state')}
          rows={files.map(geoipRowOf)}
        />
      )}
    </Card>
  );
}

function geoipRowOf({ path, type, builtAt, failure }: GeoipFile): readonly Children[] {
  return [
    <code>{path}</code>,
    type ?? t('rules.geoip.unknown'),
    builtAt === undefined ? t('rules.geoip.unknown') : <Day instant={builtAt} />,
    stateOf(failure, type !== undefined),
  ];
}

function stateOf(failure: string | undefined, wasRead: boolean) {
  if (failure === undefined) return <span class="badge good">{t('rules.geoip.loaded')}</span>;
  const reason = failure;
  return <span class="error">{t(wasRead ? 'rules.geoip.outdated' : 'rules.geoip.failed', { reason })}</span>;
}

/** Rules with which the form for a new rule can start. The networks are those of documentation (RFC 5737). */
const EXAMPLES = {
  monitoring: { networks: '192.0.2.10', action: 'allow', mode: 'active' },
  network: { networks: '198.51.100.0/24', action: 'block', mode: 'dry_run' },
  country: { countries: 'US', paths: '/login*', action: 'adjust', levels: '16', mode: 'dry_run' },
} as const satisfies Readonly<Record<string, Partial<TypedRule>>>;

type ExampleName = keyof typeof EXAMPLES;

const EXAMPLE_NAMES = Object.keys(EXAMPLES) as readonly ExampleName[];

/** @returns the fields of an example; those of an empty form for any other name */
export function exampleRule(name: string): TypedRule {
  const known = EXAMPLE_NAMES.find((one) => one === name);
  if (known === undefined) return BLANK_RULE;
  return { ...BLANK_RULE, name: t(`rules.examples.${known}.name`), ...EXAMPLES[known] };
}
