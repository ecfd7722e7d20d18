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

/** An action and what it concerns. */
export type Act = Pick<AuditEntry, 'action' | 'subject'> & Partial<Pick<AuditEntry, 'organizationId'>>;

/** @see Audit */
export type EntryFor = Audit['entryFor'];

/** Newest first. */
export type AuditPage = {
  readonly entries: readonly StoredAuditEntry[];
  /** Where the next page begins: what is older than this; undefined where there is no more. */
  readonly older: AuditId | undefined;
};

export type Audit = {
  /** Notes down what was done. It was done, whether this can be written or not: never throws, but tells `onFailure`. */
  readonly record: RecordAudit;
  /**
   * Returns the entry of an actor's action, for the store method that makes the change and appends the entry in the same
   * transaction. Undefined for the installation itself.
   */
  readonly entryFor: (actor: Actor, act: Act) => Promise<AuditEntry | undefined>;
  /** The same for an actor, whose account is named by its e-mail address. */
  readonly recordAct: (actor: UserActor, act: Act) => Promise<void>;
  /** The same for the command line. */
  readonly recordCommand: (act: Act) => Promise<void>;
  /**
   * Administrators and the command line see everything; others what concerns the organizations that they own or share
   * now, and what they did themselves.
   *
   * @param page limit 1..1000
   */
  readonly list: (
    actor: Actor,
    filter: Omit<AuditFilter, 'reader'>,
    page: { readonly before?: AuditId | undefined; readonly limit: number },
  ) => Promise<AuditPage>;
};

/** Use cases around the audit log. */
export function createAudit(deps: {
  readonly store: AuditStore;
  readonly accounts: Pick<AccountStore, 'byId'>;
  readonly clock: Clock;
  /** Told what could not be written. */
  readonly onFailure: (action: AuditAction, error: unknown) => void;
}): Audit {
  /** What asks for the entry, too, may fail. */
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
