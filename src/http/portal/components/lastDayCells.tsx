import type { LastDay } from '../../../platform/overview/lastDay.ts';
import type { Children } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';
import { grouped, percent } from './numbers.ts';
import { Sparkline } from './sparkline.tsx';

/** @returns the headings of the columns with the counts of the last 24 hours */
export function lastDayHead(): readonly string[] {
  return [
    t('components.lastDay.series'),
    t('components.lastDay.issued'),
    t('components.lastDay.verified'),
    t('components.lastDay.failed'),
    t('components.lastDay.accepted'),
  ];
}

/** The cells of these columns. */
export function lastDayCells(lastDay: LastDay): readonly Children[] {
  const { issued, verified, rejected, series } = lastDay;
  return [
    <Sparkline series={series} />,
    grouped(issued),
    grouped(verified),
    grouped(rejected),
    acceptanceOf(lastDay),
  ];
}

/** The share of accepted verifications, as on the dashboard of a property. */
export function acceptanceOf({ verified, repeated, rejected }: LastDay): string {
  return percent(verified + repeated, verified + repeated + rejected);
}
