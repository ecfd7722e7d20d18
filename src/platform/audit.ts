import { fetchPage } from '../lib/page.ts';
import type { Clock } from '../lib/time.ts';
import type { AccountId } from '../model/account.ts';
import { type Actor, isSystem } from '../model/actor.ts';
import {
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  type AuditId,
  type RecordAudit,
  type StoredAuditEntry,
  toAuditSource,
  toKeyActorName,
} from '../model/audit.ts';
import { replaceInvisible } from '../model/name.ts';
import type { AccountStore } from '../model/ports/account.ts';
import type { ApiKeyStore } from '../model/ports/apiKey.ts';
import type { AuditStore } from '../model/ports/audit.ts';
import type { OrganizationStore } from '../model/ports/organization.ts';

/** An action, its object, and the organization that it concerns, if any. */
export type AuditedAction = Pick<AuditEntry, 'action' | 'object'> &
  Partial<Pick<AuditEntry, 'organizationId'>>;

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
  readonly entryFor: (actor: Actor, audited: AuditedAction) => Promise<AuditEntry | undefined>;
  /** Like `record`, for the action of an actor. */
  readonly recordAction: (actor: Actor, audited: AuditedAction) => Promise<void>;
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
  /** Returns the current names of the users who made these entries, by account; deleted accounts are missing. */
  readonly actorNames: (entries: readonly StoredAuditEntry[]) => Promise<ReadonlyMap<AccountId, string>>;
};

/** @see Audit */
export function createAudit(deps: {
  readonly store: AuditStore;
  readonly accounts: Pick<AccountStore, 'byId'>;
  readonly apiKeys: Pick<ApiKeyStore, 'byId'>;
  readonly organizations: Pick<OrganizationStore, 'byId'>;
  readonly clock: Clock;
  /** Called if an entry cannot be appended. */
  readonly onFailure: (action: AuditAction, error: unknown) => void;
}): Audit {
  /** Also handles errors while the entry is created. */
  async function append(action: AuditAction, create: () => Promise<AuditEntry | undefined>): Promise<void> {
    try {
      const entry = await create();
      if (entry !== undefined) await deps.store.append(entry);
    } catch (error) {
      deps.onFailure(action, error);
    }
  }

  async function nameOf(actor: Actor): Promise<string> {
    if (isSystem(actor)) return 'command line';
    if (actor.source !== 'organization-key') return (await deps.accounts.byId(actor.user))?.email ?? '';
    const { keyId, organizationId } = actor.limits;
    const key = keyId && (await deps.apiKeys.byId(keyId));
    const organization = await deps.organizations.byId(organizationId);
    return toKeyActorName(key?.name ?? '', organization?.name ?? '');
  }

  const entryFor: Audit['entryFor'] = async (by, { organizationId, ...audited }) => {
    const source = toAuditSource(by);
    if (source === undefined) return undefined;
    const [actor, object] = [await nameOf(by), replaceInvisible(audited.object)];
    const accountId = by.source === 'organization-key' ? undefined : by.user;
    const { address } = by;
    return { ...audited, organizationId, object, actor, accountId, source, address, at: deps.clock() };
  };

  return {
    record: (entry) =>
      append(entry.action, async () => {
        const [actor, object] = [replaceInvisible(entry.actor), replaceInvisible(entry.object)];
        return { ...entry, actor, object, at: deps.clock() };
      }),
    entryFor,
    recordAction: (actor, audited) => append(audited.action, () => entryFor(actor, audited)),
    async list(actor, filter, { before, limit }) {
      const page = (upTo: number) => deps.store.page({ ...filter, ...readerOf(actor) }, before, upTo);
      const { items: entries, hasMore } = await fetchPage(limit, page);
      return { entries, older: hasMore ? entries.at(-1)?.id : undefined };
    },
    async actorNames(entries) {
      const ids = new Set(entries.flatMap(({ accountId }) => accountId ?? []));
      const accounts = await Promise.all([...ids].map((id) => deps.accounts.byId(id)));
      return new Map(accounts.flatMap((account) => (account ? [[account.id, account.name] as const] : [])));
    },
  };
}

/** Returns the condition that entries must meet so that the actor can read them. */
function readerOf(actor: Actor): Pick<AuditFilter, 'reader' | 'organizationId'> {
  if (actor.source === 'organization-key') return { organizationId: actor.limits.organizationId };
  return actor.isAdmin ? {} : { reader: actor.user };
}
