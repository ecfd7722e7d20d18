import { toPropertyStatistics } from '../../http/statisticsDocument.ts';
import { isUnderAttack } from '../../model/attackMode.ts';
import type { Property } from '../../model/property.ts';
import type { PropertyReport } from '../../platform/properties/statistics.ts';
import { changesIn } from '../activity/changes.tsx';
import { AttackButton } from '../components/attackMode.tsx';
import { ButtonLink } from '../components/form.tsx';
import { EmptyState } from '../components/sections.tsx';
import { grouped } from '../components/values.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { propertyPage } from '../kit/pages.tsx';
import { type Figure, figure, propertyFigures } from '../statistics/figures.tsx';
import { reportHandlers } from '../statistics/reportHandlers.tsx';
import { type ReportResult, reportPath } from '../statistics/reports.tsx';
import { isEmpty, ReportHead, type ReportPage, StatisticsReport } from '../statistics/statisticsReport.tsx';
import { LevelAdviceText } from './solveCost.tsx';

type Result = ReportResult<PropertyReport>;

/** The statistics of a property. */
export const DASHBOARD = reportHandlers<PropertyVisit, PropertyReport>({
  load: ({ actor, organization, property }, { statistics }, ...query) =>
    statistics.of(actor, organization.id, property.id, ...query),
  async show(visit, deps, result) {
    const page = await pageOf(visit, deps, result);
    const changes = result.report && (await changesIn(visit, deps, result.report, visit.property));
    const content = <StatisticsReport page={page} result={result} changes={changes} />;
    const { property, propertyPath } = visit;
    const actions = (
      <>
        <ButtonLink path={`${propertyPath}/share`} text={t('properties.share.link')} tone="quiet" />
        <AttackButton visit={visit} path={propertyPath} of={property} />
      </>
    );
    return propertyPage(visit, '', { content, actions, head: <ReportHead />, errors: result.errors });
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
  const isAttacked = isUnderAttack(property, pageContext().now);
  const hadVisitors = report !== undefined && isEmpty(report) && (await hasNumbers(visit, deps));
  const yearPath = reportPath(propertyPath, query, { range: '1y' });
  const toYear = query.range !== '1y' && <ButtonLink path={yearPath} text={t('dashboard.empty.showYear')} />;
  const toCode = <ButtonLink path={`${propertyPath}/integration`} text={t('dashboard.empty.action')} />;
  const empty = (
    <EmptyState
      icon="chart"
      title={t(hadVisitors ? 'dashboard.empty.rangeTitle' : 'dashboard.empty.title')}
      text={t(hadVisitors ? 'dashboard.empty.rangeText' : 'dashboard.empty.text')}
      action={hadVisitors ? toYear : toCode}
    />
  );
  return {
    path: propertyPath,
    filesPath: `${propertyPath}/statistics`,
    figures: figuresOf,
    // The banner explains the difficulty.
    ...(!isAttacked && {
      sentence: ({ difficulty, isUnfinished }) => isUnfinished && sentenceOf(property, difficulty),
    }),
    isOfProperties: true,
    advice: ({ levelAdvice }) => <LevelAdviceText advice={levelAdvice} />,
    empty,
  };
}

/** The numbers of a property, compared with the previous period. */
export const figuresOf = (report: PropertyReport): readonly Figure[] => [
  ...propertyFigures(report),
  // About now, not about the range.
  ...(report.isUnfinished ? [figure('difficulty', `${report.difficulty}`)] : []),
];

/** Explains the difficulty. Eight levels double the work: docs/reference/protocol.md#work. */
function sentenceOf({ level, growth, isEnabled }: Property, difficulty: number): string {
  if (!isEnabled) return t('dashboard.difficulty.disabled', { level });
  if (growth === 'constant') return t('dashboard.difficulty.constant', { level });
  if (difficulty === level) return t('dashboard.difficulty.level', { level });
  const factor = grouped(Math.round(10 * 2 ** ((difficulty - level) / 8)) / 10);
  return t('dashboard.difficulty.raised', { difficulty, level, factor });
}

/** Whether the property has numbers in the last year, the longest range. */
async function hasNumbers(visit: PropertyVisit, deps: PortalDeps): Promise<boolean> {
  const { actor, organization, property } = visit;
  const year = await deps.statistics.of(actor, organization.id, property.id, '1y');
  return year.ok && !isEmpty(year.value);
}
