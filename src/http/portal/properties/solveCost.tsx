import { expectedPuzzleAttempts } from '../../../captcha/playground.ts';
import { HOUR, MINUTE, SECOND } from '../../../lib/time.ts';
import { grouped } from '../components/numbers.ts';
import { Table } from '../components/table.tsx';
import { perLanguage } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';

/** Hashes per second. */
const RATES = {
  /** Two workers in Chromium: 34 ms for a puzzle of level 128. @see docs/explanation/performance.md#solver */
  laptop: 31e6,
  /** Assumed, not measured: a slow phone without SIMD. Firefox without WebAssembly makes 1.1 million on a desktop computer. */
  phone: 1e6,
  /** One core, native scalar code. @see docs/explanation/performance.md#solver */
  bot: 16e6,
} as const;

type Solver = keyof typeof RATES;

/** Levels with a name. Sixteen levels multiply the work by four. */
export const PRESETS = { low: 112, normal: 128, high: 144, very_high: 160 } as const;

export type Preset = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly Preset[];

/** The average time to solve a puzzle, in milliseconds. */
export function solveMs(level: number, solver: Solver): number {
  return (expectedPuzzleAttempts(level) / RATES[solver]) * SECOND;
}

const formatOf = (unit: string) =>
  perLanguage((language) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }));
const milliseconds = formatOf('millisecond');
const seconds = formatOf('second');
const minutes = formatOf('minute');
const hours = formatOf('hour');

/** A duration with two significant digits, in the language of the page: `34 ms`, `1.1 sec`, `35 min`. */
export function durationOf(ms: number): string {
  if (ms < 1) return t('properties.cost.underMillisecond', { duration: milliseconds().format(1) });
  if (ms < 100) return milliseconds().format(rounded(ms));
  if (ms < 2 * MINUTE) return seconds().format(rounded(ms / SECOND));
  if (ms < 2 * HOUR) return minutes().format(rounded(ms / MINUTE));
  return hours().format(rounded(ms / HOUR));
}

const compact = perLanguage(
  (language) =>
    new Intl.NumberFormat(language, {
      notation: 'compact',
      compactDisplay: 'long',
      maximumSignificantDigits: 2,
    }),
);

/** A number in words, with two significant digits from a million on: `1.1 million`. */
export function amountOf(count: number): string {
  return count >= 1e6 ? compact().format(count) : grouped(rounded(count));
}

/** The times of a level, for the texts of the catalogs. */
export function timesOf(level: number) {
  return {
    laptop: durationOf(solveMs(level, 'laptop')),
    phone: durationOf(solveMs(level, 'phone')),
    bot: durationOf(solveMs(level, 'bot')),
  };
}

/** The cost of some levels, including this one. */
export function CostTable({ level }: { readonly level: number }) {
  const levels = [...new Set([64, 96, 112, 128, 144, 160, 176, level])].toSorted((a, b) => a - b);
  return (
    <>
      <Table
        caption={t('properties.cost.caption')}
        head={[
          t('properties.cost.level'),
          t('properties.cost.attempts'),
          t('properties.cost.laptop'),
          t('properties.cost.phone'),
          t('properties.cost.bot'),
        ]}
        rows={levels.map((one) => {
          const { laptop, phone, bot } = timesOf(one);
          const attempts = amountOf(expectedPuzzleAttempts(one));
          return [one === level ? <strong>{one}</strong> : one, attempts, laptop, phone, bot];
        })}
        empty=""
      />
      <p class="help">{t('properties.cost.source')}</p>
    </>
  );
}

function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
}
