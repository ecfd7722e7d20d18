import type { Dimension, TrafficFacts } from '../../model/traffic.ts';
import { DIMENSIONS } from '../../model/traffic.ts';
import type { TrafficReport } from '../../platform/traffic/traffic.ts';
import { Card, Table } from '../components/sections.tsx';
import { countryName, grouped, percent } from '../components/values.tsx';
import { t } from '../i18n/t.tsx';
import { withQuery } from '../kit/paths.ts';

/** Values that a table shows. */
const SHOWN = 10;

/** A table of frequent values. @param rulePath of the form for a new rule of the property; undefined for an organization */
export function topCard(name: Dimension, report: TrafficReport, rulePath: string | undefined) {
  const { items, maxError } = report.top[name];
  const member = DIMENSIONS[name];
  const rows = items.slice(0, SHOWN).map(({ value, requests, rejected }) => {
    const label = name === 'countries' ? countryName(value) : value;
    return [
      <Value of={member} text={value} />,
      <>
        {grouped(requests)} <span class="soft">{percent(requests, report.requests)}</span>
      </>,
      grouped(rejected),
      ...(rulePath === undefined
        ? []
        : [<RuleLink path={rulePath} facts={{ [member]: value }} label={label} />]),
    ];
  });
  return (
    <Card title={t(`traffic.top.${name}`)}>
      <Table
        hiddenCaption={t(`traffic.top.${name}`)}
        head={[
          t(`traffic.columns.${member}`),
          t('traffic.columns.requests'),
          t('traffic.columns.rejected'),
          ...(rulePath === undefined ? [] : [t('traffic.columns.rule')]),
        ]}
        numeric={[1, 2]}
        rows={rows}
        empty={t('traffic.top.none')}
      />
      {maxError > 0 && <p class="help">{t('traffic.top.error', { number: grouped(maxError) })}</p>}
    </Card>
  );
}

const CLASSES = { network: 'whole', host: 'host', country: undefined, browser: undefined };

/** What is known about a request. A network stays on one line, and a host has enough space. */
export function Value(props: { readonly of: keyof TrafficFacts; readonly text: string | undefined }) {
  const { of: member, text = '' } = props;
  if (text === '') return <span class="soft">{t('traffic.unknown')}</span>;
  return <bdi class={CLASSES[member]}>{member === 'country' ? countryName(text) : text}</bdi>;
}

/** A link to the form for a new rule with these conditions. @param props.label what distinguishes it from other links */
export function RuleLink(props: {
  readonly path: string;
  readonly facts: TrafficFacts;
  readonly label: string;
}) {
  const known = Object.entries(props.facts).flatMap(([name, value = '']) => (value ? [[name, value]] : []));
  return (
    <a
      href={withQuery(props.path, Object.fromEntries(known))}
      aria-label={t('traffic.createRuleFor', { value: props.label })}
    >
      {t('rules.create')}
    </a>
  );
}
