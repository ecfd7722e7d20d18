import type { Instant } from '../../lib/time.ts';
import type { AuditAction } from '../../model/audit.ts';
import type { Property } from '../../model/property.ts';
import { Card } from '../components/sections.tsx';
import { ExactMoment } from '../components/values.tsx';
import { t } from '../i18n/t.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { actorName, sentenceOf } from './auditEntries.tsx';

const OF_PROPERTY = [
  'property-updated',
  'property-enabled',
  'property-disabled',
  'property-rules-changed',
  'property-attack-started',
  'property-attack-ended',
] as const satisfies readonly AuditAction[];

const OF_ORGANIZATION = [
  'organization-attack-started',
  'organization-attack-ended',
] as const satisfies readonly AuditAction[];

/** Only administrators can read these entries. */
const OF_INSTALLATION = [
  'installation-rules-changed',
  'maintenance-switched',
] as const satisfies readonly AuditAction[];

/** Maximum number of changes that a page lists, and that its chart marks. */
const MOST = 20;

/**
 * Lists the changes of settings, rules, and maintenance in the range of a report, oldest first. Its script marks their times in the chart
 * with their numbers.
 *
 * @param of the property, or the organization with all of its properties; undefined for the installation
 * @returns undefined if there are none
 */
export async function changesIn(
  visit: SignedInVisit,
  { audit }: Pick<PortalDeps, 'audit'>,
  { from, until: to }: { readonly from: Instant; readonly until: Instant },
  of?: Pick<Property, 'organizationId'> & Partial<Pick<Property, 'sitekey'>>,
) {
  const { actor } = visit;
  const list = async (filter: Parameters<typeof audit.list>[1]) =>
    (await audit.list(actor, { ...filter, from, to }, { limit: MOST })).entries;
  const organizationId = of?.organizationId;
  const lists = await Promise.all([
    of === undefined ? [] : list({ actions: OF_PROPERTY, organizationId, object: of.sitekey }),
    of === undefined ? [] : list({ actions: OF_ORGANIZATION, organizationId }),
    actor.isAdmin ? list({ actions: OF_INSTALLATION }) : [],
  ]);
  const entries = lists
    .flat()
    .toSorted((a, b) => a.id - b.id)
    .slice(-MOST);
  if (entries.length === 0) return undefined;
  const names = await audit.actorNames(entries);
  return (
    <Card title={t('activity.changes.title')}>
      <ol class="changes">
        {entries.map((entry) => {
          const { accountId, at } = entry;
          const name = actorName(entry, accountId === undefined ? undefined : names.get(accountId));
          return (
            <li>
              <ExactMoment instant={at} /> <span class="what">{sentenceOf(entry, name)}</span>
            </li>
          );
        })}
      </ol>
      <p class="help">{t('activity.changes.help', { most: MOST })}</p>
    </Card>
  );
}
