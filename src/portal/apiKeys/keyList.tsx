import type { Page as Slice } from '../../lib/page.ts';
import type { ApiKey } from '../../model/apiKey.ts';
import { ButtonLink } from '../components/form.tsx';
import { EmptyState, Pager, Table } from '../components/sections.tsx';
import { Moment } from '../components/values.tsx';
import { rich, t, texts } from '../i18n/t.tsx';
import { fieldOf, pageNumberOf } from '../kit/forms.ts';
import {
  type OrganizationVisit,
  organizationOf,
  type PortalDeps,
  type SignedInVisit,
  type UserOrOrganizationVisit,
} from '../kit/handler.ts';
import { notFound, organizationPage, page } from '../kit/pages.tsx';
import { keyPath } from '../kit/paths.ts';
import {
  Expiry,
  keysPathOf,
  LastTime,
  organizationNames,
  permissionsOf,
  Secret,
  workingOldSecret,
} from './keyTexts.tsx';

const PAGE_SIZE = 50;

const COLUMNS = ['key', 'access', 'lastUsed', 'expires', 'created'] as const;

/** The keys of the user. */
export async function showKeys(visit: SignedInVisit, deps: PortalDeps) {
  const keys = await deps.apiKeys.page(visit.actor, sliceOf(visit));
  const content = (
    <>
      <p class="lead">{t('apiKeys.intro')}</p>
      {keyList(visit, deps, keys, await organizationNames(visit, deps))}
      <p class="aside">{t('apiKeys.hintForOrganizations')}</p>
    </>
  );
  return page(visit, { title: t('apiKeys.title'), actions: createLink(visit), content });
}

/** The keys that belong to an organization. */
export async function showOrganizationKeys(visit: OrganizationVisit, deps: PortalDeps) {
  const { actor, organization, isOwner } = visit;
  const keys = await deps.apiKeys.pageOf(actor, organization.id, sliceOf(visit));
  if (!keys.ok) return notFound(visit);
  const content = (
    <>
      <p class="lead">
        {t('apiKeys.organizationIntro')} {!isOwner && t('apiKeys.organizationMember')}
      </p>
      {keyList(visit, deps, keys.value)}
    </>
  );
  return organizationPage(visit, '/api-keys', { actions: createLink(visit), content });
}

/** The link to the form for a new key, if the user may create one. */
function createLink(visit: UserOrOrganizationVisit) {
  return mayCreate(visit) && <ButtonLink path={`${keysPathOf(visit)}/new`} text={t('apiKeys.create')} />;
}

function mayCreate(visit: UserOrOrganizationVisit): boolean {
  return organizationOf(visit)?.isOwner !== false;
}

function showsRevoked({ query }: SignedInVisit): boolean {
  return fieldOf(query, 'show') === 'revoked';
}

function sliceOf(visit: SignedInVisit) {
  const offset = pageNumberOf(visit.query) * PAGE_SIZE;
  return { isRevoked: showsRevoked(visit), offset, limit: PAGE_SIZE };
}

type NameOf = Awaited<ReturnType<typeof organizationNames>>;

/** @param nameOf names the organization of a key; undefined if all keys belong to one organization */
function keyList(visit: UserOrOrganizationVisit, deps: PortalDeps, keys: Slice<ApiKey>, nameOf?: NameOf) {
  const path = keysPathOf(visit);
  const isRevoked = showsRevoked(visit);
  const number = pageNumberOf(visit.query);
  const pathOf = (n: number) => `${path}?${isRevoked ? 'show=revoked&' : ''}page=${n}`;
  const { items, hasMore } = keys;
  return (
    <>
      {!isRevoked && items.length === 0 && number === 0 ? (
        noKeys(visit)
      ) : (
        <section class="card">{isRevoked ? revokedKeys(items) : activeKeys(items, deps, nameOf)}</section>
      )}
      <Pager page={number} hasMore={hasMore} pathOf={pathOf} />
      <p>
        <a href={isRevoked ? path : `${path}?show=revoked`}>
          {t(isRevoked ? 'apiKeys.showActive' : 'apiKeys.showRevoked')}
        </a>
      </p>
    </>
  );
}

function noKeys(visit: UserOrOrganizationVisit) {
  return (
    <EmptyState
      icon="apiKey"
      title={t('apiKeys.empty.title')}
      text={t(mayCreate(visit) ? 'apiKeys.empty.text' : 'apiKeys.empty.member')}
      action={createLink(visit)}
    />
  );
}

function activeKeys(keys: readonly ApiKey[], deps: PortalDeps, nameOf: NameOf | undefined) {
  return (
    <Table
      hiddenCaption={t('apiKeys.active')}
      head={COLUMNS.map((column) => t(`apiKeys.columns.${column}`))}
      rows={keys.map((key) => [
        <div>
          <a class="long" href={keyPath(deps, key)}>
            <bdi>{key.name}</bdi>
          </a>
          <br />
          <Secret hint={key.hint} />
          {oldSecretNote(key)}
        </div>,
        <div>
          {permissionsOf(key)}
          {nameOf !== undefined && (
            <>
              <br />
              <span class="long aside">{nameOf(key.organizationId)}</span>
            </>
          )}
        </div>,
        <LastTime instant={key.lastUsedAt} />,
        <div>
          <Expiry of={key} />
        </div>,
        <Moment instant={key.createdAt} />,
      ])}
    />
  );
}

/** Says until when the old secret of a key works; nothing if it does not. */
function oldSecretNote(key: ApiKey) {
  const old = workingOldSecret(key);
  if (old === undefined) return <></>;
  const time = <Moment instant={old.worksUntil} />;
  return (
    <>
      <br />
      <span class="aside">{rich('apiKeys.oldSecretUntil', { time })}</span>
    </>
  );
}

function revokedKeys(keys: readonly ApiKey[]) {
  return (
    <Table
      caption={t('apiKeys.revoked')}
      head={texts('apiKeys.columns', 'key', 'access', 'revoked')}
      rows={keys.map((key) => [
        <div>
          <span class="long">
            <bdi>{key.name}</bdi>
          </span>
          <br />
          <Secret hint={key.hint} />
        </div>,
        permissionsOf(key),
        <LastTime instant={key.revokedAt} />,
      ])}
      empty={t('apiKeys.noneRevoked')}
    />
  );
}
