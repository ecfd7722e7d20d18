import { type Html, html } from '../../../lib/html.ts';
import { type Instant, isoOf } from '../../../lib/time.ts';
import { parseRange, RANGES, type Range } from '../../../model/statistics.ts';
import type { Report, Totals } from '../../../platform/statistics.ts';
import { ASSET_PATHS } from '../kit/assets.tsx';
import { withQuery } from '../kit/formData.ts';
import { refused } from '../kit/responses.tsx';
import type { Visit } from '../kit/route.ts';
import { duration, grouped, percent } from './numbers.ts';
import { card, moment, table } from './parts.tsx';

/** Ranges as people say them. */
export const RANGE_NAMES: Readonly<Record<Range, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '1y': '1 year',
};

const ALL_RANGES = Object.keys(RANGES) as readonly Range[];

/** The range that the query names, 24 hours where it names none. @returns undefined for any other: `noSuchRange` */
export function rangeOf({ query }: Pick<Visit, 'query'>): Range | undefined {
  return parseRange(query.get('range') ?? '24h');
}

/** An address that names no range: told, rather than shown other numbers than were asked for. */
export function noSuchRange(visit: Visit): Response {
  const names = Object.values(RANGE_NAMES).join(', ');
  return refused(visit, 400, 'No such range', `Statistics are there for ${names}.`);
}

/** What a page of a report loads beside the rest; the scripts, where there is a chart. */
export function headOf(report: Report): Html {
  const scripts = html`<script src="${ASSET_PATHS.plotScript}" defer></script>
<script src="${ASSET_PATHS.chartScript}" type="module"></script>
`;
  return html`<link rel="stylesheet" href="${ASSET_PATHS.chartStyle}">
${isEmpty(report) ? '' : scripts}`;
}

/** Links to the same page for each range. */
export function rangeLinks(path: string, here: Range): Html {
  const links = ALL_RANGES.map(
    (range) =>
      html`<li><a href="${withQuery(path, { range })}"${range === here ? html` aria-current="true"` : ''}>${RANGE_NAMES[range]}</a></li>`,
  );
  return html`<nav class="ranges" aria-label="Range"><ul>${links}</ul></nav>
`;
}

/** A number with what it is, and a word more where it needs one. */
export type Tile = readonly [label: string, value: string, note?: string];

export function tiles(all: readonly Tile[]): Html {
  const items = all.map(
    ([label, value, note]) =>
      html`<div><dt>${label}</dt><dd>${value}</dd>${note === undefined ? '' : html`<dd class="note">${note}</dd>`}</div>
`,
  );
  return html`<dl class="tiles">${items}</dl>
`;
}

/** Whether nothing at all was counted. */
export function isEmpty({ totals }: Report): boolean {
  return Object.values(totals).every((count) => count === 0);
}

/** The chart, for those who have scripts; the numbers in `numbersCard` are the same. */
export function chartCard({ range, step, from, series, totals }: Report): Html {
  const each = (name: keyof Totals) => series.map((one) => one[name]).join(',');
  const keys = CHARTED.map(
    ([name, label]) =>
      html`<span class="key ${name}">${label} <b data-value="${name}">${grouped(totals[name])}</b></span>
`,
  );
  const content = html`<figure class="chart" hidden data-from="${from}" data-step="${step}"${CHARTED.map(
    ([name]) => html` data-${name}="${each(name)}"`,
  )}>
<figcaption>${keys}<span class="when">${RANGE_NAMES[range]}</span></figcaption>
<div class="plot" aria-hidden="true"></div>
</figure>
<p class="help">By ${step}, UTC; the last ${step} is not over yet. All numbers are below.</p>`;
  return card('Over time', content);
}

const CHARTED = [
  ['issued', 'Issued'],
  ['verified', 'Verified'],
  ['failed', 'Refused'],
] as const satisfies readonly (readonly [keyof Totals, string])[];

/** How long solving took, as far as widgets told. */
export function solveTimeCard({ solveTimes }: Report): Html {
  const { told, usedWasm, p50, p75, p95, p99 } = solveTimes;
  if (told === 0) return card('Solve times', html`<p class="empty">No widget has told how long it took.</p>`);
  const rows = [
    ['Half within', duration(p50)],
    ['75 % within', duration(p75)],
    ['95 % within', duration(p95)],
    ['99 % within', duration(p99)],
    ['With WebAssembly', percent(usedWasm, told)],
  ] as const;
  return card(
    'Solve times',
    html`<dl class="times">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="help">Of ${grouped(told)} accepted solutions, in the words of the visitors’ own browsers: nobody can check them. Up to 12.5 % off.</p>`,
  );
}

/** Every step in numbers, and the file. Open where there are no scripts: then it is the chart. */
export function numbersCard({ range, step, series }: Report, csvPath: string): Html {
  const rows = series.map(({ at, issued, verified, failed, repeated }) => [
    step === 'hour' ? moment(at) : dayName(at),
    ...[issued, verified, failed, repeated].map(grouped),
  ]);
  const numbers = table({
    caption: `By ${step}, UTC, oldest first`,
    head: [step === 'hour' ? 'Hour' : 'Day', 'Issued', 'Verified', 'Refused', 'Repeats'],
    rows,
    empty: '',
  });
  return card(
    'In numbers',
    html`<p><a href="${withQuery(csvPath, { range })}" download>Download as CSV</a></p>
<details class="numbers" open><summary>${grouped(series.length)} ${step}s</summary>
${numbers}</details>`,
  );
}

function dayName(at: Instant): Html {
  const day = isoOf(at).slice(0, 10);
  return html`<time datetime="${day}">${day}</time>`;
}

/**
 * Every step as a file: CSV (RFC 4180) with the names and times of the API. Numbers and times alone, so no program takes
 * a cell for a formula.
 *
 * @param subject for the file's name: ASCII letters, digits, dots and hyphens
 */
export function csvOf({ range, until, series }: Report, subject: string): Response {
  const lines = series.map(({ at, issued, verified, repeated, failed }) =>
    [isoOf(at), issued, verified, repeated, failed].join(','),
  );
  const day = isoOf((until - 1) as Instant).slice(0, 10);
  return new Response(`${['from,issued,verified,repeated,failed', ...lines].join('\r\n')}\r\n`, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="postern-${subject}-${range}-${day}.csv"`,
    },
  });
}
