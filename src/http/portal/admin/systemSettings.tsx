import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { Table } from '../components/table.tsx';
import { t } from '../i18n/t.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { factsFor, SystemTabs } from './systemTabs.tsx';

/** The effective settings. */
export async function showSettings(visit: SignedInVisit, deps: PortalDeps) {
  const { settings } = await factsFor(visit, deps);
  const content = (
    <Card title={t('admin.settings.title')}>
      <Table
        caption={t('admin.settings.caption')}
        head={[
          t('admin.settings.variable'),
          t('admin.settings.value'),
          t('admin.settings.source'),
          t('admin.settings.meaning'),
        ]}
        rows={settings.map(({ variable, value = '', source, meaning }) => [
          <code class="long">{variable}</code>,
          <code class="long">{value}</code>,
          t(`admin.settings.sources.${source}`),
          <span class="long" lang="en">
            {withCode(meaning)}
          </span>,
        ])}
        empty={t('admin.settings.none')}
      />
    </Card>
  );
  const title = t('admin.tabs.settings');
  return page(visit, {
    title,
    object: t('admin.system'),
    views: <SystemTabs current="/settings" />,
    content,
  });
}

/** Text in which backticks mark code. */
function withCode(text: string): readonly Children[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}
