import { csvLine } from '../../lib/csv.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { type Instant, later, toIso } from '../../lib/time.ts';
import type { PeriodProblem, RangeChoice } from '../../model/period.ts';
import type { Report, ReportOptions } from '../../platform/properties/statistics.ts';
import type { Handler, PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { fragment, notFound } from '../kit/responses.tsx';
import { type ReportResult, reportFor } from './reports.ts';
import { ReportContents, type ReportPage } from './statisticsReport.tsx';

/** What differs between the reports of properties and of the installation. */
type ReportSource<V extends SignedInVisit, R extends Report> = {
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
export function reportHandlers<V extends SignedInVisit, R extends Report>(source: ReportSource<V, R>) {
  const { load, show, pageOf, nameOf, documentOf } = source;
  type Respond = (
    report: R,
    visit: V,
    deps: PortalDeps,
    result: ReportResult<R>,
  ) => Promise<Response> | Response;

  /** @param otherwise responds to an invalid custom range */
  function handler(respond: Respond, otherwise = show): Handler<V> {
    return async (visit, deps) => {
      const result = await reportFor<R>(visit, (...query) => load(visit, deps, ...query));
      if (result instanceof Response) return result;
      return result.report === undefined
        ? otherwise(visit, deps, result)
        : respond(result.report, visit, deps, result);
    };
  }

  return {
    show: handler((_, ...args) => show(...args)),
    live: handler(async (report, visit, deps, result) => {
      const page = await pageOf(visit, deps, result);
      return fragment(visit, <ReportContents page={page} report={report} />);
    }, notFound),
    csv: handler((report, visit) => csvOf(report, nameOf(visit))),
    json: handler((report, visit) => jsonOf(report, nameOf(visit), documentOf(report))),
  };
}

/**
 * A report as a CSV file with the columns of the page and the names and times of the API.
 *
 * @param object part of the file name: ASCII letters, digits, dots, and hyphens
 */
function csvOf(report: Report, object: string): Response {
  const lines = report.series.map(({ at, issued, verified, repeated, failed }) =>
    csvLine([toIso(at), issued, verified, repeated, failed]),
  );
  const head = csvLine(['from', 'issued', 'verified', 'repeated', 'failed']);
  return new Response(head + lines.join(''), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': attachment(report, object, 'csv'),
    },
  });
}

/** A report as a JSON file with the members of the API. @param object as for `csvOf` */
function jsonOf(report: Report, object: string, document: unknown): Response {
  return new Response(`${JSON.stringify(document, null, 2)}\n`, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': attachment(report, object, 'json'),
    },
  });
}

/** A file name such as `postern-example.com-7d-2026-01-31.csv`, or with both days of a custom range. */
function attachment({ range, from, until }: Report, object: string, extension: string): string {
  const day = (instant: Instant) => toIso(instant).slice(0, 10);
  const last = day(later(until, -1));
  const span = range === 'custom' ? `${day(from)}-${last}` : `${range}-${last}`;
  return `attachment; filename="postern-${object}-${span}.${extension}"`;
}
