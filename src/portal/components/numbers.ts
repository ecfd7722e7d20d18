import { perLanguage } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';

const countFormat = perLanguage((language) => new Intl.NumberFormat(language));
const percentFormat = perLanguage(
  (language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }),
);
const tenthsFormat = perLanguage(
  (language) => new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);

const changeFormat = perLanguage(
  (language) =>
    new Intl.NumberFormat(language, {
      style: 'percent',
      maximumFractionDigits: 1,
      signDisplay: 'exceptZero',
    }),
);
const pointsFormat = perLanguage(
  (language) => new Intl.NumberFormat(language, { maximumFractionDigits: 1, signDisplay: 'exceptZero' }),
);

/** A count with thousands separators, in the language of the page: `12,345`. */
export function grouped(count: number): string {
  return countFormat().format(count);
}

/** A percentage with at most one decimal, rounded down so that only the whole is `100%`; an en dash if the whole is 0. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const thousandths = Math.floor((1000 * part) / whole);
  if (thousandths === 0 && part > 0)
    return t('components.numbers.underTenth', { percent: percentFormat().format(0.001) });
  return percentFormat().format(thousandths / 1000);
}

/** A duration in ms, s, or min; an en dash if it is undefined. */
export function duration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds < 1000) return t('components.numbers.milliseconds', { value: grouped(milliseconds) });
  const seconds = milliseconds / 1000;
  return seconds < 120
    ? t('components.numbers.seconds', { value: tenthsFormat().format(seconds) })
    : t('components.numbers.minutes', { value: grouped(Math.round(seconds / 60)) });
}

/** A relative change with its sign: `+12.5%`. From 100% on, without decimals. @param share 0.125 for 12.5% more */
export function signedPercent(share: number): string {
  return changeFormat().format(Math.abs(share) < 1 ? share : Math.round(share * 100) / 100);
}

/** A difference of percentages with its sign: `+1.5 points`. */
export function signedPoints(points: number): string {
  return t('dashboard.change.points', { value: pointsFormat().format(points) });
}
