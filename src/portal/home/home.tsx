import type { Element } from '../../jsx/elements.ts';
import type { InstallationTotals } from '../../platform/overview/overview.ts';
import { EmptyState } from '../components/card.tsx';
import { acceptanceOf, Sparkline } from '../components/lastDay.tsx';
import { NameLink } from '../components/names.tsx';
import { grouped } from '../components/numbers.ts';
import { Pager } from '../components/table.tsx';
import { t } from '../i18n/t.ts';
import { pageNumberOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { organizationPath, withQuery } from '../kit/paths.ts';
import { page, redirectTo } from '../kit/responses.tsx';
import { NoProperties, propertyList } from '../properties/propertyList.tsx';
import { AttentionCard } from './attention.tsx';

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
    <NoProperties path="/portal/first-property" />
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
  const number = pageNumberOf(visit.query);
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
            <NameLink path={`${organizationPath(deps, id)}/new`} name={name} />
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

/** The totals of the installation, for administrators. */
function InstallationFigures({ totals }: { readonly totals: InstallationTotals }): Element {
  const { lastDay, properties, organizations, users } = totals;
  const figures: readonly (readonly [label: string, value: string])[] = [
    [t('home.installation.issued'), grouped(lastDay.issued)],
    [t('home.installation.verified'), grouped(lastDay.verified)],
    [t('home.installation.accepted'), acceptanceOf(lastDay)],
    [t('home.installation.properties'), grouped(properties)],
    [t('home.installation.organizations'), grouped(organizations)],
    [t('home.installation.users'), grouped(users)],
  ];
  return (
    <section class="card">
      <div class="list-heading">
        <h2>
          {t('home.installation.heading')} <Sparkline series={lastDay.series} />
        </h2>
        <a href="/portal/system/statistics">{t('home.installation.statistics')}</a>
      </div>
      <dl class="figures">
        {figures.map(([label, value]) => (
          <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
