import { EmptyState } from '../components/emptyState.tsx';
import { Pager } from '../components/table.tsx';
import { t } from '../i18n/t.ts';
import { withQuery } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/responses.tsx';
import { organizationPath } from '../organizations/organizationLabel.ts';
import { propertyList } from '../properties/propertyTable.tsx';
import { AttentionCard } from './attention.tsx';
import { InstallationFigures } from './installationFigures.tsx';

/** The overview of all properties that the user can access. The query can have `q`, `state`, `sort`, and `page`. */
export async function showHome(visit: SignedInVisit, deps: PortalDeps) {
  const list = await propertyList(visit, deps, '/portal');
  const attention = await deps.overview.attention(visit.actor);
  const hasTwoFactor = (await deps.authentication.twoFactor.stateOf(visit.signedIn.account)).isOn;
  const totals = await deps.overview.totals(visit.actor);
  const content = (
    <>
      {list !== undefined && (
        <AttentionCard visit={visit} deps={deps} attention={attention} hasTwoFactor={hasTwoFactor} />
      )}
      {totals.ok && <InstallationFigures totals={totals.value} />}
      {list ?? <FirstAction hasOrganization={await hasOrganization(visit, deps)} />}
    </>
  );
  const actions = list !== undefined && (
    <a class="button" href={NEW_PROPERTY_PATH}>
      {t('home.createProperty')}
    </a>
  );
  // The card lists the keys that expire.
  const shown = list === undefined ? visit : { ...visit, keyWarnings: [] };
  return page(shown, { title: t('home.title'), actions, content });
}

export const NEW_PROPERTY_PATH = '/portal/new-property';

async function hasOrganization(visit: SignedInVisit, deps: PortalDeps): Promise<boolean> {
  const { items } = await deps.overview.organizations(visit.actor, { text: '', offset: 0, limit: 1 });
  return items.length > 0;
}

/** For users who see no properties. */
function FirstAction(props: { readonly hasOrganization: boolean }) {
  return props.hasOrganization ? (
    <EmptyState
      icon="property"
      title={t('home.firstProperty.title')}
      text={t('home.firstProperty.text')}
      action={
        <a class="button" href="/portal/first-property">
          {t('home.firstProperty.action')}
        </a>
      }
    />
  ) : (
    <EmptyState
      icon="organization"
      title={t('home.firstOrganization.title')}
      text={t('home.firstOrganization.text')}
      action={
        <a class="button" href="/portal/orgs/new">
          {t('organizations.create.button')}
        </a>
      }
    />
  );
}

const PAGE_SIZE = 25;

/** Asks for the organization of a new property, unless the user has only one. */
export async function chooseOrganization(visit: SignedInVisit, deps: PortalDeps) {
  const given = visit.query.get('page') ?? '';
  const number = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  const slice = { text: '', offset: number * PAGE_SIZE, limit: PAGE_SIZE };
  const { items, hasMore } = await deps.overview.organizations(visit.actor, slice);
  const [only, ...others] = items;
  if (only === undefined && number === 0) return redirectTo('/portal/orgs/new');
  if (only !== undefined && others.length === 0 && number === 0)
    return redirectTo(`${organizationPath(deps, only.id)}/new`);
  const content = (
    <section class="card">
      <h2>{t('home.chooseOrganization')}</h2>
      <ul class="choices">
        {items.map(({ id, name, role, ownerEmail }) => (
          <li>
            <a href={`${organizationPath(deps, id)}/new`}>
              <bdi>{name}</bdi>
            </a>
            {role === 'member' && (
              <span class="soft">{t('organizations.ownedBy', { email: ownerEmail })}</span>
            )}
          </li>
        ))}
      </ul>
      <Pager
        page={number}
        hasMore={hasMore}
        pathOf={(at) => withQuery(NEW_PROPERTY_PATH, { page: String(at) })}
      />
    </section>
  );
  return page(visit, {
    title: t('home.createProperty'),
    breadcrumbs: [['/portal', t('home.title')]],
    content,
  });
}
