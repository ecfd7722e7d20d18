import { EmptyState } from '../components/sections.tsx';
import { t } from '../i18n/t.tsx';
import { propertyFigures } from './figures.tsx';
import type { ReportPage } from './statisticsReport.tsx';

/** The parts of a dashboard for several properties. @param path of the page, and of its files */
export function propertiesPage(path: string): ReportPage {
  return {
    path,
    filesPath: path,
    figures: propertyFigures,
    isOfProperties: true,
    empty: (
      <EmptyState icon="chart" title={t('dashboard.empty.rangeTitle')} text={t('dashboard.empty.several')} />
    ),
  };
}
