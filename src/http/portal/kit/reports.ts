import type { Outcome } from '../../../lib/outcome.ts';
import { type Instant, toIso } from '../../../lib/time.ts';
import { parseRange, type Range } from '../../../model/statistics.ts';
import type { Report } from '../../../platform/properties/statistics.ts';
import type { Visit } from './handler.ts';
import { errorPage, notFound } from './responses.tsx';

export const RANGE_NAMES: Readonly<Record<Range, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '1y': '1 year',
};

/** Loads the report of the range in the query, 24 hours by default. @returns the page for an unknown range (400) or a lost object (404) */
export async function reportFor<R extends Report>(
  visit: Visit,
  load: (range: Range) => Promise<Outcome<R, string>>,
): Promise<R | Response> {
  const range = parseRange(visit.query.get('range') ?? '24h');
  if (range === undefined) {
    const names = Object.values(RANGE_NAMES).join(', ');
    return errorPage(visit, 400, 'Unknown range', `Choose one of these ranges: ${names}.`);
  }
  const report = await load(range);
  return report.ok ? report.value : notFound(visit);
}

/**
 * A report as a CSV file (RFC 4180) with the names and times of the API. It contains only numbers and times, so no
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
