import type { Children } from '../../jsx/elements.ts';
import { Raw } from '../../jsx/runtime.ts';
import type { LastDay } from '../../platform/overview/lastDay.ts';
import { ratesOf, type Totals } from '../../platform/properties/statistics.ts';
import { rich, t, texts } from '../i18n/t.tsx';
import { grouped, percent } from './values.tsx';

/** @returns the headings of the columns with the counts of the last 24 hours */
export function lastDayHead(): readonly string[] {
  return texts('components.lastDay', 'series', 'issued', 'solved', 'failed', 'accepted');
}

/** The cells of these columns. */
export function lastDayCells(lastDay: LastDay): readonly Children[] {
  const { issued, failed, series } = lastDay;
  return [
    <Sparkline series={series} />,
    grouped(issued),
    rateText(lastDay, 'solved'),
    grouped(failed),
    rateText(lastDay, 'accepted'),
  ];
}

/** A rate, as on the dashboard of a property. */
export function rateText(totals: Totals, name: 'solved' | 'accepted'): string {
  const { part, whole } = ratesOf(totals)[name];
  return percent(part, whole);
}

/** Explains both rates, next to them: a tooltip would need a pointer. */
export function RatesHelp() {
  return <p class="help">{rich('components.lastDay.help')}</p>;
}

/** What screen readers read instead of the drawing: without and with events. */
export type SparklineLabels = {
  readonly none: () => string;
  readonly some: (counts: { readonly now: string; readonly most: string }) => string;
};

const PUZZLES: SparklineLabels = {
  none: () => t('components.sparkline.none'),
  some: (counts) => t('components.sparkline.label', counts),
};

/** In the units of the drawing. */
const [BAR, GAP, HEIGHT] = [3, 1, 24];

/**
 * The puzzles of the last 24 hours as small bars, one per hour, oldest first. The last hour is not over yet, so its bar is paler.
 * Screen readers read the numbers of the last and the busiest hour.
 *
 * @param props.labels replaces the texts about puzzles
 */
export function Sparkline(props: { readonly series: readonly number[]; readonly labels?: SparklineLabels }) {
  const { series, labels = PUZZLES } = props;
  const most = Math.max(0, ...series);
  const last = series.at(-1) ?? 0;
  const label = most === 0 ? labels.none() : labels.some({ now: grouped(last), most: grouped(most) });
  const width = series.length * (BAR + GAP) - GAP;
  const heights = series.map((count) => heightOf(count, most));
  const paths = [pathOf(heights.slice(0, -1), 0), pathOf(heights.slice(-1), heights.length - 1)];
  return (
    <span class="sparkline" role="img" aria-label={label} title={label}>
      <Raw
        markup={`<svg viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true" focusable="false"><path d="${paths[0]}"/><path class="unfinished" d="${paths[1]}"/></svg>`}
      />
    </span>
  );
}

/** The height of a bar. Hours without puzzles have a line, so that the time axis is visible. */
function heightOf(count: number, most: number): number {
  return count === 0 ? 1 : Math.max(2, Math.round((count / most) * HEIGHT));
}

/** @param first the position of the first bar */
function pathOf(heights: readonly number[], first: number): string {
  return heights
    .map((height, index) => `M${(first + index) * (BAR + GAP)} ${HEIGHT}v-${height}h${BAR}v${height}z`)
    .join('');
}
