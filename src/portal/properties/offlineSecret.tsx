import { CopyField } from '../components/copyable.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { ButtonLink, ConfirmButton } from '../components/form.tsx';
import { rich, t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import { errorOf } from '../kit/forms.ts';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { notFound, propertyPage, redirectWithNotice } from '../kit/pages.tsx';

/** Shows the secret with which a backend verifies the challenges of ALTCHA without this server. */
export function showOfflineSecret(visit: PropertyVisit, deps: PortalDeps, errors: FieldErrors = []) {
  const { sitekey, offlineRotations } = visit.property;
  const content = (
    <section class="card">
      <p>{rich('integration.offline.text', { link: '/docs/migrate/altcha' })}</p>
      <dl class="copy-fields">
        <CopyField
          id="offline-secret"
          label={t('integration.offline.label')}
          value={deps.offlineSecretOf(sitekey, offlineRotations)}
        />
      </dl>
      <p>{t('integration.offline.help')}</p>
      <div class="buttons">
        <ConfirmButton
          visit={visit}
          action={pathOf(visit)}
          id="replace"
          button={t('integration.offline.replace')}
          title={t('integration.offline.replaceTitle')}
          oneTimeToken={deps.oneTimeTokens.issue()}
        >
          {t('integration.offline.replaceText')}
        </ConfirmButton>
        <ButtonLink
          path={`${visit.propertyPath}/integration`}
          text={t('integration.offline.back')}
          tone="quiet"
        />
      </div>
    </section>
  );
  const title = t('integration.offline.title');
  return propertyPage(visit, '/integration', { title, content, errors, head: <Head of="integration" /> });
}

/** Replaces the secret, and shows the new one. */
export async function replaceOfflineSecret(visit: PropertyVisit, deps: PortalDeps) {
  if (!(await deps.oneTimeTokens.use(visit)))
    return showOfflineSecret(visit, deps, [errorOf('form-sent-before')]);
  const { id, offlineRotations } = visit.property;
  const replaced = await deps.properties.rotateOffline(visit.actor, id, offlineRotations);
  if (!replaced.ok) return notFound(visit);
  return redirectWithNotice(deps, pathOf(visit), t('integration.offline.replaced'));
}

const pathOf = ({ propertyPath }: PropertyVisit) => `${propertyPath}/integration/offline`;
