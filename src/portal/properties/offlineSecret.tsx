import { CopyField } from '../components/copyable.tsx';
import { LinkButton } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { rich, t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { propertyPage } from '../kit/pages.tsx';

/** Shows the secret with which a backend verifies the challenges of ALTCHA without this server. */
export function showOfflineSecret(visit: PropertyVisit, { offlineSecretOf }: PortalDeps) {
  const content = (
    <Card title={t('integration.offline.title')}>
      <p>{rich('integration.offline.text', { link: '/docs/migrate/altcha' })}</p>
      <dl class="copy-fields">
        <CopyField
          id="offline-secret"
          label={t('integration.offline.label')}
          value={offlineSecretOf(visit.property.sitekey)}
        />
      </dl>
      <p class="help">{t('integration.offline.help')}</p>
      <LinkButton
        path={`${visit.propertyPath}/integration`}
        text={t('integration.offline.back')}
        tone="quiet"
      />
    </Card>
  );
  return propertyPage(visit, '/integration', { content, head: <Head of="integration" />, errors: [] });
}
