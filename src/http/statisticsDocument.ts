import { FAILURE_NAMES, VERDICT_CODES, type VerdictName } from '../captcha/verdict.ts';
import { toIso } from '../lib/time.ts';
import { ADVICE_MIN_SAMPLES, type LevelAdvice, type OtherLevel } from '../model/levelAdvice.ts';
import type { PeriodReport } from '../platform/properties/periodReport.ts';
import {
  type PropertyReport,
  type Rate,
  type Report,
  ratesOf,
  type Totals,
} from '../platform/properties/statistics.ts';

/** @returns the statistics of a property in the format of the Platform API */
export function toPropertyStatistics({ difficulty, levelAdvice, ...report }: PropertyReport) {
  const { range, step, from, until, ...counts } = toStatistics(report);
  return { range, step, from, until, difficulty, ...counts, level_advice: toAdvice(levelAdvice) };
}

function toAdvice({ level, samples, result }: LevelAdvice) {
  const toOther = (other: OtherLevel | undefined) => other && { level: other.level, p95_ms: other.p95 };
  return {
    level,
    samples,
    min_samples: ADVICE_MIN_SAMPLES,
    p95_ms: result?.p95 ?? null,
    assessment: result?.assessment ?? null,
    higher: toOther(result?.higher) ?? null,
    lower: toOther(result?.lower) ?? null,
  };
}

/** @param names the verdicts in `failures` @returns a report with the members and units of the Platform API */
export function toStatistics(report: Report, names: readonly VerdictName[] = FAILURE_NAMES) {
  const { range, step, from, until, totals, failures, solveTimes, series } = report;
  const countOf = (name: VerdictName) => failures.get(VERDICT_CODES[name]) ?? 0;
  const { reported, usedWasm, p50, p75, p90, p95, p99 } = solveTimes;
  const { solved, accepted } = ratesOf(totals);
  return {
    range,
    step,
    from: toIso(from),
    until: toIso(until),
    totals: toTotals(totals),
    rates: { solved: toShare(solved), accepted: toShare(accepted) },
    failures: Object.fromEntries(names.map((name) => [name, countOf(name)])),
    solve_time_ms: {
      p50: p50 ?? null,
      p75: p75 ?? null,
      p90: p90 ?? null,
      p95: p95 ?? null,
      p99: p99 ?? null,
    },
    solvers: { reported, used_wasm: usedWasm },
    series: series.map((one) => ({ from: toIso(one.at), ...toTotals(one) })),
  };
}

/** @returns the counts of an API key or of a rule in the format of the Platform API */
export function toUseStatistics<Use extends object>(report: PeriodReport<Use>) {
  const { range, step, from, until, totals, series } = report;
  const steps = series.map(({ at, ...counts }) => ({ from: toIso(at), ...counts }));
  return { range, step, from: toIso(from), until: toIso(until), totals, series: steps };
}

/** Rounds down, so that only the whole is 1. */
function toShare({ part, whole }: Rate): number | null {
  return whole === 0 ? null : Math.floor((10_000 * part) / whole) / 10_000;
}

function toTotals({ issued, verified, repeated, failed }: Totals): Totals {
  return { issued, verified, repeated, failed };
}
