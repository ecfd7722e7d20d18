import { VERDICT_CODES, type VerdictName } from '../../../captcha/verdict.ts';
import type { Report } from '../../../platform/properties/statistics.ts';
import type { Element } from '../../jsx/elements.ts';
import type { Catalog } from '../i18n/catalog.ts';
import { hasText, t } from '../i18n/t.ts';
import { Card } from './card.tsx';
import { grouped, percent } from './numbers.ts';

const NAMES: ReadonlyMap<number, VerdictName> = new Map(
  Object.entries(VERDICT_CODES).map(([name, code]) => [code, name as VerdictName]),
);

/** Rejected verifications by reason, with advice, the most frequent reason first. */
export function RejectionsCard(props: { readonly report: Pick<Report, 'failures' | 'totals'> }): Element {
  const { failures, totals } = props.report;
  const sorted = [...failures].toSorted(([, a], [, b]) => b - a);
  return (
    <Card title={t('dashboard.rejections.title')}>
      {sorted.length === 0 || totals.failed === 0 ? (
        <p class="empty">{t('dashboard.rejections.none')}</p>
      ) : (
        <ul class="rejections">
          {sorted.map(([code, count]) => (
            <Rejection code={code} count={count} total={totals.failed} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Rejection(props: {
  readonly code: number;
  readonly count: number;
  readonly total: number;
}): Element {
  const { code, count, total } = props;
  const name = NAMES.get(code);
  const reason = name !== undefined && hasReason(name) ? name : undefined;
  return (
    <li>
      <h3>
        {reason === undefined
          ? t('dashboard.rejections.other')
          : t(`dashboard.rejections.reasons.${reason}.title`)}
      </h3>
      <p class="count">
        <strong>{grouped(count)}</strong> <span>{percent(count, total)}</span>
      </p>
      <p class="help">
        {reason !== undefined && t(`dashboard.rejections.reasons.${reason}.advice`)}{' '}
        <code>
          {code} {name ?? ''}
        </code>
      </p>
    </li>
  );
}

function hasReason(name: VerdictName): name is keyof Catalog['dashboard']['rejections']['reasons'] {
  return hasText(`dashboard.rejections.reasons.${name}.title`);
}
