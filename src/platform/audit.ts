import { replaceInvisible } from '../lib/invisibleCharacters.ts';
import { fetchPage } from '../lib/page.ts';
import type { Clock } from '../lib/time.ts';
import type { Actor, UserActor } from '../model/actor.ts';
import type {
  AuditAction,
  AuditEntry,
  AuditFilter,
  AuditId,
  RecordAudit,
  StoredAuditEntry,
} from '../model/audit.ts';
import type { AccountStore } from '../model/ports/account.ts';
import type { AuditStore } from '../model/ports/audit.ts';

/** An action with its subject, and the organization that it concerns, if any. */
export type Act = Pick<AuditEntry, 'action' | 'subject'> & Partial<Pick<AuditEntry, 'organizationId'>>;

/** @see Audit */
export type EntryFor = Audit['entryFor'];

export type AuditPage = {
  /** Newest first. */
  readonly entries: readonly StoredAuditEntry[];
  /** The entry before which the next page starts; undefined on the last page. */
  readonly older: AuditId | undefined;
};

/** Use cases for the audit log. */
export type Audit = {
  /** Appends the entry of an action that changes nothing else. Never throws; calls `onFailure` if the entry cannot be appended. */
  readonly record: RecordAudit;
  /**
   * Returns the entry of an actor's action, for the store method that makes the change and appends the entry in the same
   * transaction. Undefined for the installation itself.
   */
  readonly entryFor: (actor: Actor, act: Act) => Promise<AuditEntry | undefined>;
  /** Appends the entry of an actor's action. */
  readonly recordAct: (actor: UserActor, act: Act) => Promise<void>;
  /** Appends the entry of a command. */
  readonly recordCommand: (act: Act) => Promise<void>;
  /**
   * Administrators and the command line see all entries. Other users see their own, and those of the organizations that they own or
   * are members of.
   *
   * @param page limit: 1..1000
   */
  readonly list: (
    actor: Actor,
    filter: Omit<AuditFilter, 'reader'>,
    page: { readonly before?: AuditId | undefined; readonly limit: number },
  ) => Promise<AuditPage>;
};

/** @see Audit */
export function createAudit(deps: {
  readonly store: AuditStore;
  readonly accounts: Pick<AccountStore, 'byId'>;
  readonly clock: Clock;
  /** Called if an entry cannot be appended. */
  readonly onFailure: (action: AuditAction, error: unknown) => void;
}): Audit {
  /** Creating the entry can fail too. */
  async function keep(action: AuditAction, entry: () => Promise<Omit<AuditEntry, 'at'>>): Promise<void> {
    const at = deps.clock();
    try {
      const made = await entry();
      const [actor, subject] = [replaceInvisible(made.actor), replaceInvisible(made.subject)];
      await deps.store.append({ ...made, actor, subject, at });
    } catch (error) {
      deps.onFailure(action, error);
    }
  }

  return {
    record: (entry) => keep(entry.action, async () => entry),
    async entryFor({ user, source, address }, { organizationId, ...act }) {
      if (source === 'installation') return undefined;
      const actor = user === undefined ? 'command line' : ((await deps.accounts.byId(user))?.email ?? '');
      const subject = replaceInvisible(act.subject);
      return { ...act, organizationId, subject, actor, accountId: user, source, address, at: deps.clock() };
    },
    recordAct: ({ user, source, address }, act) =>
      keep(act.action, async () => {
        const account = await deps.accounts.byId(user);
        return {
          organizationId: undefined,
          ...act,
          accountId: user,
          actor: account?.email ?? '',
          source,
          address,
        };
      }),
    recordCommand: (act) => {
      const who = {
        organizationId: undefined,
        accountId: undefined,
        actor: 'command line',
        source: 'command-line',
        address: undefined,
      } as const;
      return keep(act.action, async () => ({ ...who, ...act }));
    },
    async list(actor, filter, { before, limit }) {
      const reader = actor.isAdmin ? undefined : actor.user;
      const page = (upTo: number) => deps.store.page({ ...filter, reader }, before, upTo);
      const { items: entries, hasMore } = await fetchPage(limit, page);
      return { entries, older: hasMore ? entries.at(-1)?.id : undefined };
    },
  };
}
