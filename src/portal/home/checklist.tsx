import type { Element } from '../../jsx/elements.ts';
import { BACKUP_MAX_AGE } from '../../model/system.ts';
import { Form } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/pages.tsx';
import { KEYS_PATH, NEW_PROPERTY_PATH, SYSTEM_PATH, TWO_FACTOR_PATH } from '../kit/paths.ts';

type Step = {
  readonly name: 'property' | 'key' | 'verified' | 'twoFactor' | 'backup' | 'proxy';
  readonly isDone: boolean;
  /** Where to do it. */
  readonly path: string;
};

type Known = { readonly hasProperty: boolean; readonly hasTwoFactor: boolean };

/** The steps from a new account to protected forms, as the data shows them. @returns undefined if all are done, or the user has dismissed the list */
export async function checklistFor(
  visit: SignedInVisit,
  deps: PortalDeps,
  known: Known,
): Promise<Element | undefined> {
  if (await deps.authentication.checklist.isDismissed(visit.actor)) return undefined;
  const steps = await stepsOf(visit, deps, known);
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return undefined;
  return (
    <section class="card attention checklist">
      <h2>{t('home.checklist.heading')}</h2>
      <p class="soft">{t('home.checklist.progress', { done, all: steps.length })}</p>
      <ul>
        {steps.map(({ name, isDone, path }) => (
          <li class={isDone ? 'done' : undefined}>
            <Icon name={isDone ? 'ok' : 'todo'} />
            <p>
              {isDone ? (
                t(`home.checklist.steps.${name}`)
              ) : (
                <a href={path}>{t(`home.checklist.steps.${name}`)}</a>
              )}
              <span class="visually-hidden">
                {' '}
                ({t(isDone ? 'home.checklist.done' : 'home.checklist.open')})
              </span>
            </p>
          </li>
        ))}
      </ul>
      <Form
        visit={visit}
        action="/portal/checklist/dismiss"
        button={t('home.checklist.dismiss')}
        tone="quiet"
      />
    </section>
  );
}

async function stepsOf(
  visit: SignedInVisit,
  deps: PortalDeps,
  { hasProperty, hasTwoFactor }: Known,
): Promise<readonly Step[]> {
  const { hasKey, hasVerified } = await deps.overview.progress(visit.actor);
  const background = await deps.describeBackground(visit.actor);
  const own: readonly Step[] = [
    { name: 'property', isDone: hasProperty, path: NEW_PROPERTY_PATH },
    { name: 'key', isDone: hasKey, path: `${KEYS_PATH}/new` },
    { name: 'verified', isDone: hasVerified, path: '/docs/how-to/verify-on-your-backend' },
    { name: 'twoFactor', isDone: hasTwoFactor, path: TWO_FACTOR_PATH },
  ];
  if (!background.ok) return own;
  const { backup } = background.value;
  const hasBackup = pageContext().now - (backup?.lastAt ?? 0) <= BACKUP_MAX_AGE;
  const hasAddress = isAddressKnown(deps.explainAddress(visit.request));
  return [
    ...own,
    ...(backup === undefined
      ? []
      : [{ name: 'backup', isDone: hasBackup, path: `${SYSTEM_PATH}#background` } as const]),
    { name: 'proxy', isDone: hasAddress, path: `${SYSTEM_PATH}#address` },
  ];
}

/**
 * Whether the request shows no sign of a reverse proxy that hides the client address: the server ignores no header with addresses, and a
 * trusted proxy has sent one.
 */
function isAddressKnown({ reason, hops, headerValue }: ReturnType<PortalDeps['explainAddress']>): boolean {
  if (reason === 'proxies-none') return headerValue === null;
  if (reason === 'not-trusted') return hops.length > 1 || headerValue === null;
  return reason === 'header-ended' && hops.length > 1;
}

/** Hides the list for the user. */
export async function dismissChecklist(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  await deps.authentication.checklist.dismiss(visit.actor);
  return redirectWithNotice(deps, '/portal', t('home.checklist.dismissed'));
}
