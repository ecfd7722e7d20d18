import type { Children } from '../../jsx/elements.ts';
import type { KeyUse, RuleUse, UseOfDay } from '../../platform/overview/useOverTime.ts';
import type { PeriodReport } from '../../platform/properties/periodReport.ts';
import { t, texts } from '../i18n/t.tsx';
import { Sparkline, type SparklineLabels } from './lastDay.tsx';
import { Card, Table } from './sections.tsx';
import { grouped } from './values.tsx';

/** The ranges of the card, in their order. */
const RANGES = ['24h', '30d'] as const;

const LABELS: Readonly<Record<(typeof RANGES)[number], SparklineLabels>> = {
  '24h': { none: () => t('components.use.none'), some: (counts) => t('components.use.hours', counts) },
  '30d': { none: () => t('components.use.none'), some: (counts) => t('components.use.days', counts) },
};

/** The cell of a list with the counts of the last 24 hours, and without a drawing if there are none. */
export function DayOfUse({ day }: { readonly day: UseOfDay | undefined }) {
  if (day === undefined || day.total === 0) return <>{grouped(0)}</>;
  return (
    <div class="use">
      <Sparkline series={day.series} labels={LABELS['24h']} />
      <span>{grouped(day.total)}</span>
    </div>
  );
}

type Name = keyof KeyUse | keyof RuleUse;

/**
 * The counts of an API key or of a rule in the last 24 hours and in the last 30 days.
 *
 * @param props.columns the names of the counts, in the order of the columns
 * @param props.load loads the report of a range; undefined if the object is gone
 */
export async function useCard<N extends Name>(props: {
  readonly title: string;
  readonly help: string;
  readonly columns: readonly N[];
  readonly load: (
    range: (typeof RANGES)[number],
  ) => Promise<PeriodReport<Readonly<Record<N, number>>> | undefined>;
}) {
  const { title, help, columns, load } = props;
  const reports = await Promise.all(RANGES.map(load));
  const rows = RANGES.map((range, index): readonly Children[] => {
    const report = reports[index];
    const series = report?.series.map((one) => columns.reduce((sum, name) => sum + one[name], 0)) ?? [];
    return [
      t(`components.use.periods.${range}`),
      <Sparkline series={series} labels={LABELS[range]} />,
      ...columns.map((name) => grouped(report?.totals[name] ?? 0)),
    ];
  });
  return (
    <Card title={title}>
      <Table
        hiddenCaption={title}
        head={texts('components.use.columns', 'period', 'series', ...columns)}
        numeric={columns.map((_, index) => index + 2)}
        rows={rows}
      />
      <p class="help">{help}</p>
    </Card>
  );
}
