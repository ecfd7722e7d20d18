import { dayOf, dayRange } from '../../lib/timeZone.ts';
import type { AccountId } from '../../model/account.ts';
import type { AuditAction, StoredAuditEntry } from '../../model/audit.ts';
import type { OrganizationId } from '../../model/organization.ts';
import { DescriptionList } from '../components/sections.tsx';
import { addressName, exactTime, hourName, LocalTime, weekdayName } from '../components/values.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { rich, type TextKey, t } from '../i18n/t.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { organizationLabel } from '../kit/pages.tsx';

type Names = {
  /** The current names of the actors. */
  readonly actors: ReadonlyMap<AccountId, string>;
  readonly organizationNameOf: NameOf;
};

export type NameOf = (id: OrganizationId | undefined) => string;

/** Looks up the current names of the organizations in entries, each once. Inaccessible organizations have no name. */
export function createNames(visit: SignedInVisit, { organizations }: PortalDeps) {
  const names = new Map<OrganizationId, string>();
  return async (entries: readonly StoredAuditEntry[]): Promise<NameOf> => {
    for (const { organizationId: id } of entries) {
      if (id === undefined || names.has(id)) continue;
      const found = await organizations.byId(visit.actor, id);
      names.set(id, found.ok ? organizationLabel(visit, found.value) : t('activity.audit.organizationGone'));
    }
    return (id) => (id === undefined ? '' : (names.get(id) ?? ''));
  };
}

/** Entries in their order, with a heading for each day. Opening an entry shows its details. */
export function AuditEntries(props: {
  readonly entries: readonly StoredAuditEntry[];
  readonly names: Names;
  /** Whether each entry names its organization. */
  readonly hasOrganizations: boolean;
}) {
  const { timeZone } = pageContext();
  const days = Map.groupBy(props.entries, ({ at }) => dayOf(at, timeZone));
  return (
    <div class="audit">
      {[...days].map(([day, entries]) => (
        <section>
          <h2>{dayName(day)}</h2>
          <ol>
            {entries.map((entry) => (
              <li>{auditEntry(entry, props.names, props.hasOrganizations)}</li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

/** @param day in the time zone of the page: `2026-01-31` */
function dayName(day: string): string {
  const { now, timeZone } = pageContext();
  if (day === dayOf(now, timeZone)) return t('activity.audit.today');
  const { from, until } = dayRange(day, timeZone) ?? { from: now, until: now };
  return dayOf(now, timeZone) === dayOf(until, timeZone) ? t('activity.audit.yesterday') : weekdayName(from);
}

function auditEntry(entry: StoredAuditEntry, names: Names, hasOrganization: boolean) {
  const { at, actor, accountId, action, object, source, address, organizationId } = entry;
  const name = actorName(entry, accountId === undefined ? undefined : names.actors.get(accountId));
  const organization = names.organizationNameOf(organizationId);
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
        <LocalTime instant={at} text={hourName(at)} />
        <span class="what">
          {sentenceOf(entry, name)}
          {changeOf(entry)}
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
  'session-ended': {
    // Also the entries of earlier versions.
    '': 'activity.variants.someSessionEnded',
    'all other sessions': 'activity.variants.otherSessionsEnded',
  },
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

/** The text of an entry. @param actor the name of the actor */
export function sentenceOf(entry: StoredAuditEntry, actor: string) {
  const name = (
    <strong>
      <bdi>{actor}</bdi>
    </strong>
  );
  return rich(sentenceKey(entry), { actor: name, object: <bdi>{partsOf(entry).name}</bdi> });
}

function sentenceKey(entry: StoredAuditEntry): SentenceKey {
  const { action, object, actor } = entry;
  if (action === 'session-rejected' && object !== '') return 'activity.variants.moreFailed';
  if (action === 'user-created' && object === actor) return 'activity.variants.accountCreated';
  return VARIANTS[action]?.[object] ?? `activity.sentences.${action}`;
}

/** The objects of actions that contain more than the name of the object: the name, and what changed. */
const PROPERTY = /^(.*?) \([0-9a-f]{32}\)(?:: (.*))?$/s;
const KEY =
  /^(.*?) of (?:\S+@[^\s:,]+|organization .*?)(?:[:,] ((?:scope|name|rate|burst|old secret) .*))?$/s;
const ORGANIZATION = /^(.*): (name ".*)$/s;

/** Characters of a change that the list shows. The details contain all of it. */
const CHANGE_LENGTH = 200;

/** Splits the object into its name, without sitekeys, the owners of API keys, and the property of a domain, and what changed. */
function partsOf({ action, object }: StoredAuditEntry): { readonly name: string; readonly change: string } {
  if (action === 'dns-check-skipped') return { name: object.replace(/ of .*/s, ''), change: '' };
  const pattern = action.startsWith('property-') ? PROPERTY : action.startsWith('key-') ? KEY : undefined;
  const parts = (action === 'organization-renamed' ? ORGANIZATION : pattern)?.exec(object);
  return { name: parts?.[1] ?? object, change: parts?.[2] ?? '' };
}

/** What changed, after the sentence of an entry. */
function changeOf(entry: StoredAuditEntry) {
  const { change } = partsOf(entry);
  if (change === '') return undefined;
  const isCut = change.length > CHANGE_LENGTH;
  const text = isCut ? `${change.slice(0, CHANGE_LENGTH).toWellFormed()}…` : change;
  return (
    <>
      {': '}
      <bdi lang="en">{text.replaceAll('->', '→')}</bdi>
    </>
  );
}

/** @returns the name of an entry's actor. @param name the current name of the account, if it still exists */
export function actorName({ actor, source }: StoredAuditEntry, name: string | undefined): string {
  if (source === 'command-line') return t('activity.audit.commandLine');
  return name ?? (actor === '' ? t('activity.audit.unknownActor') : actor);
}
