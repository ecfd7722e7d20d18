import type { GeoipFile, GeoipStatus } from '../../../model/rules/geoip.ts';
import type { Children, Element } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { Table } from '../components/table.tsx';
import { Day } from '../components/time.tsx';
import { t } from '../i18n/t.ts';

/** The GeoIP files of the server, for administrators. */
export function GeoipCard({ status }: { readonly status: GeoipStatus }): Element {
  return (
    <Card title={t('rules.geoip.title')}>
      {status.files.length === 0 ? (
        <p>{t('rules.geoip.none')}</p>
      ) : (
        <Table
          caption={t('rules.geoip.caption')}
          head={[
            t('rules.geoip.path'),
            t('rules.geoip.type'),
            t('rules.geoip.built'),
            t('rules.geoip.state'),
          ]}
          rows={status.files.map(rowOf)}
          empty=""
        />
      )}
    </Card>
  );
}

function rowOf({ path, type, builtAt, failure }: GeoipFile): readonly Children[] {
  return [
    <code>{path}</code>,
    type ?? t('rules.geoip.unknown'),
    builtAt === undefined ? t('rules.geoip.unknown') : <Day instant={builtAt} />,
    stateOf(failure, type !== undefined),
  ];
}

function stateOf(failure: string | undefined, wasRead: boolean): Element {
  if (failure === undefined) return <span class="badge good">{t('rules.geoip.loaded')}</span>;
  const reason = failure;
  return <span class="error">{t(wasRead ? 'rules.geoip.outdated' : 'rules.geoip.failed', { reason })}</span>;
}
