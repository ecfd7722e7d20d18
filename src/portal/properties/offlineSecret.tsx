import { CopyField } from '../components/copyable.tsx';
import { LinkButton } from '../components/form.tsx';
import { rich, t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { propertyPage } from '../kit/pages.tsx';

/** Shows the secret with which a backend verifies the challenges of ALTCHA without this server. */
export function showOfflineSecret(visit: PropertyVisit, { offlineSecretOf }: PortalDeps) {
  const content = (
    <section class="card">
      <p>{rich('integration.offline.text', { link: '/docs/migrate/altcha' })}</p>
      <dl class="copy-fields">
        <CopyField
          id="offline-secret"
          label={t('integration.offline.label')}
          value={offlineSecretOf(visit.property.sitekey)}
        />
      </dl>
      <p>{t('integration.offline.help')}</p>
      <LinkButton
        path={`${visit.propertyPath}/integration`}
        text={t('integration.offline.back')}
        tone="quiet"
      />
    </section>
  );
  const title = t('integration.offline.title');
  return propertyPage(visit, '/integration', { title, content, head: <Head of="integration" /> });
}
