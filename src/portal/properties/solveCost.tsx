import {
  dollarsPerMillionSeconds,
  lowestLevelOf,
  SOLVER_NAMES,
  SOLVERS,
  type SolverName,
  solveDollars,
  solveSeconds,
  type Work,
  workOf,
} from '../../captcha/solveCosts.ts';
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { ADVICE_DAYS, ADVICE_MIN_SAMPLES, type LevelAdvice } from '../../model/levelAdvice.ts';
import { type Challenge, SETTING_FIELDS } from '../../model/propertyFields.ts';
import { Table } from '../components/sections.tsx';
import { duration, grouped, numberFormats } from '../components/values.tsx';
import { rich, t, texts } from '../i18n/t.tsx';

/** Levels with a name. Sixteen levels multiply the work by four. */
export const PRESETS = { low: 112, normal: 128, high: 144, very_high: 160 } as const;

type Preset = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly Preset[];

/** The work of a level, in multiples of the level that is called normal. */
export function relativeWork(level: number): number {
  return 2 ** ((level - PRESETS.normal) / 8);
}

/** The kinds of puzzles with their names, which are the same in all languages. */
export const CHALLENGE_NAMES: Readonly<Record<Challenge, string>> = {
  blake2b: 'BLAKE2b',
  argon2id: 'argon2id',
  hashwx: 'HashWX',
};

/** The kinds of puzzles. */
export const CHALLENGES = SETTING_FIELDS.challenge.choices;

/** A duration with two significant digits: `34 ms`, `1.1 s`, `35 min`. */
export function durationOf(ms: number): string {
  const text = (unit: 'milliseconds' | 'seconds' | 'minutes' | 'hours', value: number) =>
    t(`components.numbers.${unit}`, { value: grouped(rounded(value)) });
  if (ms < 1) return t('properties.cost.underMillisecond', { duration: text('milliseconds', 1) });
  if (ms < 100) return text('milliseconds', ms);
  if (ms < 2 * MINUTE) return text('seconds', ms / SECOND);
  return ms < 2 * HOUR ? text('minutes', ms / MINUTE) : text('hours', ms / HOUR);
}

const compact = numberFormats({ notation: 'compact', compactDisplay: 'long', maximumSignificantDigits: 2 });

/** A number in words, with two significant digits from a million on: `1.1 million`. */
export function amountOf(count: number): string {
  return count >= 1e6 ? compact().format(count) : grouped(rounded(count));
}

const dollars = numberFormats({ style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });

function timeOf(work: Work, solver: SolverName): string {
  return durationOf(solveSeconds(work, solver) * SECOND);
}

/** The times of a level, for the texts of the catalogs. */
export function timesOf(level: number, challenge: Challenge) {
  const work = workOf(level, challenge);
  return {
    laptop: timeOf(work, 'laptop'),
    phone: timeOf(work, 'slowPhone'),
    bot: timeOf(work, 'serverCore'),
  };
}

/** The number of hashes of a puzzle, such as `64 argon2id`. */
export function hashesOf({ attempts, challenge }: Work): string {
  return t('properties.cost.hashesOf', { hashes: amountOf(attempts), kind: CHALLENGE_NAMES[challenge] });
}

/** Puzzles whose price is shown. */
const PRICED = 1e6;

/** What one level costs with each kind of puzzle that it can have. @param challenge the kind that is emphasized */
export function LevelCost(props: { readonly level: number; readonly challenge: Challenge }) {
  const { level } = props;
  const works = CHALLENGES.map((kind) => workOf(level, kind)).filter(
    ({ challenge }, index) => challenge === CHALLENGES[index],
  );
  const { challenge: emphasized } = workOf(level, props.challenge);
  const cells = (textOf: (work: Work) => string | undefined) =>
    works.map((work) => {
      const text = textOf(work);
      return works.length > 1 && work.challenge === emphasized && text ? <strong>{text}</strong> : text;
    });
  const headsOf = (key: 'time' | 'price') =>
    works.map(({ challenge }) => t(`properties.cost.${key}`, { kind: CHALLENGE_NAMES[challenge] }));
  return (
    <>
      <Table
        caption={t('properties.cost.ofLevel', { level })}
        head={[t('properties.cost.device'), ...headsOf('time'), ...headsOf('price')]}
        rows={SOLVER_NAMES.map((solver) => [
          t(`properties.cost.solvers.${solver}`),
          ...cells((work) => timeOf(work, solver)),
          ...cells((work) => priceOf(work, solver)),
        ])}
      />
      {CHALLENGES.filter((kind) => level < lowestLevelOf(kind)).map((kind) => (
        <p class="help">
          {t('properties.cost.tooLow', { kind: CHALLENGE_NAMES[kind], level: lowestLevelOf(kind) })}
        </p>
      ))}
      <p class="help">{rich('properties.cost.source', { link: COST_DOCS })}</p>
    </>
  );
}

/** Where the figures come from. */
const COST_DOCS = '/docs/explanation/proof-of-work#what-a-puzzle-costs';

/** When HashWX is better than the other kinds, with its figures. */
export function ChallengeAdvice() {
  const price = (kind: Challenge) => dollars().format(dollarsPerMillionSeconds(kind, 'laptop'));
  const factor = (kind: Challenge) =>
    grouped(rounded(SOLVERS.laptop.rates[kind] / SOLVERS.slowPhone.rates[kind]));
  return (
    <p class="help">
      {rich('properties.form.challengeAdvice', {
        hashwxPrice: price('hashwx'),
        argon2idPrice: price('argon2id'),
        blake2bPrice: price('blake2b'),
        hashwxFactor: factor('hashwx'),
        argon2idFactor: factor('argon2id'),
        blake2bFactor: factor('blake2b'),
        link: COST_DOCS,
      })}
    </p>
  );
}

/** The price of a million puzzles; undefined for devices that visitors own. */
function priceOf(work: Work, solver: SolverName): string | undefined {
  const price = solveDollars(work, solver, PRICED);
  return price === undefined ? undefined : dollars().format(price);
}

/** The times of some levels, including this one. */
export function CostTable({ level, challenge }: { readonly level: number; readonly challenge: Challenge }) {
  const levels = [...new Set([64, 96, 112, 128, 144, 160, 176, level])].toSorted((a, b) => a - b);
  return (
    <Table
      caption={t('properties.cost.caption')}
      head={[
        ...texts('properties.cost', 'level', 'hashes'),
        ...texts('properties.cost.solvers', ...SOLVER_NAMES),
      ]}
      numeric={[0]}
      rows={levels.map((one) => {
        const work = workOf(one, challenge);
        const times = SOLVER_NAMES.map((solver) => timeOf(work, solver));
        return [one === level ? <strong>{one}</strong> : one, hashesOf(work), ...times];
      })}
    />
  );
}

function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
}

/** What the solve times of visitors say about the level, and where they come from. */
export function LevelAdviceText({ advice }: { readonly advice: LevelAdvice }) {
  const { level, result } = advice;
  const samples = grouped(advice.samples);
  const [days, minimum] = [ADVICE_DAYS, ADVICE_MIN_SAMPLES];
  return (
    <div class="advice">
      <p>
        {result === undefined
          ? t('dashboard.advice.notEnough', { samples, minimum, level, days })
          : sentenceOf(level, result)}
      </p>
      {result && <p class="help">{t('dashboard.advice.source', { samples, days })}</p>}
    </div>
  );
}

function sentenceOf(level: number, result: NonNullable<LevelAdvice['result']>): string {
  const { assessment, p95, higher, lower } = result;
  const wait = { level, time: roundedUpTime(p95) };
  const other = assessment === 'slow' ? lower : higher;
  if (other === undefined)
    return t(assessment === 'slow' ? 'dashboard.advice.slowest' : 'dashboard.advice.wait', wait);
  const values = { ...wait, other: other.level, otherTime: roundedUpTime(other.p95) };
  return t(`dashboard.advice.${assessment}`, values);
}

/** A duration with two significant digits, rounded up, because times are less than it. */
function roundedUpTime(milliseconds: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(milliseconds, 1))) - 1);
  return duration(Math.ceil(milliseconds / unit) * unit);
}
