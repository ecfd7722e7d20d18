import type { Children } from '../../jsx/elements.ts';
import { Raw } from '../../jsx/runtime.ts';
import { ADVICE_MIN_SAMPLES } from '../../model/levelAdvice.ts';
import type { TimeRange } from '../../model/statistics.ts';
import type { Report } from '../../platform/properties/statistics.ts';
import { Card, DescriptionList } from '../components/sections.tsx';
import { duration, grouped, percent } from '../components/values.tsx';
import { rich, t } from '../i18n/t.tsx';

/** With fewer solve times, fewer than five are above the 95th percentile. */
const RELIABLE_TIMES = ADVICE_MIN_SAMPLES;

/** The times that browsers took to solve puzzles, as reported by the widget. */
export function SolveTimesCard({ report, advice }: { readonly report: Report; readonly advice: Children }) {
  const { reported, usedWasm, p50, p75, p90, p95, p99, histogram } = report.solveTimes;
  if (reported === 0)
    return (
      <Card title={t('dashboard.solveTimes.title')}>
        <p class="empty">{t('dashboard.solveTimes.none')}</p>
        {advice}
      </Card>
    );
  const share = (whole: number) => t('dashboard.solveTimes.share', { percent: percent(whole, 100) });
  return (
    <Card title={t('dashboard.solveTimes.title')}>
      {histogramOf(histogram, reported)}
      <DescriptionList
        class="times"
        items={[
          [share(50), duration(p50)],
          [share(75), duration(p75)],
          [share(90), duration(p90)],
          [share(95), duration(p95)],
          [share(99), duration(p99)],
          [t('dashboard.solveTimes.wasm'), percent(usedWasm, reported)],
        ]}
      />
      <p class="help">
        {rich('dashboard.solveTimes.help', { count: grouped(reported) }, reported)}{' '}
        {reported < RELIABLE_TIMES && t('dashboard.solveTimes.few', { minimum: RELIABLE_TIMES })}
      </p>
      {advice}
    </Card>
  );
}

/** In the units of the drawing. */
const [BAR, GAP, HEIGHT] = [11, 1, 80];

/** Bars whose titles name the range and the number of its solve times, and the same as a list. */
function histogramOf(ranges: readonly TimeRange[], reported: number) {
  const most = Math.max(...ranges.map(({ count }) => count));
  const nameOf = ({ least, end }: TimeRange) =>
    t('dashboard.solveTimes.range', { from: duration(least), to: duration(end) });
  const countOf = ({ count }: TimeRange) => `${grouped(count)} (${percent(count, reported)})`;
  const bars = ranges.map((range, index) => {
    const height = range.count === 0 ? 0 : Math.max(1, Math.round((range.count / most) * HEIGHT));
    const bar = `M${index * (BAR + GAP)} ${HEIGHT}v-${height}h${BAR}v${height}z`;
    // The whole column is sensitive to the pointer.
    const column = `M${index * (BAR + GAP)} 0h${BAR + GAP}v${HEIGHT}h-${BAR + GAP}z`;
    const title = `<title>${nameOf(range)}: ${countOf(range)}</title>`;
    return `<g>${title}<path class="column" d="${column}"/><path d="${bar}"/></g>`;
  });
  const fullest = ranges.find(({ count }) => count === most);
  const label = t('dashboard.solveTimes.histogram', { range: fullest === undefined ? '' : nameOf(fullest) });
  const width = ranges.length * (BAR + GAP) - GAP;
  return (
    <div class="histogram">
      <div role="img" aria-label={label}>
        <Raw
          markup={`<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" focusable="false">${bars.join('')}</svg>`}
        />
      </div>
      <p class="edges" aria-hidden="true">
        <span>{duration(ranges[0]?.least)}</span>
        <span>{duration(ranges[Math.floor(ranges.length / 2)]?.least)}</span>
        <span>{duration(ranges.at(-1)?.end)}</span>
      </p>
      <details>
        <summary>{t('dashboard.solveTimes.ranges')}</summary>
        <DescriptionList items={ranges.map((range) => [nameOf(range), countOf(range)])} />
      </details>
    </div>
  );
}
