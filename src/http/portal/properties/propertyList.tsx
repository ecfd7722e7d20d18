import { EmptyState } from '../components/emptyState.tsx';
import { t } from '../i18n/t.ts';
import { PropertyHead } from '../kit/assets.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { organizationPage } from '../organizations/organizationPage.tsx';
import { propertyList } from './propertyTable.tsx';

/** The properties of an organization. The query can have `q`, `state`, `sort`, and `page`. */
export async function showProperties(visit: OrganizationVisit, deps: PortalDeps) {
  const { organizationPath: path } = visit;
  const list = await propertyList(visit, deps, path);
  const content = list ?? (
    <EmptyState
      icon="property"
      title={t('home.firstProperty.title')}
      text={t('home.firstProperty.text')}
      action={
        <a class="button" href={`${path}/first-property`}>
          {t('home.firstProperty.action')}
        </a>
      }
    />
  );
  const actions = (
    <>
      <a class="button quiet" href={`${path}/import`}>
        {t('properties.transfer.link')}
      </a>
      {list !== undefined && (
        <a class="button" href={`${path}/new`}>
          {t('home.createProperty')}
        </a>
      )}
    </>
  );
  return organizationPage(visit, '', { content, actions, head: <PropertyHead /> });
}
