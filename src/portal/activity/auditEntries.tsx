import type { Element } from '../../jsx/elements.ts';
import { DAY, type Instant, toIso } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import type { AuditAction, StoredAuditEntry } from '../../model/audit.ts';
import { DescriptionList } from '../components/card.tsx';
import { addressName } from '../components/names.tsx';
import { exactTime, hourName, weekdayName } from '../components/time.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { rich } from '../i18n/rich.tsx';
import { type TextKey, t } from '../i18n/t.ts';
import type { NameOf } from './auditExport.ts';

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
  const { at, actor, accountId, action, object, source, address, organizationId } = entry;
  const name = actorName(entry, accountId === undefined ? undefined : names.actors.get(accountId));
  const organization = names.organizationOf(organizationId);
  const facts = (
    [
      ['time', exactTime(at)],
      ['actor', actor],
      ['action', <code>{action}</code>],
      ['object', object],
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

type SentenceKey = Extract<TextKey, `activity.${'sentences' | 'variants'}.${string}`>;

/** Sentences that replace the one of the action for some objects; `''` is an entry without an object. */
const VARIANTS: Readonly<Partial<Record<AuditAction, Readonly<Record<string, SentenceKey>>>>> = {
  'session-ended': { 'all other sessions': 'activity.variants.otherSessionsEnded' },
  'sessions-ended': { everyone: 'activity.variants.everySessionEnded' },
  'password-changed': {
    '': 'activity.variants.ownPasswordChanged',
    'by a link': 'activity.variants.passwordSetByLink',
  },
  'second-factor-disabled': { '': 'activity.variants.ownSecondFactorDisabled' },
  'maintenance-switched': {
    on: 'activity.variants.maintenanceOn',
    off: 'activity.variants.maintenanceOff',
  },
};

/** What an entry says, as a sentence. @param actor the name of the actor */
function AuditSentence(props: { readonly entry: StoredAuditEntry; readonly actor: string }): Element {
  const { entry } = props;
  const parts = {
    actor: (
      <strong>
        <bdi>{props.actor}</bdi>
      </strong>
    ),
    object: <bdi>{objectOf(entry)}</bdi>,
  };
  return rich(sentenceKey(entry), parts);
}

function sentenceKey(entry: StoredAuditEntry): SentenceKey {
  const { action, object, actor } = entry;
  if (action === 'session-rejected' && object !== '') return 'activity.variants.moreFailed';
  if (action === 'user-created' && object === actor) return 'activity.variants.accountCreated';
  return VARIANTS[action]?.[object] ?? `activity.sentences.${action}`;
}

/** The object without sitekeys, rule changes, the users of API keys, and the property of a domain. The details contain all of it. */
function objectOf({ action, object }: StoredAuditEntry): string {
  if (action === 'dns-check-skipped') return object.replace(/ of .*/s, '');
  if (action.startsWith('property-')) return object.replace(/ \([0-9a-f]{32}\)(?:: .*)?$/s, '');
  return action.startsWith('key-') ? object.replace(/ of \S+@\S+$/, '') : object;
}

/** @returns the name of an entry's actor. @param name the current name of the account, if it still exists */
function actorName({ actor, source }: StoredAuditEntry, name: string | undefined): string {
  if (source === 'command-line') return t('activity.audit.commandLine');
  return name ?? (actor === '' ? t('activity.audit.unknownActor') : actor);
}
