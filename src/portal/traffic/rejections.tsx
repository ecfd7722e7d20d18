import type { Children } from '../../jsx/elements.ts';
import type { PropertyId } from '../../model/property.ts';
import { DIMENSIONS, type Dimension, type TrafficEvent, type TrafficFacts } from '../../model/traffic.ts';
import { Table } from '../components/sections.tsx';
import { Moment } from '../components/values.tsx';
import { optionalText, t, texts } from '../i18n/t.tsx';
import { RuleLink, Value } from './topValues.tsx';

/** Rejections on a page, so that the page stays small. */
export const PAGE_SIZE = 25;

type RejectionOptions = {
  /** The kinds of values that this server records. */
  readonly shown: readonly Dimension[];
  /** The names of the properties; undefined if all rejections are of one property. */
  readonly names: ReadonlyMap<PropertyId, string> | undefined;
  /** @returns the path of the form for a new rule of a property */
  readonly rulePathOf: (id: PropertyId) => string;
};

/** Rejections, each with a link that creates a rule. */
export function rejectionTable(rejections: readonly TrafficEvent[], options: RejectionOptions) {
  return (
    <Table
      hiddenCaption={t('traffic.rejections.title')}
      head={[
        ...texts('traffic.columns', 'time', 'reason'),
        ...options.shown.map((name) => t(`traffic.columns.${DIMENSIONS[name]}`)),
        t('traffic.columns.rule'),
      ]}
      rows={rejections.map((event) => rowOf(event, options))}
      empty={t('traffic.rejections.none')}
    />
  );
}

function rowOf(event: TrafficEvent, { shown, names, rulePathOf }: RejectionOptions): readonly Children[] {
  const { at, propertyId } = event;
  const facts = factsForRule(event);
  const label = Object.values(facts).filter(Boolean).join(', ');
  const isKnown = names === undefined || names.has(propertyId);
  return [
    <Moment instant={at} />,
    reasonOf(event, names?.get(propertyId)),
    ...shown.map((name) => <Value of={DIMENSIONS[name]} text={event[DIMENSIONS[name]]} />),
    label !== '' && isKnown && <RuleLink path={rulePathOf(propertyId)} facts={facts} label={label} />,
  ];
}

/** What a rule about a request depends on: its network; otherwise its country and browser; otherwise its host. */
function factsForRule({ network, country, browser, host }: TrafficEvent): TrafficFacts {
  if (network !== undefined) return { network };
  if (country !== undefined || browser !== undefined) return { country, browser };
  return { host };
}

/** @param property the name of the property, if the page shows several */
function reasonOf({ kind, reason }: TrafficEvent, property: string | undefined) {
  const key =
    kind === 'verification' ? `dashboard.rejections.reasons.${reason}.title` : `traffic.reasons.${reason}`;
  return (
    <>
      {optionalText(key) ?? reason}
      <span class="soft">
        {t(`traffic.kinds.${kind === 'verification' ? 'verification' : 'puzzle'}`)}
        {property !== undefined && ' · '}
        <bdi>{property}</bdi>
      </span>
    </>
  );
}
