import type { Instant } from '../../lib/time.ts';
import type { ApiKey, SecretHint } from '../../model/apiKey.ts';
import type { OrganizationId } from '../../model/organization.ts';
import { Moment } from '../components/values.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';
import {
  organizationOf,
  type PortalDeps,
  type SignedInVisit,
  type UserOrOrganizationVisit,
} from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { organizationCrumbs, organizationLabel, page } from '../kit/pages.tsx';
import { KEYS_PATH } from '../kit/paths.ts';

/** The path of the list of keys. */
export function keysPathOf(visit: UserOrOrganizationVisit): string {
  const organization = organizationOf(visit);
  return organization === undefined ? KEYS_PATH : `${organization.organizationPath}/api-keys`;
}

/** A page below the list of keys, with its breadcrumbs. */
export function keyFrame(visit: UserOrOrganizationVisit, contents: Page): Response {
  const organization = organizationOf(visit);
  const list = [keysPathOf(visit), t('apiKeys.title')] as const;
  const breadcrumbs = organization === undefined ? [list] : organizationCrumbs(organization, [list]);
  return page(visit, { breadcrumbs, ...contents });
}

/** @returns the name of the organization that a key is limited to, as a function; organizations that the user left have no name */
export async function organizationNames(visit: SignedInVisit, { organizations }: PortalDeps) {
  const own = await organizations.list(visit.actor);
  const names = new Map(own.map((one) => [one.id, organizationLabel(visit, one)]));
  return (id: OrganizationId | undefined): string =>
    id === undefined
      ? t('apiKeys.allOrganizations')
      : (names.get(id) ?? t('apiKeys.unavailableOrganization'));
}

/** The scope of a key, and whether it is read-only. */
export function permissionsOf({ scope, isReadOnly }: Pick<ApiKey, 'scope' | 'isReadOnly'>): string {
  return isReadOnly ? t(`apiKeys.scopesReadOnly.${scope}`) : t(`apiKeys.scopes.${scope}`);
}

/** The parts of a secret that lists show. */
export function Secret({ hint }: { readonly hint: SecretHint | undefined }) {
  if (hint === undefined) return <span class="aside">{t('apiKeys.unknownSecret')}</span>;
  return (
    <code class="long">
      {hint.prefix}…{hint.lastFour}
    </code>
  );
}

export function Expiry({ of: { expiresAt } }: { readonly of: Pick<ApiKey, 'expiresAt'> }) {
  if (expiresAt === undefined) return <>{t('apiKeys.never')}</>;
  if (expiresAt > pageContext().now) return <Moment instant={expiresAt} />;
  return (
    <>
      <span class="badge bad">{t('apiKeys.expired')}</span> <Moment instant={expiresAt} />
    </>
  );
}

export function LastTime({ instant }: { readonly instant: Instant | undefined }) {
  return instant === undefined ? <>{t('apiKeys.never')}</> : <Moment instant={instant} />;
}

export function rateOf({ rate, burst }: Pick<ApiKey, 'rate' | 'burst'>): string {
  if (rate === undefined && burst === undefined) return t('apiKeys.rates.configured');
  if (rate === undefined) return t('apiKeys.rates.burst', { burst: String(burst) });
  if (burst === undefined) return t('apiKeys.rates.rate', { rate: String(rate) });
  return t('apiKeys.rates.both', { rate: String(rate), burst: String(burst) });
}

/** @returns the old secret of a key if it still works */
export function workingOldSecret({ oldSecret, rotatedAt }: ApiKey): ApiKey['oldSecret'] {
  // A secret that was not kept worked until the rotation, which is later than the start of the request that made it.
  const now = Math.max(pageContext().now, rotatedAt ?? 0);
  return oldSecret !== undefined && oldSecret.worksUntil > now ? oldSecret : undefined;
}
