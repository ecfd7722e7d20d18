import { describe, expect, jest, test } from 'bun:test';
import { type CompiledRules, compileRules } from '../../../src/captcha/rules/compileRules.ts';
import {
  createRuleCache,
  createRulesOf,
  type RuleCacheOptions,
  type RuleListVersion,
} from '../../../src/captcha/rules/ruleCache.ts';
import { createPacer, pacer as realPacer, runSteps } from '../../../src/lib/pacer.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import type { StoredRules } from '../../../src/model/ports/rules.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import type { RuleConditions, RuleScope } from '../../../src/model/rules/rule.ts';
import { rulesFromJson, toRulesJson } from '../../../src/model/rules/rulesJson.ts';
import { newRules } from './rules.ts';

const networks = (count: number): RuleConditions => ({
  networks: Array.from({ length: count }, (_, n) => `10.${n >> 8}.${n & 255}.0/24`),
});
const stored = (revision: number, conditions: readonly RuleConditions[]): StoredRules => ({
  revision,
  json: toRulesJson(newRules(conditions)),
});
const version = (property: number, revision = 1, owner = 1, organization = owner): RuleListVersion => ({
  scope: property as PropertyId,
  owner: owner as AccountId,
  organization: organization as OrganizationId,
  revision,
});

/** A cache with a database of lists; loads wait until the test settles them if `isManual`. */
function open(options: Partial<RuleCacheOptions> & { isManual?: boolean } = {}) {
  const lists = new Map<RuleScope, StoredRules>();
  const loads: RuleScope[] = [];
  const waiting: (() => void)[] = [];
  const timeouts = new Set<() => void>();
  const cache = createRuleCache({
    async load(scope) {
      loads.push(scope);
      if (options.isManual) await new Promise<void>((resolve) => waiting.push(resolve));
      return lists.get(scope);
    },
    pacer: realPacer,
    timer(_, onTimeout) {
      timeouts.add(onTimeout);
      return () => timeouts.delete(onTimeout);
    },
    ...options,
  });
  return { cache, lists, loads, waiting, timeouts };
}

describe('the cache of compiled rules', () => {
  test('loads and compiles a list once for simultaneous requests, and then returns it without a promise', async () => {
    const { cache, lists, loads } = open();
    lists.set(5 as PropertyId, stored(1, [networks(1)]));
    const found = await Promise.all(Array.from({ length: 190 }, () => cache.get(version(5))));
    expect(new Set(found).size).toBe(1);
    expect(loads).toEqual([5 as PropertyId]);
    expect(cache.get(version(5))).toBe(found[0] as CompiledRules);
  });

  // 190 requests for properties with 205 KB of rules each used to block the event loop for 7.6 seconds.
  test('compiles many lists in slices, between which other work runs', async () => {
    const time = { now: 0, checks: 0 };
    const pacer = createPacer({
      // Each check takes a tenth of a millisecond, so a slice has 40 checks.
      now: () => ++time.checks / 10,
      defer: (next) => setImmediate(next),
    });
    const { cache, lists } = open({ pacer });
    for (let id = 1; id <= 5; id++) lists.set(id as PropertyId, stored(1, [networks(2000)]));
    let isRunning = true;
    let [iterations, longest] = [0, 0];
    const other = (async () => {
      while (isRunning) {
        const before = time.checks;
        await new Promise(setImmediate);
        iterations++;
        longest = Math.max(longest, time.checks - before);
      }
    })();
    await Promise.all(Array.from({ length: 190 }, (_, n) => cache.get(version(1 + (n % 5)))));
    isRunning = false;
    await other;
    expect(iterations).toBeGreaterThan(5);
    // One slice, and one check by each of the loads that are in progress.
    expect(longest).toBeLessThan(60);
  });

  test('compiles lists as urgent work, because visitors wait for them', async () => {
    const urgencies: unknown[] = [];
    const pacer: RuleCacheOptions['pacer'] = {
      run(steps, urgency) {
        urgencies.push(urgency);
        return realPacer.run(steps, urgency);
      },
    };
    const { cache, lists } = open({ pacer });
    lists.set(5 as PropertyId, stored(1, [networks(1)]));
    await cache.get(version(5));
    expect(urgencies).toEqual(['urgent']);
  });

  test('loads a newer revision, which also serves requests for an older one', async () => {
    const { cache, lists, loads } = open();
    lists.set(5 as PropertyId, stored(1, [networks(1)]));
    const old = await cache.get(version(5));
    lists.set(5 as PropertyId, stored(2, [networks(2)]));
    const current = await cache.get(version(5, 2));
    expect(current).not.toBe(old);
    expect(cache.get(version(5, 1))).toBe(current);
    expect(loads).toHaveLength(2);
  });

  test('never answers a request for a newer revision with a load that began earlier', async () => {
    const { cache, lists, loads, waiting } = open({ isManual: true });
    lists.set(5 as PropertyId, stored(1, [networks(1)]));
    const first = cache.get(version(5, 1));
    await Promise.resolve();
    const second = cache.get(version(5, 2));
    while (loads.length < 2) await new Promise(setImmediate);
    waiting[0]?.();
    const old = await first;
    lists.set(5 as PropertyId, stored(2, [networks(2)]));
    waiting[1]?.();
    expect(await second).not.toBe(old);
  });

  test('keeps the lists of other organizations when one organization has large lists', async () => {
    const { cache, lists, loads } = open({ capacity: 300_000 });
    const small = Array.from({ length: 10 }, (_, n) => version(100 + n, 1, 100 + n));
    for (const { scope } of small) lists.set(scope, stored(1, [networks(1)]));
    lists.set('installation', stored(1, [networks(100)]));
    const installation: RuleListVersion = {
      scope: 'installation',
      owner: 'installation',
      organization: undefined,
      revision: 1,
    };
    for (const each of [installation, ...small]) await cache.get(each);
    for (let id = 1; id <= 20; id++) {
      lists.set(id as PropertyId, stored(1, [networks(5000)]));
      await cache.get(version(id));
    }
    expect(loads).toHaveLength(31);
    for (const each of [installation, ...small, version(20)]) {
      expect(cache.get(each)).not.toBeInstanceOf(Promise);
    }
    expect(cache.get(version(1))).toBeInstanceOf(Promise);
  });

  test('keeps the lists of other users when one user has large lists in many organizations', async () => {
    const { cache, lists } = open({ capacity: 300_000 });
    // 70 KB; less than any two lists of the other user.
    const modest = version(1, 1, 1);
    lists.set(1 as PropertyId, stored(1, [networks(3000)]));
    await cache.get(modest);
    for (let id = 2; id <= 60; id++) {
      lists.set(id as PropertyId, stored(1, [networks(500)]));
      await cache.get(version(id, 1, 2, id));
    }
    expect(cache.get(modest)).not.toBeInstanceOf(Promise);
    expect(cache.get(version(60, 1, 2, 60))).not.toBeInstanceOf(Promise);
    expect(cache.get(version(2, 1, 2, 2))).toBeInstanceOf(Promise);
  });

  test('evicts the lists of the organization that uses most of what its owner has', async () => {
    const { cache, lists } = open({ capacity: 70_000 });
    for (const id of [1, 2, 3]) lists.set(id as PropertyId, stored(1, [networks(id === 1 ? 500 : 4000)]));
    const versions = [version(1, 1, 1, 1), version(2, 1, 1, 2), version(3, 1, 1, 2)];
    for (const each of versions) await cache.get(each);
    const isKnown = (each: RuleListVersion) => !(cache.get(each) instanceof Promise);
    expect(versions.toReversed().map(isKnown)).toEqual([true, false, true]);
  });

  test('has a limit of lists that wait, and a user without one gets a place of the user with the most', async () => {
    const late: RuleScope[] = [];
    const { cache, loads } = open({ isManual: true, onLate: (scope) => late.push(scope) });
    const first = Array.from({ length: 1004 }, (_, n) => cache.get(version(1 + n, 1, 1, n)));
    while (loads.length < 4) await new Promise(setImmediate);
    expect(await cache.get(version(2000, 1, 1, 2000))).toBe('late');
    const other = cache.get(version(3000, 1, 2));
    expect(await first.at(-1)).toBe('late');
    expect(late).toEqual([2000, 1004] as PropertyId[]);
    expect(other).toBeInstanceOf(Promise);
  });

  test('evicts the least recently used list of an organization', async () => {
    const { cache, lists } = open({ capacity: 80_000 });
    for (const id of [1, 2, 3]) lists.set(id as PropertyId, stored(1, [networks(4000)]));
    for (const id of [1, 2, 1, 3]) await cache.get(version(id));
    const isKnown = (id: number) => !(cache.get(version(id)) instanceof Promise);
    expect([isKnown(1), isKnown(3), isKnown(2)]).toEqual([true, true, false]);
  });

  test('uses an older revision if the database fails, and reports the failure', async () => {
    const stale: unknown[] = [];
    const failure = new Error('the disk is full');
    let fails = false;
    const { cache } = open({
      load: () => (fails ? Promise.reject(failure) : stored(1, [networks(1)])),
      onStale: (error) => stale.push(error),
    });
    const old = await cache.get(version(5));
    fails = true;
    expect(await cache.get(version(5, 2))).toBe(old);
    expect(stale).toEqual([failure]);
    expect(await Promise.resolve(cache.get(version(6))).catch((error: unknown) => error)).toBe(failure);
    fails = false;
    expect(await cache.get(version(6))).not.toBe(old);
  });

  test('answers waiting requests at the deadline, and later ones when the list is compiled', async () => {
    const { cache, lists, waiting, timeouts } = open({ isManual: true });
    lists.set(5 as PropertyId, stored(1, [networks(1)]));
    const early = cache.get(version(5));
    while (waiting.length === 0) await new Promise(setImmediate);
    for (const onTimeout of timeouts) onTimeout();
    expect(await early).toBe('late');
    waiting[0]?.();
    while (timeouts.size > 0) await new Promise(setImmediate);
    expect(cache.get(version(5))).not.toBeInstanceOf(Promise);
  });

  test('uses an older revision at the deadline, and reports the late load once', async () => {
    const late: RuleScope[] = [];
    const { cache, lists, waiting, timeouts } = open({ isManual: true, onLate: (scope) => late.push(scope) });
    lists.set(5 as PropertyId, stored(1, [networks(1)]));
    const first = cache.get(version(5));
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting.shift()?.();
    const old = await first;
    lists.set(5 as PropertyId, stored(2, [networks(2)]));
    const changed = [cache.get(version(5, 2)), cache.get(version(5, 2))];
    while (waiting.length === 0) await new Promise(setImmediate);
    for (const onTimeout of timeouts) onTimeout();
    expect(await Promise.all(changed)).toEqual([old, old]);
    // Requests that join the late load do not wait for it again.
    expect(await cache.get(version(5, 2))).toBe(old);
    expect(late).toEqual([5 as PropertyId]);
    waiting.shift()?.();
    while (timeouts.size > 0) await new Promise(setImmediate);
    expect(cache.get(version(5, 2))).not.toBeInstanceOf(Promise);
    expect(cache.get(version(5, 2))).not.toBe(old);
  });

  test('parses the stored text as a step of the pacer', async () => {
    let runs = 0;
    const pacer: RuleCacheOptions['pacer'] = {
      run(steps) {
        runs++;
        return realPacer.run(steps);
      },
    };
    const { cache, lists } = open({ pacer });
    lists.set(5 as PropertyId, { revision: 1, json: '{' });
    const failed = await Promise.resolve(cache.get(version(5))).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(SyntaxError);
    expect(runs).toBe(1);
  });

  test('loads lists in turns, so that the lists of one organization do not delay another one', async () => {
    const { cache, lists, loads, waiting } = open({ isManual: true });
    for (let id = 1; id <= 30; id++) lists.set(id as PropertyId, stored(1, [networks(1)]));
    const results = Array.from({ length: 29 }, (_, n) => cache.get(version(1 + n)));
    results.push(cache.get(version(30, 1, 2)));
    while (loads.length < 4) await new Promise(setImmediate);
    // As soon as one load ends, the other organization has its turn.
    waiting.shift()?.();
    while (loads.length < 5) await new Promise(setImmediate);
    expect(loads.at(-1)).toBe(30 as PropertyId);
    let isFinished = false;
    const all = Promise.all(results).then((found) => {
      isFinished = true;
      return found;
    });
    while (!isFinished) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
    expect(await all).toHaveLength(30);
  });

  test('every request gets an answer, in whatever order loads end, fail, and time out', async () => {
    for (let seed = 1; seed <= 50; seed++) {
      let state = seed;
      const random = (below: number) => {
        state = (state * 48_271) % 2_147_483_647;
        return state % below;
      };
      const pending: ((list: StoredRules | Error) => void)[] = [];
      const { cache, timeouts } = open({
        load: () =>
          new Promise((resolve, reject) =>
            pending.push((list) => (list instanceof Error ? reject(list) : resolve(list))),
          ),
        capacity: 20_000,
      });
      const answers: Promise<unknown>[] = [];
      for (let event = 0; event < 60; event++) {
        const kind = random(4);
        if (kind < 2) {
          const asked = cache.get(version(1 + random(6), 1 + random(3), 1 + random(3)));
          answers.push(Promise.resolve(asked).catch((error: unknown) => error));
        } else if (kind === 2) {
          const [end] = pending.splice(random(Math.max(1, pending.length)), 1);
          end?.(random(4) === 0 ? new Error('failed') : stored(3, [networks(random(50) + 1)]));
        } else [...timeouts][0]?.();
        await new Promise(setImmediate);
      }
      let isFinished = false;
      const all = Promise.all(answers).then((found) => {
        isFinished = true;
        return found;
      });
      while (!isFinished) {
        for (const end of pending.splice(0)) end(stored(3, [networks(1)]));
        await new Promise(setImmediate);
      }
      expect((await all).every((found) => found !== undefined)).toBe(true);
    }
  });
});

describe('a cache of compiled rules', () => {
  const LIST = stored(1, [networks(20)]);
  /** The stated size of a list. */
  const BYTES = compileSize(LIST);

  /** The properties whose lists are loaded again, so they were not in the cache. */
  async function missing({ cache, loads }: ReturnType<typeof open>, ...versions: RuleListVersion[]) {
    const before = loads.length;
    for (const each of versions) await cache.get(each);
    return loads.slice(before);
  }

  function openWith(capacity: number, ...properties: number[]) {
    const opened = open({ capacity });
    for (const property of properties) opened.lists.set(property as PropertyId, LIST);
    return opened;
  }

  test('is full only if its lists are larger than its capacity', async () => {
    const exact = openWith(2 * BYTES, 1, 2);
    await missing(exact, version(1), version(2));
    expect(await missing(exact, version(1), version(2))).toEqual([]);
    const smaller = openWith(2 * BYTES - 1, 1, 2);
    await missing(smaller, version(1), version(2));
    expect(await missing(smaller, version(2), version(1))).toHaveLength(1);
  });

  test('returns a list that is too large for it', async () => {
    const opened = openWith(1, 1);
    expect(await missing(opened, version(1), version(1))).toHaveLength(2);
  });

  test('evicts as many lists as a new one needs', async () => {
    const opened = openWith(4 * BYTES, 1, 2, 3, 4);
    await missing(opened, ...[1, 2, 3, 4].map((property) => version(property, 1, 1)));
    const large = stored(1, [networks(2000)]);
    opened.lists.set(5 as PropertyId, large);
    expect(compileSize(large)).toBeGreaterThan(4 * BYTES);
    await missing(opened, version(5, 1, 1));
    // The youngest of the lists that were evicted.
    expect(await missing(opened, version(4, 1, 1))).toHaveLength(1);
  });

  test('counts a list once, however often it is replaced', async () => {
    const opened = openWith(2 * BYTES, 1, 2);
    await missing(opened, version(1), version(2));
    for (let revision = 2; revision < 10; revision++) {
      opened.lists.set(1 as PropertyId, { ...LIST, revision });
      await opened.cache.get(version(1, revision));
    }
    expect(await missing(opened, version(2), version(1, 9))).toEqual([]);
  });

  test('considers a list that was replaced as used', async () => {
    const opened = openWith(2 * BYTES, 1, 2, 3);
    await missing(opened, version(1, 1, 1), version(2, 1, 1));
    opened.lists.set(1 as PropertyId, { ...LIST, revision: 2 });
    await opened.cache.get(version(1, 2, 1));
    await opened.cache.get(version(3, 1, 1));
    expect(await missing(opened, version(1, 2, 1))).toEqual([]);
    expect(await missing(opened, version(2, 1, 1))).toHaveLength(1);
  });

  test('evicts lists although a list of the same organization could not be loaded', async () => {
    const loads: RuleScope[] = [];
    const { cache } = open({
      capacity: 2 * BYTES,
      load(scope) {
        loads.push(scope);
        return scope === 3 ? Promise.reject(new Error('the disk is gone')) : LIST;
      },
    });
    const get = async (property: number) => cache.get(version(property, 1, 1));
    for (const property of [1, 2]) await get(property);
    expect(await get(3).catch(() => 'failed')).toBe('failed');
    for (const property of [4, 5, 6, 4]) await get(property);
    expect(loads).toEqual([1, 2, 3, 4, 5, 6, 4] as PropertyId[]);
  });

  test('keeps the newer of two revisions if the load of the older one ends last', async () => {
    const { cache, lists, loads, waiting } = open({ isManual: true });
    const older = cache.get(version(1, 1));
    await new Promise(setImmediate);
    const newer = cache.get(version(1, 2));
    await new Promise(setImmediate);
    lists.set(1 as PropertyId, { ...LIST, revision: 2 });
    waiting.pop()?.();
    const found = await newer;
    lists.set(1 as PropertyId, LIST);
    waiting.pop()?.();
    await older;
    expect(cache.get(version(1, 2))).toBe(found);
    expect(loads).toHaveLength(2);
  });

  test('never evicts the list of the installation', async () => {
    const opened = openWith(BYTES, 1, 2);
    opened.lists.set('installation', LIST);
    const installation = {
      scope: 'installation',
      owner: 'installation',
      organization: undefined,
      revision: 1,
    } as const;
    await missing(opened, installation, version(1), version(2));
    expect(await missing(opened, installation)).toEqual([]);
    const alone = openWith(1);
    alone.lists.set('installation', LIST);
    expect(await missing(alone, installation, installation)).toEqual(['installation']);
  });

  test('has an empty list for a scope that never had rules', async () => {
    const { cache } = open();
    expect(await cache.get(version(1))).toMatchObject({ rules: [], scope: 1 as PropertyId });
  });

  test('uses an older revision without anyone who wants to know', async () => {
    const isBroken = { now: false };
    const { cache } = open({
      async load() {
        if (isBroken.now) throw new Error('the disk is gone');
        return LIST;
      },
    });
    const before = await cache.get(version(1));
    isBroken.now = true;
    expect(await cache.get(version(1, 2))).toBe(before);
  });

  test('is late without anyone who wants to know', async () => {
    const { cache, timeouts, waiting } = open({ isManual: true });
    const list = cache.get(version(1));
    for (const onTimeout of timeouts) onTimeout();
    expect(await list).toBe('late');
    const others = Array.from({ length: 1010 }, (_, n) => cache.get(version(2 + n, 1, 2 + n)));
    expect(await others.at(-1)).toBe('late');
    for (let n = 0; n < 1100; n++) {
      for (const settle of waiting.splice(0)) settle();
      await Promise.resolve();
    }
  });

  test('shares the load of a newer revision after that of an older one has ended', async () => {
    const { cache, lists, loads, waiting } = open({ isManual: true });
    lists.set(1 as PropertyId, LIST);
    const older = cache.get(version(1, 1));
    await new Promise(setImmediate);
    const newer = cache.get(version(1, 2));
    await new Promise(setImmediate);
    expect(loads).toHaveLength(2);
    waiting.shift()?.();
    await older;
    await new Promise(setImmediate);
    const shared = cache.get(version(1, 2));
    await new Promise(setImmediate);
    expect(loads).toHaveLength(2);
    for (const settle of waiting.splice(0)) settle();
    expect(await shared).toBe(await newer);
  });
});

/** The stated size of a stored list. */
function compileSize({ json }: StoredRules): number {
  return runSteps(compileRules('installation', rulesFromJson(json))).bytes;
}

describe('the rules of a property', () => {
  const property = {
    id: 5 as PropertyId,
    organizationId: 1 as OrganizationId,
    ownerId: 1 as AccountId,
  } as Parameters<ReturnType<typeof createRulesOf>>[0];

  test('are not looked up if there are none', () => {
    const { cache, loads } = open();
    const rulesOf = createRulesOf(cache);
    expect(rulesOf({ ...property, rulesRevision: null, installationRevision: null })).toBeUndefined();
    expect(loads).toEqual([]);
  });

  test('are those of the property and of the installation', async () => {
    const { cache, lists } = open();
    lists.set(5 as PropertyId, stored(1, [networks(1)]));
    lists.set('installation', stored(7, [networks(1), networks(2)]));
    const rulesOf = createRulesOf(cache);
    const both = { ...property, rulesRevision: 1, installationRevision: 7 };
    const found = await rulesOf(both);
    expect(found).toMatchObject({ property: { scope: 5 }, installation: { scope: 'installation' } });
    expect(rulesOf(both)).toEqual(found as never);
    expect(rulesOf({ ...both, installationRevision: null })).toMatchObject({ installation: undefined });
  });

  test('are those of the installation if the property has none', async () => {
    const { cache, lists, loads } = open();
    lists.set('installation', stored(7, [networks(1)]));
    const found = await createRulesOf(cache)({ ...property, rulesRevision: null, installationRevision: 7 });
    expect(found).toMatchObject({ property: undefined, installation: { scope: 'installation' } });
    expect(loads).toEqual(['installation']);
  });

  test('use the memory of the installation, and that of the organization', () => {
    const asked: unknown[] = [];
    const rulesOf = createRulesOf({
      get(given) {
        asked.push(given);
        return 'late';
      },
    });
    expect(rulesOf({ ...property, rulesRevision: 1, installationRevision: 7 })).toBe('late');
    expect(asked).toEqual([
      { scope: 'installation', owner: 'installation', organization: undefined, revision: 7 },
      { scope: 5, owner: 1, organization: 1, revision: 1 },
    ]);
  });

  // An unhandled rejection would end the server.
  test('may fail before those of the installation are loaded: only the request fails', async () => {
    const error = new Error('the disk is gone');
    const installation = Promise.withResolvers<CompiledRules>();
    const failed = Promise.reject(error);
    const handle = jest.spyOn(failed, 'then');
    const rulesOf = createRulesOf({
      get: ({ scope }) => (scope === 'installation' ? installation.promise : failed),
    });
    const rules = Promise.resolve(rulesOf({ ...property, rulesRevision: 1, installationRevision: 7 }));
    expect(handle).toHaveBeenCalledTimes(1);
    installation.resolve({} as CompiledRules);
    expect(await rules.catch((reason: unknown) => reason)).toBe(error);
  });

  test.each(['installation', 5 as PropertyId] as const)(
    'are late if one of the lists is late: %p',
    async (late) => {
      const compiled = {} as CompiledRules;
      const rulesOf = createRulesOf({
        get: ({ scope }) => (scope === late ? 'late' : Promise.resolve(compiled)),
      });
      expect(await rulesOf({ ...property, rulesRevision: 1, installationRevision: 7 })).toBe('late');
    },
  );
});
