import type { AuditAction, StoredAuditEntry } from '../../../model/audit.ts';
import type { Element } from '../../jsx/elements.ts';
import { rich } from '../i18n/rich.tsx';
import { type TextKey, t } from '../i18n/t.ts';

type SentenceKey = Extract<TextKey, `activity.${'sentences' | 'variants'}.${string}`>;

/** Sentences that replace the one of the action for some subjects; `''` is an entry without a subject. */
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
export function AuditSentence(props: { readonly entry: StoredAuditEntry; readonly actor: string }): Element {
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
  const { action, subject, actor } = entry;
  if (action === 'session-refused' && subject !== '') return 'activity.variants.moreFailed';
  if (action === 'user-created' && subject === actor) return 'activity.variants.accountCreated';
  return VARIANTS[action]?.[subject] ?? `activity.sentences.${action}`;
}

/** The subject without sitekeys, changes of rules, the users of API keys, and the property of a domain. The details have the whole subject. */
function objectOf({ action, subject }: StoredAuditEntry): string {
  if (action === 'dns-check-skipped') return subject.replace(/ of .*/s, '');
  if (action.startsWith('property-')) return subject.replace(/ \([0-9a-f]{32}\)(?:: .*)?$/s, '');
  return action.startsWith('key-') ? subject.replace(/ of \S+@\S+$/, '') : subject;
}

/** @returns the name of an entry's actor. @param name the current name of the account, if it still exists */
export function actorName({ actor, source }: StoredAuditEntry, name: string | undefined): string {
  if (source === 'command-line') return t('activity.audit.commandLine');
  return name ?? (actor === '' ? t('activity.audit.unknownActor') : actor);
}
