import type { Element } from '../../jsx/elements.ts';
import { DAY, HOUR, type Instant, MINUTE, toIso } from '../../lib/time.ts';
import { pageContext, perLanguage } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';

/** Units by their minimum, in milliseconds, largest first. A month and a year have their mean lengths in the Gregorian calendar. */
const UNITS = [
  ['year', 365.2425 * DAY],
  ['month', (365.2425 / 12) * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const;

const relativeFormat = perLanguage(
  (language) => new Intl.RelativeTimeFormat(language, { numeric: 'always' }),
);
const dayFormat = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }),
);
const timeFormat = perLanguage(
  (language) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
);

const hourFormat = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' }),
);
const weekdayFormat = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' }),
);

/** A time relative to the request: `3 hours ago`. The exact time in UTC is its title; a script adds the browser's time zone. */
export function Moment({ instant }: { readonly instant: Instant }): Element {
  const exact = exactTime(instant);
  return (
    <time datetime={toIso(instant)} title={exact} data-local={t('components.time.local', { time: '{}' })}>
      {relativeTime(instant)}
    </time>
  );
}

/** A date and time to the minute in the language of the page, in UTC. */
export function ExactMoment({ instant }: { readonly instant: Instant }): Element {
  return <time datetime={toIso(instant)}>{exactTime(instant)}</time>;
}

/** A day in the language of the page, in UTC. */
export function Day({ instant }: { readonly instant: Instant }): Element {
  return <time datetime={toIso(instant).slice(0, 10)}>{dayFormat().format(instant)}</time>;
}

/**
 * Past times are rounded down, so that `3 hours ago` means at least three. Times in the future are rounded to the nearest unit: a key that
 * was just created for 9 days expires `in 9 days`.
 *
 * @returns a time relative to the request, in the largest unit of which the difference contains at least one
 */
function relativeTime(instant: Instant): string {
  const difference = instant - pageContext().now;
  const unit = UNITS.find(([, length]) => Math.abs(difference) >= length);
  if (unit === undefined) return t(difference > 0 ? 'components.time.soon' : 'components.time.justNow');
  const units = difference / unit[1];
  return relativeFormat().format(units > 0 ? Math.round(units) : Math.ceil(units), unit[0]);
}

/** @returns a date and time to the minute in the language of the page, in UTC */
export function exactTime(instant: Instant): string {
  return t('components.time.utc', { time: timeFormat().format(instant) });
}

/** @returns the days of a period in the language of the page, in UTC: `1 – 15 Nov 2026`. @param until exclusive */
export function daySpan(from: Instant, until: Instant): string {
  return dayFormat().formatRange(from, until - 1);
}

/** @returns a time of day to the minute in the language of the page, in UTC */
export function hourName(instant: Instant): string {
  return hourFormat().format(instant);
}

/** @returns a day with its weekday in the language of the page, in UTC */
export function weekdayName(instant: Instant): string {
  return weekdayFormat().format(instant);
}
