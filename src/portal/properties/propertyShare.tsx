import { toStatistics } from '../../http/statisticsDocument.ts';
import { INSTALLATION } from '../../model/actor.ts';
import type { ListedShareLink } from '../../model/ports/shareLink.ts';
import { SHARE_LINKS_MAX } from '../../model/shareLink.ts';
import type { PropertyReport } from '../../platform/properties/statistics.ts';
import { Copyable } from '../components/copyable.tsx';
import { type FieldErrors, Select } from '../components/field.tsx';
import { ConfirmButton, Form, LinkButton } from '../components/form.tsx';
import { Card, EmptyState, Table } from '../components/sections.tsx';
import { Moment, UserItem } from '../components/values.tsx';
import { options, t, texts } from '../i18n/t.tsx';
import { errorOf, fieldOf } from '../kit/forms.ts';
import type { PortalDeps, PropertyVisit, SharedVisit, ShareLinkVisit } from '../kit/handler.ts';
import { notFound, page, propertyPage, redirectWithNotice } from '../kit/pages.tsx';
import { sharedPath } from '../kit/paths.ts';
import { reportHandlers } from '../statistics/reportHandlers.tsx';
import { ReportHead, type ReportPage, StatisticsReport } from '../statistics/statisticsReport.tsx';
import { figuresOf } from './propertyDashboard.tsx';

/** The dashboard that a share link shows: only counts, without advice to the owner, the domain, and the sitekey. */
export const SHARED = reportHandlers<SharedVisit, PropertyReport>({
  load: ({ property }, { statistics }, ...query) =>
    statistics.of(INSTALLATION, property.organizationId, property.id, ...query),
  show(visit, _, result) {
    const content = <StatisticsReport page={sharedPage(visit)} result={result} />;
    const title = t('properties.tabs.dashboard');
    return page(visit, {
      title,
      object: visit.property.name,
      content,
      head: <ReportHead />,
      errors: result.errors,
    });
  },
  pageOf: sharedPage,
  nameOf: () => 'dashboard',
  documentOf: (report) => toStatistics(report),
});

function sharedPage({ sharedPath: path }: SharedVisit): ReportPage<PropertyReport> {
  const [title, text] = texts('dashboard.empty', 'rangeTitle', 'rangeText');
  return {
    path,
    isShared: true,
    filesPath: `${path}/statistics`,
    figures: figuresOf,
    isOfProperties: true,
    empty: <EmptyState icon="chart" title={title ?? ''} text={text} />,
  };
}

const EXPIRIES = ['7', '30', '90', '365', 'never'] as const;

/** The share links of a property, and the form for another one. */
export async function showShareLinks(visit: PropertyVisit, deps: PortalDeps, errors: FieldErrors = []) {
  const links = await deps.shareLinks.list(visit.actor, visit.property.id);
  if (!links.ok) return notFound(visit);
  const content = (
    <>
      <Card title={t('properties.share.create')}>
        <p>{t('properties.share.explanation')}</p>
        <Form
          visit={visit}
          action={`${visit.propertyPath}/share`}
          oneTimeToken={deps.oneTimeTokens.issue()}
          button={t('properties.share.create')}
        >
          <Select
            name="expiry"
            label={t('properties.share.expiry')}
            value="30"
            options={options('properties.share.expiries', EXPIRIES)}
            errors={errors}
          />
        </Form>
      </Card>
      <Card title={t('properties.share.heading')}>{linkTable(visit, deps, links.value)}</Card>
    </>
  );
  return propertyPage(visit, '', { title: t('properties.share.title'), content, errors });
}

function linkTable(visit: PropertyVisit, { ids }: PortalDeps, links: readonly ListedShareLink[]) {
  return (
    <Table
      hiddenCaption={t('properties.share.heading')}
      head={texts('properties.share', 'ending', 'creator', 'created', 'expires', 'actions')}
      rows={links.map(({ id, lastFour, createdAt, expiresAt, ...creator }) => {
        const name = ids.seal('share-link', id);
        const ending = `…${lastFour}`;
        return [
          <code>{ending}</code>,
          <div class="object">
            <UserItem user={creator} />
          </div>,
          <Moment instant={createdAt} />,
          expiresAt === null ? t('properties.share.expiries.never') : <Moment instant={expiresAt} />,
          <ConfirmButton
            visit={visit}
            action={`${visit.propertyPath}/share/${name}/revoke`}
            id={`revoke-${name}`}
            button={t('properties.share.revoke')}
            label={t('properties.share.revokeLabel', { ending })}
            title={t('properties.share.revokeTitle', { ending })}
            isSmall
          >
            {t('properties.share.revokeText')}
          </ConfirmButton>,
        ];
      })}
      empty={t('properties.share.none')}
    />
  );
}

/** Creates a link and shows it once. */
export async function createShareLink(visit: PropertyVisit, deps: PortalDeps) {
  if (!(await deps.oneTimeTokens.use(visit)))
    return showShareLinks(visit, deps, [errorOf('form-sent-before')]);
  const chosen = EXPIRIES.find((one) => one === fieldOf(visit.form, 'expiry')) ?? '30';
  const days = chosen === 'never' ? undefined : Number(chosen);
  const created = await deps.shareLinks.create(visit.actor, visit.property.id, days);
  if (!created.ok && created.problem === 'property-gone') return notFound(visit);
  if (!created.ok)
    return showShareLinks(visit, deps, [{ text: t('properties.share.limit', { limit: SHARE_LINKS_MAX }) }]);
  const content = (
    <Card title={t('properties.share.createdTitle')}>
      <p>{t('properties.share.copyNow')}</p>
      <Copyable
        id="link"
        text={`${deps.baseUrl}${sharedPath(created.value)}`}
        label={t('properties.share.copy')}
      />
      <LinkButton path={`${visit.propertyPath}/share`} text={t('properties.share.done')} />
    </Card>
  );
  return propertyPage(visit, '', { title: t('properties.share.title'), content });
}

/** The link stops working. */
export async function revokeShareLink(visit: ShareLinkVisit, deps: PortalDeps) {
  if (!(await deps.shareLinks.revoke(visit.actor, visit.property.id, visit.shareLinkId)))
    return notFound(visit);
  return redirectWithNotice(deps, `${visit.propertyPath}/share`, t('properties.share.revoked'));
}
