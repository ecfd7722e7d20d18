import { RANGES, type Range } from '../../../model/statistics.ts';
import type { Report, Totals } from '../../../platform/properties/statistics.ts';
import type { Children, Element } from '../../jsx/elements.ts';
import { ASSET_PATHS } from '../kit/assets.tsx';
import { withQuery } from '../kit/formData.ts';
import { RANGE_NAMES } from '../kit/reports.ts';
import { Card } from './card.tsx';
import { DescriptionList } from './descriptionList.tsx';
import { duration, grouped, percent } from './numbers.ts';
import { RejectionsCard } from './rejectionsCard.tsx';
import { Table } from './table.tsx';
import { Day, Moment } from './time.tsx';

const ALL_RANGES = Object.keys(RANGES) as readonly Range[];

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

/** The numbers of a range, with links to the other ranges. */
export function StatisticsReport(props: {
  readonly report: Report;
  readonly path: string;
  readonly csvPath: string;
  readonly tiles: readonly Tile[];
  readonly hasSolveTimes: boolean;
  /** Replaces the numbers if all of them are zero. */
  readonly empty: Children;
}): Element {
  const { report, path } = props;
  return (
    <>
      <RangeLinks path={path} current={report.range} />
      {isEmpty(report) ? (
        props.empty
      ) : (
        <>
          <Tiles tiles={props.tiles} />
          <ChartCard report={report} />
          <RejectionsCard report={report} />
          {props.hasSolveTimes && <SolveTimesCard report={report} />}
          <NumbersCard report={report} csvPath={props.csvPath} />
        </>
      )}
    </>
  );
}

/** Links to the same page for each range. */
function RangeLinks({ path, current }: { readonly path: string; readonly current: Range }) {
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

/** A number with its label and an optional note. */
export type Tile = readonly [label: string, value: string, note?: string];

function Tiles({ tiles }: { readonly tiles: readonly Tile[] }) {
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
function ChartCard({ report }: ReportProps) {
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
        By {step}, in UTC. The last {step} is not complete yet. The table below has all numbers.
      </p>
    </Card>
  );
}

const CHARTED = [
  ['issued', 'Issued'],
  ['verified', 'Verified'],
  ['failed', 'Rejected'],
] as const satisfies readonly (readonly [keyof Totals, string])[];

/** The times that browsers took to solve puzzles, as reported by the widget. */
function SolveTimesCard({ report }: ReportProps) {
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
          ['50% within', duration(p50)],
          ['75% within', duration(p75)],
          ['95% within', duration(p95)],
          ['99% within', duration(p99)],
          ['With WebAssembly', percent(usedWasm, reported)],
        ]}
      />
      <p class="help">
        From {grouped(reported)} accepted solutions, as reported by visitors’ browsers; the server cannot
        check them. Accurate to 12.5%.
      </p>
    </Card>
  );
}

/** All numbers in a table, and a link to the CSV file. A script closes the table when it shows the chart. */
function NumbersCard(props: ReportProps & { readonly csvPath: string }) {
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
