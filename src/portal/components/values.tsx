import { remembered } from '../../lib/remembered.ts';
import { DAY, HOUR, type Instant, MINUTE, toIso } from '../../lib/time.ts';
import { dayOf } from '../../lib/timeZone.ts';
import { browserFamilyOf, systemOf } from '../../model/browserFamilies.ts';
import { pageContext, perLanguage } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';

/** Units by their minimum, in milliseconds, largest first. A month and a year have their mean lengths in the Gregorian calendar. */
const UNITS = [
  ['year', 365.2425 * DAY],
  ['month', (365.2425 / 12) * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const;

/** Number of pairs of a language and a time zone whose formats are remembered. */
const REMEMBERED = 64;

const relativeFormat = perLanguage(
  (language) => new Intl.RelativeTimeFormat(language, { numeric: 'always' }),
);
const dayFormat = dateFormats({ dateStyle: 'medium' });
const timeFormat = dateFormats({ dateStyle: 'medium', timeStyle: 'short' });
const hourFormat = dateFormats({ timeStyle: 'short' });
const weekdayFormat = dateFormats({ dateStyle: 'full' });

/** @returns a function that returns the format in the language and the time zone of the page */
function dateFormats(options: Intl.DateTimeFormatOptions) {
  const format = remembered(REMEMBERED, (key) => {
    const [language, timeZone] = key.split(' ');
    return new Intl.DateTimeFormat(language, { ...options, timeZone });
  });
  return () => {
    const { language, timeZone } = pageContext();
    return format(`${language} ${timeZone}`);
  };
}

/** A time relative to the request: `3 hours ago`. The exact time is its title. */
export function Moment({ instant }: { readonly instant: Instant }) {
  return <LocalTime instant={instant} text={relativeTime(instant)} />;
}

/** A text for a time, with the same title. */
export function LocalTime({ instant, text }: { readonly instant: Instant; readonly text: string }) {
  return (
    <time datetime={toIso(instant)} title={exactTime(instant)}>
      {text}
    </time>
  );
}

/** A date and time to the minute. */
export function ExactMoment({ instant }: { readonly instant: Instant }) {
  return <time datetime={toIso(instant)}>{exactTime(instant)}</time>;
}

/** The day of an instant. */
export function Day({ instant }: { readonly instant: Instant }) {
  return <time datetime={dayOf(instant, pageContext().timeZone)}>{dayFormat().format(instant)}</time>;
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

/** @returns a date and time to the minute in the language and the time zone of the page */
export function exactTime(instant: Instant): string {
  return timeFormat().format(instant);
}

/**
 * Returns the days of a period of whole hours in the language and the time zone of the page: `1 – 15 Nov 2026`. In zones whose midnight is
 * not a whole hour in UTC, up to half an hour at each end is ignored.
 *
 * @param until exclusive
 */
export function daySpan(from: Instant, until: Instant): string {
  return dayFormat().formatRange(from + HOUR / 2, until - HOUR / 2 - 1);
}

/** @returns a time of day to the minute in the language and the time zone of the page */
export function hourName(instant: Instant): string {
  return hourFormat().format(instant);
}

/** @returns a day with its weekday in the language and the time zone of the page */
export function weekdayName(instant: Instant): string {
  return weekdayFormat().format(instant);
}

const countFormat = numberFormats();
const percentFormat = numberFormats({ style: 'percent', maximumFractionDigits: 1 });
const tenthsFormat = numberFormats({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const signedFormat = { maximumFractionDigits: 1, signDisplay: 'exceptZero' } as const;
const changeFormat = numberFormats({ style: 'percent', ...signedFormat });
const pointsFormat = numberFormats(signedFormat);

/** @returns a function that returns the format in the language of the page */
export function numberFormats(options?: Intl.NumberFormatOptions): () => Intl.NumberFormat {
  return perLanguage((language) => new Intl.NumberFormat(language, options));
}

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
  return withMinus(changeFormat().format(Math.abs(share) < 1 ? share : Math.round(share * 100) / 100));
}

/** A difference of percentages with its sign: `+1.5 points`. */
export function signedPoints(points: number): string {
  return t('dashboard.change.points', { value: withMinus(pointsFormat().format(points)) });
}

/** `Intl` writes a hyphen in most languages. The minus sign is as wide as the plus sign. */
function withMinus(text: string): string {
  return text.replace('-', '\u2212');
}

type User = { readonly name: string; readonly email: string };

/** A link to an object. */
export function NameLink({ path, name }: { readonly path: string; readonly name: string }) {
  return (
    <a href={path}>
      <bdi>{name}</bdi>
    </a>
  );
}

/** A user in a sentence: the name and the email address, or only the address if the name is the same. */
export function UserName({ user: { name, email } }: { readonly user: User }) {
  if (name === email) return <>{email}</>;
  return (
    <>
      <bdi>{name}</bdi> ({email})
    </>
  );
}

/** A user in a list: the email address is below the name. @param props.note follows the name: `(you)` */
export function UserItem({
  user: { name, email },
  note,
}: {
  readonly user: User;
  readonly note?: string | undefined;
}) {
  return (
    <>
      <bdi>{name}</bdi>
      {note !== undefined && ` ${note}`}
      {name !== email && <span class="soft">{email}</span>}
    </>
  );
}

/** @returns a client address for display; for IPv6, which is stored as 16 hexadecimal digits, its /64 network */
export function addressName(address: string): string {
  const groups = /^[0-9a-f]{16}$/.test(address) ? (address.match(/..../g) ?? []) : [];
  return groups.length === 0
    ? address
    : `${groups.map((group) => group.replace(/^0{1,3}/, '')).join(':')}::/64`;
}

const regions = perLanguage((language) => new Intl.DisplayNames(language, { type: 'region' }));

/** @param code of ISO 3166-1 @returns the name of a country in the language of the page */
export function countryName(code: string): string {
  return regions().of(code) ?? code;
}

/** The browser and its operating system, in the language of the page: `Firefox on Linux`. */
export function browserName(userAgent: string): string {
  const browser = browserFamilyOf(userAgent) ?? t('account.security.unknownBrowser');
  const system = systemOf(userAgent);
  return system === undefined ? browser : t('account.security.browserOn', { browser, system });
}
