import type { Page as Slice } from '../../lib/page.ts';
import type { ApiKey } from '../../model/apiKey.ts';
import { KEY_ORDERS, type KeyOrder } from '../../model/ports/apiKey.ts';
import { ButtonLink } from '../components/form.tsx';
import { EmptyState, Pager, Table } from '../components/sections.tsx';
import { DayOfUse } from '../components/useOverTime.tsx';
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
import { keyPath, withQuery } from '../kit/paths.ts';
import { orderIn, unknownOrder } from '../kit/sorting.ts';
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

const COLUMNS = ['key', 'access', 'lastDay', 'lastUsed', 'expires', 'created'] as const;

/** The keys of the user. */
export async function showKeys(visit: SignedInVisit, deps: PortalDeps) {
  const order = orderIn(visit.query, KEY_ORDERS);
  if (order === undefined) return unknownOrder(visit);
  const keys = await deps.apiKeys.page(visit.actor, sliceOf(visit, order));
  const nameOf = await organizationNames(visit, deps);
  const content = (
    <>
      <p class="lead">{t('apiKeys.intro')}</p>
      {await keyList(visit, deps, { keys, order, nameOf })}
      <p class="aside">{t('apiKeys.hintForOrganizations')}</p>
    </>
  );
  return page(visit, { title: t('apiKeys.title'), actions: createLink(visit), content });
}

/** The keys that belong to an organization. */
export async function showOrganizationKeys(visit: OrganizationVisit, deps: PortalDeps) {
  const { actor, organization, isOwner } = visit;
  const order = orderIn(visit.query, KEY_ORDERS);
  if (order === undefined) return unknownOrder(visit);
  const keys = await deps.apiKeys.pageOf(actor, organization.id, sliceOf(visit, order));
  if (!keys.ok) return notFound(visit);
  const content = (
    <>
      <p class="lead">
        {t('apiKeys.organizationIntro')} {!isOwner && t('apiKeys.organizationMember')}
      </p>
      {await keyList(visit, deps, { keys: keys.value, order })}
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

function sliceOf(visit: SignedInVisit, order: KeyOrder) {
  const offset = pageNumberOf(visit.query) * PAGE_SIZE;
  return { isRevoked: showsRevoked(visit), order, offset, limit: PAGE_SIZE };
}

type NameOf = Awaited<ReturnType<typeof organizationNames>>;

type KeyList = {
  readonly keys: Slice<ApiKey>;
  readonly order: KeyOrder;
  /** Names the organization of a key; undefined if all keys belong to one organization. */
  readonly nameOf?: NameOf;
};

async function keyList(visit: UserOrOrganizationVisit, deps: PortalDeps, list: KeyList) {
  const { keys, order } = list;
  const path = keysPathOf(visit);
  const isRevoked = showsRevoked(visit);
  const number = pageNumberOf(visit.query);
  const pathOf = (n: number, sort: string = order) =>
    withQuery(path, { ...(isRevoked ? { show: 'revoked' } : { sort }), page: String(n) });
  const { items, hasMore } = keys;
  return (
    <>
      {!isRevoked && items.length === 0 && number === 0 ? (
        noKeys(visit)
      ) : (
        <section class="card">
          {isRevoked ? revokedKeys(items) : await activeKeys(deps, list, (sort) => pathOf(0, sort))}
        </section>
      )}
      <Pager page={number} hasMore={hasMore} pathOf={(n) => pathOf(n)} />
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

/** The columns by which the list can be sorted. */
const SORTED = {
  0: ['name', 'asc'],
  3: ['used', 'desc'],
  4: ['expires', 'asc'],
  5: ['created', 'desc'],
} as const;

/** @param pathOf returns the path of the list in another order */
async function activeKeys(
  deps: PortalDeps,
  { keys: { items: keys }, order, nameOf }: KeyList,
  pathOf: (order: string) => string,
) {
  const days = await deps.useOverTime.lastDaysOfKeys(keys.map(({ id }) => id));
  return (
    <Table
      hiddenCaption={t('apiKeys.active')}
      head={COLUMNS.map((column) => t(`apiKeys.columns.${column}`))}
      sorting={{ columns: SORTED, order, pathOf }}
      rows={keys.map((key, index) => [
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
        <DayOfUse day={days[index]} />,
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
