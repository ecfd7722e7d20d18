import { ADVICE_DAYS, ADVICE_MIN_SAMPLES, type LevelAdvice } from '../../../model/levelAdvice.ts';
import { duration, grouped } from '../components/numbers.ts';
import { t } from '../i18n/t.ts';

/** What the solve times of visitors say about the level, and where they come from. */
export function LevelAdviceText({ advice }: { readonly advice: LevelAdvice }) {
  const { level, samples, result } = advice;
  const days = ADVICE_DAYS;
  const minimum = ADVICE_MIN_SAMPLES;
  const count = grouped(samples);
  return (
    <div class="advice">
      <p>
        {result === undefined
          ? t('dashboard.advice.notEnough', { samples: count, minimum, level, days })
          : sentenceOf(level, result)}
      </p>
      {result && <p class="help">{t('dashboard.advice.source', { samples: count, days })}</p>}
    </div>
  );
}

function sentenceOf(level: number, result: NonNullable<LevelAdvice['result']>): string {
  const { assessment, p95, higher, lower } = result;
  const wait = { level, time: roundedUp(p95) };
  const other = assessment === 'slow' ? lower : higher;
  if (other === undefined)
    return t(assessment === 'slow' ? 'dashboard.advice.slowest' : 'dashboard.advice.wait', wait);
  const values = { ...wait, other: other.level, otherTime: roundedUp(other.p95) };
  return t(`dashboard.advice.${assessment}`, values);
}

/** A duration with two significant digits, rounded up, because times are less than it. */
function roundedUp(milliseconds: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(milliseconds, 1))) - 1);
  return duration(Math.ceil(milliseconds / unit) * unit);
}
