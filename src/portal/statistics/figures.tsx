import { VERDICT_CODES, type VerdictName } from '../../captcha/verdict.ts';
import { type Report, ratesOf, type Totals } from '../../platform/properties/statistics.ts';
import { Card } from '../components/sections.tsx';
import { duration, grouped, percent, signedPercent, signedPoints } from '../components/values.tsx';
import type { Catalog } from '../i18n/catalog.ts';
import { hasText, t } from '../i18n/t.tsx';

/** A number with its label. */
export type Figure = {
  readonly label: string;
  readonly value: string;
  /** What the number means, as a sentence. */
  readonly note: string;
  readonly change?: Change | undefined;
  /** Whether it is good or bad if the number is higher; undefined if it is neither. */
  readonly more?: 'good' | 'bad' | undefined;
};

/** How a number compares with the previous period. */
type Change = {
  /** With its sign: `+12%`; undefined if the numbers are equal. */
  readonly text: string | undefined;
  readonly isMore: boolean;
  /** The number of the previous period. */
  readonly previous: string;
};

/** Figures in one row. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl class="figures" aria-label={t('dashboard.figures.label')}>
      {figures.map(({ label, value, note, change, more }) => (
        <div title={note}>
          <dt>{label}</dt>
          <dd>
            {value}
            {change !== undefined && changeText(change, more)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function changeText({ text, isMore, previous }: Change, more: Figure['more']) {
  const change = text?.replace(/^[+\-−]/, '');
  const spoken =
    change === undefined
      ? t('dashboard.change.same', { previous })
      : t(`dashboard.change.${isMore ? 'more' : 'less'}`, { change, previous });
  const tone =
    text === undefined || more === undefined ? undefined : isMore === (more === 'good') ? 'good' : 'bad';
  return (
    <span class="change">
      <span class={tone} aria-hidden="true" title={t('dashboard.change.previous', { value: previous })}>
        {text ?? signedPercent(0)}
      </span>
      <span class="visually-hidden"> {spoken}</span>
    </span>
  );
}

/**
 * Compares counts or durations. @param show formats a number
 *
 * @returns undefined if one of the numbers is unknown, or if the number was 0 before, so that there is no percentage
 */
function relativeChange(
  current: number | undefined,
  previous: number | undefined,
  show: (value: number) => string = grouped,
): Change | undefined {
  if (current === undefined || previous === undefined || previous === 0) return undefined;
  const text = current === previous ? undefined : signedPercent((current - previous) / previous);
  return { text, isMore: current > previous, previous: show(previous) };
}

/** The count of one kind of events, compared with the previous period. @param note the key of the sentence about it */
export function countFigure({ totals, comparison }: Report, key: keyof Totals, note: Note = key): Figure {
  const change = relativeChange(totals[key], comparison?.totals[key]);
  return figure(key, grouped(totals[key]), change, note);
}

const MORE_IS: Readonly<Partial<Record<Note, Figure['more']>>> = {
  verified: 'good',
  solved: 'good',
  accepted: 'good',
  failed: 'bad',
  solveTime: 'bad',
};

type Note = keyof Catalog['dashboard']['figures']['notes'];

/** A number with its texts. @param key of the label @param note the key of the sentence about the number */
export function figure(
  key: Exclude<Note, 'deletedProperties'>,
  value: string,
  change?: Change,
  note: Note = key,
): Figure {
  const text = t(`dashboard.figures.notes.${note}`);
  return { label: t(`dashboard.figures.${key}`), value, note: text, change, more: MORE_IS[key] };
}

/** A rate, compared with the previous period in percentage points. */
function rateFigure({ totals, comparison }: Report, name: 'solved' | 'accepted'): Figure {
  const now = ratesOf(totals)[name];
  const before = comparison && ratesOf(comparison.totals)[name];
  const value = percent(now.part, now.whole);
  if (before === undefined || before.whole === 0 || now.whole === 0) return figure(name, value);
  const points = Math.round((now.part / now.whole - before.part / before.whole) * 1000) / 10;
  const text = points === 0 ? undefined : signedPoints(points);
  return figure(name, value, {
    text,
    isMore: points > 0,
    previous: percent(before.part, before.whole),
  });
}

/** The numbers of requests for properties: counts, rates, and the median solve time. */
export function propertyFigures(report: Report): readonly Figure[] {
  const { solveTimes, comparison } = report;
  return [
    countFigure(report, 'issued'),
    countFigure(report, 'verified'),
    rateFigure(report, 'solved'),
    countFigure(report, 'repeated'),
    countFigure(report, 'failed'),
    rateFigure(report, 'accepted'),
    figure('solveTime', duration(solveTimes.p50), relativeChange(solveTimes.p50, comparison?.p50, duration)),
  ];
}

const NAMES: ReadonlyMap<number, VerdictName> = new Map(
  Object.entries(VERDICT_CODES).map(([name, code]) => [code, name as VerdictName]),
);

/** Rejected verifications by reason, with advice, the most frequent reason first. */
export function RejectionsCard(props: { readonly report: Pick<Report, 'failures' | 'totals'> }) {
  const { failures, totals } = props.report;
  const sorted = [...failures].toSorted(([, a], [, b]) => b - a);
  return (
    <Card title={t('dashboard.rejections.title')}>
      {sorted.length === 0 || totals.failed === 0 ? (
        <p class="empty">{t('dashboard.rejections.none')}</p>
      ) : (
        <ul class="rejections">
          {sorted.map(([code, count]) => (
            <li>{rejection(code, count, totals.failed)}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function rejection(code: number, count: number, total: number) {
  const name = NAMES.get(code);
  const reason = name !== undefined && hasReason(name) ? name : undefined;
  const title =
    reason === undefined
      ? t('dashboard.rejections.other')
      : t(`dashboard.rejections.reasons.${reason}.title`);
  return (
    <>
      <h3>{title}</h3>
      <p class="count">
        <strong>{grouped(count)}</strong> <span>{percent(count, total)}</span>
      </p>
      <p class="help">
        {reason !== undefined && t(`dashboard.rejections.reasons.${reason}.advice`)}{' '}
        <code>
          {code} {name ?? ''}
        </code>
      </p>
    </>
  );
}

function hasReason(name: VerdictName): name is keyof Catalog['dashboard']['rejections']['reasons'] {
  return hasText(`dashboard.rejections.reasons.${name}.title`);
}
