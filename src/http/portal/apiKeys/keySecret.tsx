import type { RevealedKey } from '../../../platform/apiKeys/apiKeys.ts';
import { Copyable } from '../components/copyable.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { LinkButton } from '../components/form.tsx';
import { Moment } from '../components/time.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { type KeysVisit, keyFrame } from './keyFrame.ts';
import { keyPath } from './keyPath.ts';
import { Expiry, organizationNames, permissionsOf, workingOldSecret } from './keyTexts.tsx';

/** The page that shows the secret of a key, once: it is a response to a form and has no URL of its own. */
export async function secretPage(
  visit: KeysVisit,
  deps: PortalDeps,
  { key, secret }: RevealedKey,
  title: string,
) {
  const nameOf = await organizationNames(visit, deps);
  const now = deps.clock();
  const content = (
    <section class="card">
      <p>{rich('apiKeys.secret.copyNow', { strong: (text) => <strong>{text}</strong> })}</p>
      <Copyable id="secret" text={secret} label={t('apiKeys.secret.copy')} />
      <p>{rich('apiKeys.secret.use', { code: (text) => <code>{text}</code> })}</p>
      {key.rotatedAt !== undefined && <OldSecretNote old={workingOldSecret(key, now)} />}
      <DescriptionList
        items={[
          [t('apiKeys.details.access'), permissionsOf(key)],
          [t('apiKeys.details.organization'), nameOf(key.organizationId)],
          [t('apiKeys.details.expires'), <Expiry of={key} now={now} />],
        ]}
      />
      <LinkButton path={keyPath(deps, key)}>{t('apiKeys.secret.done')}</LinkButton>
    </section>
  );
  return keyFrame(visit, { title, object: key.name, content });
}

function OldSecretNote({ old }: { readonly old: ReturnType<typeof workingOldSecret> }) {
  if (old === undefined) return <p>{t('apiKeys.secret.oldStopped')}</p>;
  return <p>{rich('apiKeys.secret.oldWorks', { time: <Moment instant={old.worksUntil} /> })}</p>;
}
