import type { Element } from '../../jsx/elements.ts';
import type { Page as Slice } from '../../lib/page.ts';
import type { ApiKey } from '../../model/apiKey.ts';
import type { OrganizationId } from '../../model/organization.ts';
import { EmptyState } from '../components/card.tsx';
import { Pager, Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf, pageNumberOf } from '../kit/formData.ts';
import { organizationPage } from '../kit/frames.tsx';
import type { OrganizationVisit, PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { KEYS_PATH, keyPath } from '../kit/paths.ts';
import { notFound, page } from '../kit/responses.tsx';
import {
  Expiry,
  type KeysVisit,
  keysPathOf,
  LastTime,
  OldSecretNote,
  organizationNames,
  organizationOf,
  permissionsOf,
  Secret,
} from './keyTexts.tsx';

const PAGE_SIZE = 50;

const COLUMNS = ['key', 'access', 'lastUsed', 'expires', 'created'] as const;

/** The keys of the user. */
export async function showKeys(visit: SignedInVisit, deps: PortalDeps) {
  const keys = await deps.apiKeys.page(visit.actor, sliceOf(visit));
  const nameOf = await organizationNames(visit, deps);
  const content = (
    <>
      <p class="lead">{t('apiKeys.intro')}</p>
      <KeyList visit={visit} deps={deps} keys={keys} nameOf={nameOf} mayCreate />
      <p class="aside">{t('apiKeys.hintForOrganizations')}</p>
    </>
  );
  return page(visit, { title: t('apiKeys.title'), actions: <CreateLink path={KEYS_PATH} />, content });
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
      <KeyList visit={visit} deps={deps} keys={keys.value} mayCreate={isOwner} />
    </>
  );
  const actions = isOwner && <CreateLink path={keysPathOf(visit)} />;
  return organizationPage(visit, '/api-keys', { actions, content });
}

function CreateLink({ path }: { readonly path: string }) {
  return (
    <a class="button" href={`${path}/new`}>
      {t('apiKeys.create')}
    </a>
  );
}

function showsRevoked({ query }: SignedInVisit): boolean {
  return fieldOf(query, 'show') === 'revoked';
}

function sliceOf(visit: SignedInVisit) {
  const offset = pageNumberOf(visit.query) * PAGE_SIZE;
  return { isRevoked: showsRevoked(visit), offset, limit: PAGE_SIZE };
}

type ListProps = {
  readonly visit: KeysVisit;
  readonly deps: PortalDeps;
  readonly keys: Slice<ApiKey>;
  /** Names the organization of a key; undefined if all keys belong to one organization. */
  readonly nameOf?: (id: OrganizationId | undefined) => string;
  readonly mayCreate?: boolean;
};

function KeyList(props: ListProps): Element {
  const { visit, keys } = props;
  const path = keysPathOf(visit);
  const isRevoked = showsRevoked(visit);
  const number = pageNumberOf(visit.query);
  const hasNoKeys = keys.items.length === 0 && number === 0 && !isRevoked;
  return (
    <>
      {hasNoKeys ? (
        <NoKeys {...props} path={path} />
      ) : isRevoked ? (
        <RevokedKeys {...props} />
      ) : (
        <ActiveKeys {...props} />
      )}
      <Pager
        page={number}
        hasMore={keys.hasMore}
        pathOf={(n) => `${path}?${isRevoked ? 'show=revoked&' : ''}page=${n}`}
      />
      <p>
        <a href={isRevoked ? path : `${path}?show=revoked`}>
          {isRevoked ? t('apiKeys.showActive') : t('apiKeys.showRevoked')}
        </a>
      </p>
    </>
  );
}

function NoKeys({ visit, mayCreate, path }: ListProps & { readonly path: string }) {
  const isForMember = organizationOf(visit) !== undefined && !mayCreate;
  return (
    <EmptyState
      icon="apiKey"
      title={t('apiKeys.empty.title')}
      text={isForMember ? t('apiKeys.empty.member') : t('apiKeys.empty.text')}
      action={mayCreate && <CreateLink path={path} />}
    />
  );
}

function ActiveKeys({ deps, keys, nameOf }: ListProps) {
  const now = deps.clock();
  return (
    <Table
      caption={t('apiKeys.active')}
      isCaptionHidden
      head={COLUMNS.map((column) => t(`apiKeys.columns.${column}`))}
      rows={keys.items.map((key) => [
        <div>
          <a class="long" href={keyPath(deps, key)}>
            <bdi>{key.name}</bdi>
          </a>
          <br />
          <Secret hint={key.hint} />
          <OldSecretNote of={key} now={now} />
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
          <Expiry of={key} now={now} />
        </div>,
        <Moment instant={key.createdAt} />,
      ])}
      empty=""
    />
  );
}

function RevokedKeys({ keys }: ListProps) {
  return (
    <Table
      caption={t('apiKeys.revoked')}
      head={[t('apiKeys.columns.key'), t('apiKeys.columns.access'), t('apiKeys.columns.revoked')]}
      rows={keys.items.map((key) => [
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
