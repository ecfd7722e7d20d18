import { type Instant, toIso } from '../../../lib/time.ts';
import { parseRange, RANGES, type Range } from '../../../model/statistics.ts';
import type { Report, Totals } from '../../../platform/properties/statistics.ts';
import type { Element } from '../../jsx/elements.ts';
import { ASSET_PATHS } from '../kit/assets.tsx';
import { withQuery } from '../kit/formData.ts';
import { errorPage } from '../kit/responses.tsx';
import type { Visit } from '../kit/visit.ts';
import { Card } from './card.tsx';
import { DescriptionList } from './descriptionList.tsx';
import { duration, grouped, percent } from './numbers.ts';
import { Table } from './table.tsx';
import { Day, Moment } from './time.tsx';

/** The labels of the ranges. */
export const RANGE_NAMES: Readonly<Record<Range, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '1y': '1 year',
};

const ALL_RANGES = Object.keys(RANGES) as readonly Range[];

/** The range in the query, 24 hours by default. @returns undefined if it is unknown; respond with `noSuchRange` */
export function rangeOf({ query }: Pick<Visit, 'query'>): Range | undefined {
  return parseRange(query.get('range') ?? '24h');
}

/** The page for an unknown range (400). */
export function noSuchRange(visit: Visit): Response {
  const names = Object.values(RANGE_NAMES).join(', ');
  return errorPage(visit, 400, 'Unknown range', `Choose one of these ranges: ${names}.`);
}

type ReportProps = { readonly report: Report };

/** The style sheet of a report's page, and the scripts of its chart. */
export function ReportHead({ report }: ReportProps): Element {
  return (
    <>
      <link rel="stylesheet" href={ASSET_PATHS.chartStyle} />
      {!isEmpty(report) && (
        <>
          <script src={ASSET_PATHS.plotScript} defer />
          <script src={ASSET_PATHS.chartScript} type="module" />
        </>
      )}
    </>
  );
}

/** Links to the same page for each range. */
export function RangeLinks({ path, current }: { readonly path: string; readonly current: Range }): Element {
  return (
    <nav class="ranges" aria-label="Range">
      <ul>
        {ALL_RANGES.map((range) => (
          <li>
            <a href={withQuery(path, { range })} aria-current={range === current ? 'true' : undefined}>
              {RANGE_NAMES[range]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A number with its label, and a note if the number needs one. */
export type Tile = readonly [label: string, value: string, note?: string];

/** The most important numbers of a report. */
export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }): Element {
  return (
    <dl class="tiles">
      {tiles.map(([label, value, note]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
          {note !== undefined && <dd class="note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** Whether all counts are zero. */
export function isEmpty({ totals }: Report): boolean {
  return Object.values(totals).every((count) => count === 0);
}

/** The chart, which a script draws. `NumbersCard` shows the same numbers without scripts. */
export function ChartCard({ report }: ReportProps): Element {
  const { range, step, from, series, totals } = report;
  const data = Object.fromEntries(
    CHARTED.map(([name]) => [`data-${name}`, series.map((one) => one[name]).join(',')]),
  );
  return (
    <Card title="Over time">
      <figure class="chart" hidden data-from={from} data-step={step} {...data}>
        <figcaption>
          {CHARTED.map(([name, label]) => (
            <>
              <span class={`key ${name}`}>
                {label} <b data-value={name}>{grouped(totals[name])}</b>
              </span>{' '}
            </>
          ))}
          <span class="when">{RANGE_NAMES[range]}</span>
        </figcaption>
        <div class="plot" aria-hidden="true" />
      </figure>
      <p class="help">
        By {step}, UTC; the last {step} is not over yet. The table below has all numbers.
      </p>
    </Card>
  );
}

const CHARTED = [
  ['issued', 'Issued'],
  ['verified', 'Verified'],
  ['failed', 'Rejected'],
] as const satisfies readonly (readonly [keyof Totals, string])[];

/** How long browsers took to solve puzzles, as reported by the widget. */
export function SolveTimesCard({ report }: ReportProps): Element {
  const { reported, usedWasm, p50, p75, p95, p99 } = report.solveTimes;
  if (reported === 0)
    return (
      <Card title="Solve times">
        <p class="empty">No widget has reported a solve time.</p>
      </Card>
    );
  return (
    <Card title="Solve times">
      <DescriptionList
        class="times"
        items={[
          ['50 % within', duration(p50)],
          ['75 % within', duration(p75)],
          ['95 % within', duration(p95)],
          ['99 % within', duration(p99)],
          ['With WebAssembly', percent(usedWasm, reported)],
        ]}
      />
      <p class="help">
        From {grouped(reported)} accepted solutions, as reported by visitors’ browsers; the server cannot
        check them. Accurate to 12.5 %.
      </p>
    </Card>
  );
}

/** All numbers in a table, and a link to the CSV file. A script closes the table where the chart is shown. */
export function NumbersCard(props: ReportProps & { readonly csvPath: string }): Element {
  const { range, step, series } = props.report;
  const isHourly = step === 'hour';
  return (
    <Card title="Numbers">
      <p>
        <a href={withQuery(props.csvPath, { range })} download>
          Download as CSV
        </a>
      </p>
      <details class="numbers" open>
        <summary>
          {grouped(series.length)} {step}s
        </summary>
        <Table
          caption={`By ${step}, UTC, oldest first`}
          head={[isHourly ? 'Hour' : 'Day', 'Issued', 'Verified', 'Rejected', 'Repeats']}
          rows={series.map(({ at, issued, verified, failed, repeated }) => [
            isHourly ? <Moment instant={at} /> : <Day instant={at} />,
            ...[issued, verified, failed, repeated].map(grouped),
          ])}
          empty=""
        />
      </details>
    </Card>
  );
}

/**
 * The report as a CSV file (RFC 4180) with the names and times of the API. It contains only numbers and times, so no
 * spreadsheet reads a cell as a formula.
 *
 * @param subject part of the file name: ASCII letters, digits, dots, and hyphens
 */
export function csvOf({ range, until, series }: Report, subject: string): Response {
  const lines = series.map(({ at, issued, verified, repeated, failed }) =>
    [toIso(at), issued, verified, repeated, failed].join(','),
  );
  const day = toIso((until - 1) as Instant).slice(0, 10);
  return new Response(`${['from,issued,verified,repeated,failed', ...lines].join('\r\n')}\r\n`, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="postern-${subject}-${range}-${day}.csv"`,
    },
  });
}
