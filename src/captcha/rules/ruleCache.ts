import { type Awaitable, attempt, chain } from '../../lib/awaitable.ts';
import { createFairSemaphore } from '../../lib/fairSemaphore.ts';
import type { Pacer, Steps } from '../../lib/pacer.ts';
import type { AccountId } from '../../model/account.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertyAndRevisions } from '../../model/ports/property.ts';
import type { StoredRules } from '../../model/ports/rules.ts';
import type { RuleScope } from '../../model/rules/rule.ts';
import { rulesFromJson } from '../../model/rules/rulesJson.ts';
import { type CompiledRules, compileRules } from './compileRules.ts';

/** A revision of a list of rules, and the organization and its owner, who use memory for it. */
export type RuleListVersion = {
  readonly scope: RuleScope;
  readonly owner: AccountId | 'installation';
  /** Undefined for the list of the installation. */
  readonly organization: OrganizationId | undefined;
  readonly revision: number;
};

/** Compiled lists of rules. */
export type RuleCache = {
  /**
   * Returns a list in the given revision or a later one. Simultaneous callers share one load.
   *
   * @returns if the list cannot be loaded, or is not compiled after LOAD_MS, or if too many others wait: the older revision
   * in the cache; without one, 'late' unless `load` fails @throws the error of `load` if there is no older revision in the cache
   */
  readonly get: (version: RuleListVersion) => Awaitable<CompiledRules | 'late'>;
};

export type RuleCacheOptions = {
  /** Returns the newest revision; undefined if the scope never had rules. */
  readonly load: (scope: RuleScope) => Awaitable<StoredRules | undefined>;
  /** Called if `load` fails and an older revision is used. */
  readonly onStale?: ((error: unknown) => void) | undefined;
  /** Called for each load that has not ended after LOAD_MS, or for which there is no place in the queue. */
  readonly onLate?: ((scope: RuleScope) => void) | undefined;
  readonly pacer: Pick<Pacer, 'run'>;
  /** Maximum estimated size of all lists, in bytes. */
  readonly capacity?: number;
  /** Calls a function after some milliseconds. @returns a function that cancels the call */
  readonly timer: (milliseconds: number, run: () => void) => () => void;
};

/** Maximum size of the lists of one thread: those of 16 organizations at the limit of rules, or 20,000 short lists. */
const CAPACITY = 64 * 1024 * 1024;
/** Milliseconds that requests wait for a list. Compiling the largest list takes 20 to 40 ms of one core. */
const LOAD_MS = 5000;
/** Lists that are loaded at the same time. They share the slices of the pacer; others can wait for the database. */
const LOADS = 4;
/** Lists that wait to be loaded. */
const WAITING_LOADS = 1000;

type Entry = { readonly revision: number; readonly compiled: CompiledRules };
type Loading = { readonly revision: number; readonly result: Promise<CompiledRules | 'late'> };

/**
 * Creates a cache that loads and compiles lists when they are needed, in slices. A user whose organizations have large lists delays
 * and evicts only the lists of these organizations: loads take turns by owner, and then by organization. A full cache evicts the least
 * recently used list of the largest organization of the owner whose lists use the most memory.
 *
 * A waiting request is woken by the end of the load, successful or not, or by the deadline. A load always ends: its permit is released
 * by the end of another load, and its steps run whenever the event loop runs.
 */
export function createRuleCache(options: RuleCacheOptions): RuleCache {
  const { load, onStale, onLate, pacer, timer } = options;
  const lists = createLists(options.capacity ?? CAPACITY);
  const loading = new Map<RuleScope, Loading>();
  const newHolder = createFairSemaphore(LOADS, WAITING_LOADS);

  /** @returns 'late' if too many lists wait */
  async function compile(version: RuleListVersion): Promise<CompiledRules | 'late'> {
    const { scope, owner, organization } = version;
    const { acquire, release } = newHolder(String(owner), String(organization));
    if (!(await acquire())) {
      onLate?.(scope);
      return 'late';
    }
    try {
      const stored = (await load(scope)) ?? { revision: 0, json: '[]' };
      const compiled = await pacer.run(compileStored(scope, stored.json), 'urgent');
      lists.set(version, { revision: stored.revision, compiled });
      return compiled;
    } finally {
      release();
    }
  }

  function start(version: RuleListVersion): Promise<CompiledRules | 'late'> {
    const { scope, revision } = version;
    const compiled = compile(version);
    const result = withDeadline(compiled, timer, () => onLate?.(scope));
    const entry = { revision, result };
    loading.set(scope, entry);
    const remove = () => void (loading.get(scope) === entry && loading.delete(scope));
    // Later requests also join a late load.
    compiled.then(remove, remove);
    return result;
  }

  return {
    get(version) {
      const { scope, revision } = version;
      const known = lists.get(version);
      if (known !== undefined && known.revision >= revision) return known.compiled;
      const current = loading.get(scope);
      // A load that began for an older revision may not include this one.
      const result = current !== undefined && current.revision >= revision ? current.result : start(version);
      return attempt<CompiledRules | 'late', CompiledRules | 'late'>(
        () => result,
        (compiled) => (compiled === 'late' ? (known?.compiled ?? compiled) : compiled),
        (error) => {
          if (known === undefined) throw error;
          onStale?.(error);
          return known.compiled;
        },
      );
    },
  };
}

function* compileStored(scope: RuleScope, json: string): Steps<CompiledRules> {
  const rules = rulesFromJson(json);
  yield;
  return yield* compileRules(scope, rules);
}

function withDeadline<Value>(
  value: Promise<Value>,
  timer: RuleCacheOptions['timer'],
  onLate: () => void,
): Promise<Value | 'late'> {
  const { promise, resolve, reject } = Promise.withResolvers<Value | 'late'>();
  const cancel = timer(LOAD_MS, () => {
    onLate();
    resolve('late');
  });
  value.then(resolve, reject).finally(cancel);
  return promise;
}

/** The lists of an organization, of all organizations of an owner, or all lists. */
type Share = {
  readonly parent: Share | undefined;
  readonly name: RuleListVersion['owner'] | RuleListVersion['organization'];
  bytes: number;
  readonly members: Map<Share['name'], Share>;
  readonly entries: Map<RuleScope, Entry>;
};

function createShare(parent?: Share, name?: Share['name']): Share {
  return { parent, name, bytes: 0, members: new Map(), entries: new Map() };
}

function memberOf(parent: Share, name: Share['name']): Share {
  const known = parent.members.get(name);
  if (known !== undefined) return known;
  const member = createShare(parent, name);
  parent.members.set(name, member);
  return member;
}

/** Changes the size of a share and of those that contain it, and removes shares without lists. */
function resize(share: Share, bytes: number): void {
  for (let each: Share | undefined = share; each !== undefined; each = each.parent) {
    each.bytes += bytes;
    if (each.bytes === 0) each.parent?.members.delete(each.name);
  }
}

function largestOf({ members }: Share): Share | undefined {
  let largest: Share | undefined;
  // At most 26,000 owners, because a list counts as at least 2 KiB: 0.2 ms.
  for (const member of members.values()) {
    if (member.name !== 'installation' && member.bytes > (largest?.bytes ?? 0)) largest = member;
  }
  return largest;
}

/** Lists of bounded total size. Those of the installation, which every request needs, are never evicted. */
function createLists(capacity: number) {
  const all = createShare();

  /** @returns whether there was a list to evict */
  function evictOne(): boolean {
    const owner = largestOf(all);
    const share = owner && largestOf(owner);
    const [scope, oldest] = share?.entries.entries().next().value ?? [];
    if (share === undefined || scope === undefined || oldest === undefined) return false;
    share.entries.delete(scope);
    resize(share, -oldest.compiled.bytes);
    return true;
  }

  return {
    get({ scope, owner, organization }: RuleListVersion): Entry | undefined {
      const entries = all.members.get(owner)?.members.get(organization)?.entries;
      const entry = entries?.get(scope);
      // Moves the list to the end of the order of use.
      if (entries !== undefined && entry !== undefined && entries.size > 1) {
        entries.delete(scope);
        entries.set(scope, entry);
      }
      return entry;
    },
    set({ scope, owner, organization }: RuleListVersion, entry: Entry): void {
      const share = memberOf(memberOf(all, owner), organization);
      const known = share.entries.get(scope);
      // Loads can end in another order than they began.
      if (known !== undefined && known.revision > entry.revision) return;
      share.entries.set(scope, entry);
      resize(share, entry.compiled.bytes - (known?.compiled.bytes ?? 0));
      while (all.bytes > capacity && evictOne());
    },
  };
}

/** The lists that apply to a property; undefined if they have no rules. */
export type AppliedRules = {
  readonly installation: CompiledRules | undefined;
  readonly property: CompiledRules | undefined;
};

/** Returns the rules that apply to a property; undefined if there are none. Synchronous if they are in the cache. */
export type RulesOf = (property: PropertyAndRevisions) => Awaitable<AppliedRules | 'late' | undefined>;

/** @see RulesOf */
export function createRulesOf({ get }: RuleCache): RulesOf {
  const list = (
    scope: RuleScope,
    owner: RuleListVersion['owner'],
    organization: RuleListVersion['organization'],
    revision: number | null,
  ): Awaitable<CompiledRules | 'late' | undefined> =>
    revision === null ? undefined : get({ scope, owner, organization, revision });
  return ({ id, ownerId, organizationId, rulesRevision, installationRevision }) => {
    if (rulesRevision === null && installationRevision === null) return undefined;
    const ofInstallation = list('installation', 'installation', undefined, installationRevision);
    const ofProperty = list(id, ownerId, organizationId, rulesRevision);
    // A rejection of the second promise must not be unhandled while the first one is pending.
    if (ofProperty instanceof Promise) ofProperty.catch(() => {});
    return chain(ofInstallation, (installation) =>
      chain(ofProperty, (property) =>
        installation === 'late' || property === 'late' ? 'late' : { installation, property },
      ),
    );
  };
}
