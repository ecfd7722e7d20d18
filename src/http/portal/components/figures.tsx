import type { Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';
import { grouped, signedPercent, signedPoints } from './numbers.ts';

/** A number with its label. */
export type Figure = {
  readonly label: string;
  readonly value: string;
  /** What the number means, as a sentence. */
  readonly note: string;
  readonly change?: Change | undefined;
};

/** How a number compares with the previous period. */
export type Change = {
  /** With its sign: `+12%`; undefined if the numbers are equal. */
  readonly text: string | undefined;
  readonly isMore: boolean;
  /** The number of the previous period. */
  readonly previous: string;
};

/** Figures in one row. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }): Element {
  return (
    <dl class="figures" aria-label={t('dashboard.figures.label')}>
      {figures.map(({ label, value, note, change }) => (
        <div title={note}>
          <dt>{label}</dt>
          <dd>
            {value}
            {change !== undefined && <ChangeText change={change} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ChangeText({ change: { text, isMore, previous } }: { readonly change: Change }): Element {
  const spoken =
    text === undefined
      ? t('dashboard.change.same', { previous })
      : t(isMore ? 'dashboard.change.more' : 'dashboard.change.less', {
          change: text.replace(/^[+\-−]/, ''),
          previous,
        });
  return (
    <span class="change">
      <span aria-hidden="true" title={t('dashboard.change.previous', { value: previous })}>
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
export function relativeChange(
  current: number | undefined,
  previous: number | undefined,
  show: (value: number) => string = grouped,
): Change | undefined {
  if (current === undefined || previous === undefined || previous === 0) return undefined;
  const text = current === previous ? undefined : signedPercent((current - previous) / previous);
  return { text, isMore: current > previous, previous: show(previous) };
}

/** Compares percentages, in percentage points. @param current, previous shares from 0 to 1; undefined if the whole is 0 */
export function pointChange(
  current: number | undefined,
  previous: number | undefined,
  show: string,
): Change | undefined {
  if (current === undefined || previous === undefined) return undefined;
  const points = Math.round((current - previous) * 1000) / 10;
  const text = points === 0 ? undefined : signedPoints(points);
  return { text, isMore: points > 0, previous: show };
}
