import { toPropertyStatistics } from '../../http/statisticsDocument.ts';
import type { Property } from '../../model/property.ts';
import type { PropertyReport, Summary, Totals } from '../../platform/properties/statistics.ts';
import { EmptyState } from '../components/card.tsx';
import { duration, grouped, percent } from '../components/numbers.ts';
import { t } from '../i18n/t.ts';
import { propertyPage } from '../kit/frames.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { countFigure, type Figure, pointChange, relativeChange } from '../statistics/figures.tsx';
import { reportHandlers } from '../statistics/reportHandlers.tsx';
import { type ReportResult, reportPath } from '../statistics/reports.ts';
import { isEmpty, ReportHead, type ReportPage, StatisticsReport } from '../statistics/statisticsReport.tsx';
import { LevelAdviceText } from './solveCost.tsx';

type Result = ReportResult<PropertyReport>;

/** The statistics of a property. */
export const DASHBOARD = reportHandlers<PropertyVisit, PropertyReport>({
  load: ({ actor, organization, property }, { statistics }, ...query) =>
    statistics.of(actor, organization.id, property.id, ...query),
  async show(visit, deps, result) {
    const content = <StatisticsReport page={await pageOf(visit, deps, result)} result={result} />;
    return propertyPage(visit, '', { content, head: <ReportHead />, errors: result.errors });
  },
  pageOf,
  nameOf: ({ property }) => property.domain,
  documentOf: toPropertyStatistics,
});

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
function figuresOf(report: PropertyReport): readonly Figure[] {
  const { totals, solveTimes, difficulty, comparison } = report;
  const [now, before] = [comparison?.current, comparison?.previous];
  const { accepted, all } = acceptedIn(totals);
  const earlier = before && acceptedIn(before.totals);
  return [
    ...(['issued', 'verified', 'repeated', 'failed'] as const).map((key) => countFigure(report, key)),
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
