import type { Property } from '../../../model/property.ts';
import type { PropertyReport, Summary, Totals } from '../../../platform/properties/statistics.ts';
import { toPropertyStatistics } from '../../statisticsDocument.ts';
import { EmptyState } from '../components/emptyState.tsx';
import { type Figure, pointChange, relativeChange } from '../components/figures.tsx';
import { duration, grouped, percent } from '../components/numbers.ts';
import {
  isEmpty,
  ReportContents,
  ReportHead,
  type ReportPage,
  StatisticsReport,
} from '../components/statisticsReport.tsx';
import { t } from '../i18n/t.ts';
import { fragment } from '../kit/fragment.ts';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { csvOf, jsonOf, type ReportResult, reportFor, reportPath } from '../kit/reports.ts';
import { notFound } from '../kit/responses.tsx';
import { LevelAdviceText } from './levelAdvice.tsx';
import { propertyPage } from './propertyPage.tsx';

type Result = ReportResult<PropertyReport>;

/** The statistics of a property. */
export async function showDashboard(visit: PropertyVisit, deps: PortalDeps) {
  const result = await loadReport(visit, deps);
  return result instanceof Response ? result : showResult(visit, deps, result);
}

async function showResult(visit: PropertyVisit, deps: PortalDeps, result: Result) {
  const content = <StatisticsReport page={await pageOf(visit, deps, result)} result={result} />;
  return propertyPage(visit, '', { content, head: <ReportHead />, errors: result.errors });
}

/** The current numbers as a fragment, for the script of the page. */
export async function getLiveDashboard(visit: PropertyVisit, deps: PortalDeps) {
  const result = await loadReport(visit, deps);
  if (result instanceof Response) return result;
  if (result.report === undefined) return notFound(visit);
  const page = await pageOf(visit, deps, result);
  return fragment(visit, <ReportContents page={page} report={result.report} />);
}

export async function downloadDashboard(visit: PropertyVisit, deps: PortalDeps) {
  const result = await loadReport(visit, deps);
  if (result instanceof Response) return result;
  const { report } = result;
  return report === undefined ? showResult(visit, deps, result) : csvOf(report, visit.property.domain);
}

export async function downloadDashboardJson(visit: PropertyVisit, deps: PortalDeps) {
  const result = await loadReport(visit, deps);
  if (result instanceof Response) return result;
  const { report } = result;
  return report === undefined
    ? showResult(visit, deps, result)
    : jsonOf(report, visit.property.domain, toPropertyStatistics(report));
}

function loadReport(visit: PropertyVisit, deps: PortalDeps): Promise<Result | Response> {
  const { actor, organization, property } = visit;
  return reportFor(visit, (...query) => deps.statistics.of(actor, organization.id, property.id, ...query));
}

async function pageOf(
  visit: PropertyVisit,
  deps: PortalDeps,
  { query, report }: Result,
): Promise<ReportPage<PropertyReport>> {
  const { property, propertyPath } = visit;
  const hadVisitors = report !== undefined && isEmpty(report) && (await hasNumbers(visit, deps));
  const empty = hadVisitors ? (
    <EmptyState
      icon="chart"
      title={t('dashboard.empty.rangeTitle')}
      text={t('dashboard.empty.rangeText')}
      action={
        query.range !== '1y' && (
          <a class="button" href={reportPath(propertyPath, query, { range: '1y' })}>
            {t('dashboard.empty.showYear')}
          </a>
        )
      }
    />
  ) : (
    <EmptyState
      icon="chart"
      title={t('dashboard.empty.title')}
      text={t('dashboard.empty.text')}
      action={
        <a class="button" href={`${propertyPath}/integration`}>
          {t('dashboard.empty.action')}
        </a>
      }
    />
  );
  return {
    path: propertyPath,
    filesPath: `${propertyPath}/statistics`,
    figures: figuresOf,
    sentence: ({ difficulty }) => <DifficultySentence property={property} difficulty={difficulty} />,
    hasSolveTimes: true,
    advice: ({ levelAdvice }) => <LevelAdviceText advice={levelAdvice} />,
    empty,
  };
}

/** The numbers of a property, compared with the previous period. */
function figuresOf({ totals, solveTimes, difficulty, comparison }: PropertyReport): readonly Figure[] {
  const [now, before] = [comparison?.current, comparison?.previous];
  const count = (key: keyof Totals): Figure => ({
    label: t(`dashboard.figures.${key}`),
    value: grouped(totals[key]),
    note: t(`dashboard.figures.notes.${key}`),
    change: relativeChange(now?.totals[key], before?.totals[key]),
  });
  const { accepted, all } = acceptedIn(totals);
  const earlier = before && acceptedIn(before.totals);
  return [
    count('issued'),
    count('verified'),
    count('repeated'),
    count('failed'),
    {
      label: t('dashboard.figures.accepted'),
      value: percent(accepted, all),
      note: t('dashboard.figures.notes.accepted'),
      change: pointChange(
        acceptedShare(now),
        acceptedShare(before),
        earlier === undefined ? '' : percent(earlier.accepted, earlier.all),
      ),
    },
    {
      label: t('dashboard.figures.solveTime'),
      value: duration(solveTimes.p50),
      note: t('dashboard.figures.notes.solveTime'),
      change: relativeChange(now?.p50, before?.p50, duration),
    },
    {
      label: t('dashboard.figures.difficulty'),
      value: `${difficulty}`,
      note: t('dashboard.figures.notes.difficulty'),
    },
  ];
}

function acceptedIn({ verified, repeated, failed }: Totals) {
  const accepted = verified + repeated;
  return { accepted, all: accepted + failed };
}

function acceptedShare(summary: Summary | undefined): number | undefined {
  if (summary === undefined) return undefined;
  const { accepted, all } = acceptedIn(summary.totals);
  return all === 0 ? undefined : accepted / all;
}

/** Explains the difficulty. Eight levels double the work: docs/reference/protocol.md#work. */
function DifficultySentence(props: { readonly property: Property; readonly difficulty: number }) {
  const { property, difficulty } = props;
  const { level, growth, isEnabled } = property;
  if (!isEnabled) return <>{t('dashboard.difficulty.disabled', { level })}</>;
  if (growth === 'constant') return <>{t('dashboard.difficulty.constant', { level })}</>;
  if (difficulty === level) return <>{t('dashboard.difficulty.level', { level })}</>;
  const factor = grouped(Math.round(10 * 2 ** ((difficulty - level) / 8)) / 10);
  return <>{t('dashboard.difficulty.raised', { difficulty, level, factor })}</>;
}

/** Whether the property has numbers in the last year, the longest range. */
async function hasNumbers(visit: PropertyVisit, deps: PortalDeps): Promise<boolean> {
  const { actor, organization, property } = visit;
  const year = await deps.statistics.of(actor, organization.id, property.id, '1y');
  return year.ok && !isEmpty(year.value);
}
