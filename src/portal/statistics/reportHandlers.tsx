import { csvLine } from '../../lib/csv.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { type Instant, later, toIso } from '../../lib/time.ts';
import type { PeriodProblem, RangeChoice } from '../../model/period.ts';
import type { Report, ReportOptions } from '../../platform/properties/statistics.ts';
import type { Handler, PortalDeps, Visit } from '../kit/handler.ts';
import { fragment, notFound } from '../kit/pages.tsx';
import { inReportZone, type ReportResult, reportFor } from './reports.tsx';
import { ReportContents, type ReportPage } from './statisticsReport.tsx';

/** What differs between the reports of properties and of the installation. */
type ReportSource<V extends Visit, R extends Report> = {
  readonly load: (
    visit: V,
    deps: PortalDeps,
    range: RangeChoice,
    options: ReportOptions,
  ) => Promise<Outcome<R, string | PeriodProblem>>;
  /** The whole page. */
  readonly show: (visit: V, deps: PortalDeps, result: ReportResult<R>) => Promise<Response> | Response;
  readonly pageOf: (
    visit: V,
    deps: PortalDeps,
    result: ReportResult<R>,
  ) => Promise<ReportPage<R>> | ReportPage<R>;
  /** Part of the names of files: ASCII letters, digits, dots, and hyphens. */
  readonly nameOf: (visit: V) => string;
  /** The members of the API. */
  readonly documentOf: (report: R) => unknown;
};

/** The page of a report, the fragment with new numbers for its script, and the numbers as files. */
export function reportHandlers<V extends Visit, R extends Report>(source: ReportSource<V, R>) {
  const { load, show, pageOf, nameOf, documentOf } = source;
  type Respond = (
    report: R,
    visit: V,
    deps: PortalDeps,
    result: ReportResult<R>,
  ) => Promise<Response> | Response;

  /** @param otherwise responds to an invalid custom range */
  function handler(respond: Respond, otherwise = show): Handler<V> {
    async function handle(visit: V, deps: PortalDeps): Promise<Response> {
      const result = await reportFor<R>(visit, (...query) => load(visit, deps, ...query));
      if (result instanceof Response) return result;
      return result.report === undefined
        ? otherwise(visit, deps, result)
        : respond(result.report, visit, deps, result);
    }
    return (visit, deps) => inReportZone(visit.query, () => handle(visit, deps));
  }

  return {
    show: handler((_, ...args) => show(...args)),
    live: handler(async (report, visit, deps, result) => {
      const page = await pageOf(visit, deps, result);
      return fragment(visit, <ReportContents page={page} report={report} />);
    }, notFound),
    csv: handler((report, visit) => fileOf(report, nameOf(visit), 'csv', csvOf(report))),
    json: handler((report, visit) => {
      return fileOf(report, nameOf(visit), 'json', `${JSON.stringify(documentOf(report), null, 2)}\n`);
    }),
  };
}

/** A report as CSV with the columns of the page and the names and times of the API. */
function csvOf(report: Report): string {
  const lines = report.series.map(({ at, issued, verified, repeated, failed }) =>
    csvLine([toIso(at), issued, verified, repeated, failed]),
  );
  return csvLine(['from', 'issued', 'verified', 'repeated', 'failed']) + lines.join('');
}

const TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
} as const;

/**
 * A file with a name such as `postern-example.com-7d-2026-01-31.csv`, or with both days of a custom range.
 *
 * @param object part of the name: ASCII letters, digits, dots, and hyphens
 */
function fileOf({ range, from, until }: Report, object: string, extension: 'csv' | 'json', contents: string) {
  const day = (instant: Instant) => toIso(instant).slice(0, 10);
  const last = day(later(until, -1));
  const span = range === 'custom' ? `${day(from)}-${last}` : `${range}-${last}`;
  const disposition = `attachment; filename="postern-${object}-${span}.${extension}"`;
  const headers = { 'Content-Type': TYPES[extension], 'Content-Disposition': disposition };
  return new Response(contents, { headers });
}
