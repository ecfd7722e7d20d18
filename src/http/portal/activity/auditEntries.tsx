import { DAY, type Instant, toIso } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import type { StoredAuditEntry } from '../../../model/audit.ts';
import type { Element } from '../../jsx/elements.ts';
import { addressName } from '../components/addressName.ts';
import { DescriptionList } from '../components/descriptionList.tsx';
import { exactTime, hourName, weekdayName } from '../components/time.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';
import type { NameOf } from './auditNames.ts';
import { AuditSentence, actorName } from './auditSentence.tsx';

type Names = {
  /** The current names of the actors. */
  readonly actors: ReadonlyMap<AccountId, string>;
  readonly organizationOf: NameOf;
};

/** Entries in their order, with a heading for each day. Opening an entry shows its details. */
export function AuditEntries(props: {
  readonly entries: readonly StoredAuditEntry[];
  readonly names: Names;
  /** Whether each entry names its organization. */
  readonly hasOrganizations: boolean;
}): Element {
  const days = Map.groupBy(props.entries, ({ at }) => Math.floor(at / DAY));
  return (
    <div class="audit">
      {[...days].map(([day, entries]) => (
        <section>
          <h2>{dayName((day * DAY) as Instant)}</h2>
          <ol>
            {entries.map((entry) => (
              <li>
                <Entry entry={entry} names={props.names} hasOrganization={props.hasOrganizations} />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function dayName(day: Instant): string {
  const today = Math.floor(pageContext().now / DAY) * DAY;
  if (day === today) return t('activity.audit.today');
  return day === today - DAY ? t('activity.audit.yesterday') : weekdayName(day);
}

function Entry(props: {
  readonly entry: StoredAuditEntry;
  readonly names: Names;
  readonly hasOrganization: boolean;
}): Element {
  const { entry, names, hasOrganization } = props;
  const { at, actor, accountId, action, subject, source, address, organizationId } = entry;
  const name = actorName(entry, accountId === undefined ? undefined : names.actors.get(accountId));
  const organization = names.organizationOf(organizationId);
  const facts = (
    [
      ['time', exactTime(at)],
      ['actor', actor],
      ['action', <code>{action}</code>],
      ['object', subject],
      ['organization', organization],
      ['source', t(`activity.audit.sources.${source}`)],
      ['address', address === undefined ? '' : <code>{addressName(address)}</code>],
    ] as const
  ).filter(([, value]) => value !== '');
  return (
    <details>
      <summary>
        <time
          datetime={toIso(at)}
          title={exactTime(at)}
          data-local={t('components.time.local', { time: '{}' })}
        >
          {hourName(at)}
        </time>
        <span class="what">
          <AuditSentence entry={entry} actor={name} />
        </span>
        {hasOrganization && organization !== '' && <span class="aside">{organization}</span>}
      </summary>
      <DescriptionList items={facts.map(([label, value]) => [t(`activity.audit.details.${label}`), value])} />
    </details>
  );
}
