import { organizationCrumbs } from '../components/navigation.tsx';
import { t } from '../i18n/t.ts';
import type { OrganizationVisit, SignedInVisit } from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { page } from '../kit/responses.tsx';
import { KEYS_PATH } from './keyPath.ts';

/** A page about the keys of the user, or of the organization that the path names. */
export type KeysVisit = SignedInVisit | OrganizationVisit;

/** @returns the visit if the page is about the keys of an organization */
export function organizationOf(visit: KeysVisit): OrganizationVisit | undefined {
  return 'organization' in visit ? visit : undefined;
}

/** The path of the list of keys. */
export function keysPathOf(visit: KeysVisit): string {
  const organization = organizationOf(visit);
  return organization === undefined ? KEYS_PATH : `${organization.organizationPath}/api-keys`;
}

/** A page below the list of keys, with its breadcrumbs. */
export function keyFrame(visit: KeysVisit, contents: Page): Response {
  const organization = organizationOf(visit);
  const list = [keysPathOf(visit), t('apiKeys.title')] as const;
  const breadcrumbs = organization === undefined ? [list] : organizationCrumbs(organization, [list]);
  return page(visit, { breadcrumbs, ...contents });
}
