import type { InstallationTotals } from '../../platform/overview/overview.ts';
import { ButtonLink } from '../components/form.tsx';
import { RatesHelp, rateText, Sparkline } from '../components/lastDay.tsx';
import { DescriptionList, NoOrganizations, Pager } from '../components/sections.tsx';
import { grouped, NameLink } from '../components/values.tsx';
import { t } from '../i18n/t.tsx';
import { pageNumberOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/pages.tsx';
import { INSTALLATION_DASHBOARD_PATH, NEW_PROPERTY_PATH, organizationPath } from '../kit/paths.ts';
import { NoProperties, propertyList } from '../properties/propertyList.tsx';
import { AttentionCard } from './attention.tsx';
import { checklistFor } from './checklist.tsx';

/** The overview of all properties that the user can access. The query can have `q`, `state`, `sort`, and `page`. */
export async function showHome(visit: SignedInVisit, deps: PortalDeps) {
  const list = await propertyList(visit, deps, '/portal');
  if (list instanceof Response) return list;
  const attention = await deps.overview.attention(visit.actor);
  const hasTwoFactor = (await deps.authentication.twoFactor.stateOf(visit.signedIn.account)).isOn;
  const checklist = await checklistFor(visit, deps, { hasProperty: list !== undefined, hasTwoFactor });
  const totals = await deps.overview.totals(visit.actor);
  const content = (
    <>
      {checklist}
      {list !== undefined && (
        <AttentionCard
          visit={visit}
          deps={deps}
          attention={attention}
          hasTwoFactor={hasTwoFactor || checklist !== undefined}
        />
      )}
      {totals.ok && installationFigures(totals.value, list === undefined)}
      {list ??
        ((await hasOrganization(visit, deps)) ? (
          <NoProperties path="/portal/first-property" />
        ) : (
          <NoOrganizations />
        ))}
    </>
  );
  const actions = list !== undefined && (
    <ButtonLink path={NEW_PROPERTY_PATH} text={t('home.createProperty')} />
  );
  // The card lists the keys that expire.
  const shown = list === undefined ? visit : { ...visit, keyWarnings: [] };
  return page(shown, { title: t('home.title'), actions, content });
}

async function hasOrganization(visit: SignedInVisit, deps: PortalDeps): Promise<boolean> {
  const { items } = await deps.overview.organizations(visit.actor, { text: '', offset: 0, limit: 1 });
  return items.length > 0;
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
      <Pager page={number} hasMore={hasMore} pathOf={(at) => `${NEW_PROPERTY_PATH}?page=${at}`} />
    </section>
  );
  const breadcrumbs = [['/portal', t('home.title')]] as const;
  return page(visit, { title: t('home.createProperty'), breadcrumbs, content });
}

/** The totals of the installation, for administrators. @param isAlone whether no list below explains the rates */
function installationFigures(
  { lastDay, properties, organizations, users }: InstallationTotals,
  isAlone: boolean,
) {
  const figures = [
    [t('home.installation.issued'), grouped(lastDay.issued)],
    [t('home.installation.verified'), grouped(lastDay.verified)],
    [t('components.lastDay.solved'), rateText(lastDay, 'solved')],
    [t('components.lastDay.accepted'), rateText(lastDay, 'accepted')],
    [t('home.installation.properties'), grouped(properties)],
    [t('home.installation.organizations'), grouped(organizations)],
    [t('home.installation.users'), grouped(users)],
  ] as const;
  return (
    <section class="card">
      <div class="list-heading">
        <h2>
          {t('home.installation.heading')} <Sparkline series={lastDay.series} />
        </h2>
        <a href={INSTALLATION_DASHBOARD_PATH}>{t('home.installation.dashboard')}</a>
      </div>
      <DescriptionList class="figures" items={figures} />
      {isAlone && <RatesHelp />}
    </section>
  );
}
