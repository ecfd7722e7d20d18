import { type Awaitable, attempt, chain } from '../../lib/awaitable.ts';
import { createFairSemaphore, type SemaphoreHolder } from '../../lib/fairSemaphore.ts';
import type { Pacer, Steps } from '../../lib/pacer.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertyAndRevisions } from '../../model/ports/property.ts';
import type { StoredRules } from '../../model/ports/rules.ts';
import type { RuleScope } from '../../model/rules/rule.ts';
import { rulesFromJson } from '../../model/rules/rulesJson.ts';
import { type CompiledRules, compileRules } from './compileRules.ts';

/** A revision of a list of rules, and the organization that uses memory for it. */
export type RuleListVersion = {
  readonly scope: RuleScope;
  readonly owner: OrganizationId | 'installation';
  readonly revision: number;
};

/** Compiled lists of rules. */
export type RuleCache = {
  /**
   * Returns a list in the given revision or a later one. Simultaneous callers share one load.
   *
   * @returns if the list cannot be loaded, or is not compiled after LOAD_MS: the older revision in the cache; without one, 'late' after
   * LOAD_MS @throws the error of `load` if there is no older revision in the cache
   */
  readonly get: (version: RuleListVersion) => Awaitable<CompiledRules | 'late'>;
};

export type RuleCacheOptions = {
  /** Returns the newest revision; undefined if the scope never had rules. */
  readonly load: (scope: RuleScope) => Awaitable<StoredRules | undefined>;
  /** Called if `load` fails and an older revision is used. */
  readonly onStale?: ((error: unknown) => void) | undefined;
  /** Called once for each load that has not ended after LOAD_MS. */
  readonly onLate?: ((scope: RuleScope) => void) | undefined;
  readonly pacer: Pick<Pacer, 'run'>;
  /** Maximum estimated size of all lists, in bytes. */
  readonly capacity?: number;
  /** Calls a function after some milliseconds. @returns a function that cancels the call */
  readonly timer: (milliseconds: number, run: () => void) => () => void;
};

/** Maximum size of the lists of one thread: 16 organizations at the limit of rules, or 20,000 short lists. */
const CAPACITY = 64 * 1024 * 1024;
/** Milliseconds that requests wait for a list. Compiling the largest list takes 20 to 40 ms of one core. */
const LOAD_MS = 5000;
/** Lists that are loaded at the same time. They share the slices of the pacer; others can wait for the database. */
const LOADS = 4;

type Entry = { readonly revision: number; readonly compiled: CompiledRules };
type Loading = { readonly revision: number; readonly result: Promise<CompiledRules | 'late'> };

/**
 * Creates a cache that loads and compiles lists when they are needed, in slices. An organization with large lists delays and evicts only
 * its own lists: loads take turns by organization, and a full cache evicts the least recently used list of the organization that
 * uses the most of it.
 *
 * A waiting request is woken by the end of the load, successful or not, or by the deadline. A load always ends: its permit is released
 * by the end of another load, and its steps run whenever the event loop runs.
 */
export function createRuleCache(options: RuleCacheOptions): RuleCache {
  const { load, onStale, onLate, pacer, timer } = options;
  const lists = createLists(options.capacity ?? CAPACITY);
  const loading = new Map<RuleScope, Loading>();
  const turns = createTurns(LOADS);

  async function compile({ scope, owner }: RuleListVersion): Promise<CompiledRules> {
    const release = await turns.take(owner);
    try {
      const stored = (await load(scope)) ?? { revision: 0, json: '[]' };
      const compiled = await pacer.run(compileStored(scope, stored.json), 'urgent');
      lists.set(scope, owner, { revision: stored.revision, compiled });
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
      const { scope, owner, revision } = version;
      const known = lists.get(scope, owner);
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

/** Permits that organizations receive in turns. */
function createTurns(permits: number) {
  const createHolder = createFairSemaphore(permits);
  const holders = new Map<RuleListVersion['owner'], { readonly holder: SemaphoreHolder; users: number }>();
  return {
    /** @returns a function that returns the permit */
    async take(owner: RuleListVersion['owner']): Promise<() => void> {
      const entry = holders.get(owner) ?? { holder: createHolder(), users: 0 };
      holders.set(owner, entry);
      entry.users++;
      await entry.holder.acquire();
      return () => {
        entry.holder.release();
        entry.users--;
        if (entry.users === 0) holders.delete(owner);
      };
    },
  };
}

type OwnedLists = { bytes: number; readonly entries: Map<RuleScope, Entry> };

/** Lists of bounded total size. Those of the installation, which every request needs, are never evicted. */
function createLists(capacity: number) {
  const owners = new Map<RuleListVersion['owner'], OwnedLists>();
  let bytes = 0;

  function remove(owner: RuleListVersion['owner'], owned: OwnedLists, scope: RuleScope): void {
    const size = owned.entries.get(scope)?.compiled.bytes ?? 0;
    owned.entries.delete(scope);
    owned.bytes -= size;
    bytes -= size;
    if (owned.entries.size === 0) owners.delete(owner);
  }

  /** @returns whether there was a list to evict */
  function evictOne(): boolean {
    let [largest, most]: [RuleListVersion['owner'] | undefined, number] = [undefined, 0];
    // At most 26,000 organizations, because a list counts as at least 2 KiB: 0.2 ms.
    for (const [owner, owned] of owners) {
      if (owner !== 'installation' && owned.bytes > most) [largest, most] = [owner, owned.bytes];
    }
    const owned = largest && owners.get(largest);
    const oldest = owned?.entries.keys().next().value;
    if (largest === undefined || owned === undefined || oldest === undefined) return false;
    remove(largest, owned, oldest);
    return true;
  }

  return {
    get(scope: RuleScope, owner: RuleListVersion['owner']): Entry | undefined {
      const entries = owners.get(owner)?.entries;
      const entry = entries?.get(scope);
      // Moves the list to the end of the order of use.
      if (entries !== undefined && entry !== undefined && entries.size > 1) {
        entries.delete(scope);
        entries.set(scope, entry);
      }
      return entry;
    },
    set(scope: RuleScope, owner: RuleListVersion['owner'], entry: Entry): void {
      const known = owners.get(owner);
      // Loads can end in another order than they began.
      if ((known?.entries.get(scope)?.revision ?? -1) > entry.revision) return;
      if (known !== undefined) remove(owner, known, scope);
      const owned = owners.get(owner) ?? { bytes: 0, entries: new Map<RuleScope, Entry>() };
      owners.set(owner, owned);
      owned.entries.set(scope, entry);
      owned.bytes += entry.compiled.bytes;
      bytes += entry.compiled.bytes;
      while (bytes > capacity && evictOne());
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
    revision: number | null,
  ): Awaitable<CompiledRules | 'late' | undefined> =>
    revision === null ? undefined : get({ scope, owner, revision });
  return ({ id, organizationId, rulesRevision, installationRevision }) => {
    if (rulesRevision === null && installationRevision === null) return undefined;
    const ofInstallation = list('installation', 'installation', installationRevision);
    const ofProperty = list(id, organizationId, rulesRevision);
    // A rejection of the second promise must not be unhandled while the first one is pending.
    if (ofProperty instanceof Promise) ofProperty.catch(() => {});
    return chain(ofInstallation, (installation) =>
      chain(ofProperty, (property) =>
        installation === 'late' || property === 'late' ? 'late' : { installation, property },
      ),
    );
  };
}
