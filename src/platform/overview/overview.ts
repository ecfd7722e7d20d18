import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { fetchPage, type Page, type PageSlice } from '../../lib/page.ts';
import { type Clock, DAY, later } from '../../lib/time.ts';
import type { AccountSummary } from '../../model/account.ts';
import { foldName, isNameSized } from '../../model/name.ts';
import type { OrganizationId, OrganizationOverview } from '../../model/organization.ts';
import type {
  InstallationCounts,
  ListedProperty,
  OrganizationOrder,
  OverviewFilter,
  OverviewOrder,
  OverviewState,
  OverviewStore,
  Progress,
} from '../../model/ports/statistics.ts';
import { type Property, parseSitekey } from '../../model/property.ts';
import type { SessionActor } from '../../model/session.ts';
import type { Task } from '../../model/task.ts';
import { toSearch } from '../properties/properties.ts';
import type { Users } from '../users/users.ts';
import type { LastDay, ReadLastDays } from './lastDay.ts';

/** A property in a list, with its counts of the last 24 hours. */
export type PropertySummary = ListedProperty & {
  readonly lastDay: LastDay;
  /** The difficulty of a puzzle that would be issued now, 1..255. */
  readonly difficulty: number;
};

export type OrganizationSummary = OrganizationOverview & { readonly lastDay: LastDay };

export type PropertiesWanted = {
  readonly organizationId?: OrganizationId | undefined;
  readonly state?: OverviewState | undefined;
  /** A part of the name, domain, or sitekey, ignoring case; empty for all. */
  readonly text: string;
  readonly order: OverviewOrder;
  readonly offset: number;
  /** At least 1. */
  readonly limit: number;
};

/** The totals of the installation. */
export type InstallationTotals = InstallationCounts & { readonly lastDay: LastDay };

/** What needs the attention of a user. Each list has only the first few items. */
export type Attention = {
  /** Many more puzzles than usual in the last hour. */
  readonly spikes: Some<ListedProperty>;
  /** Puzzles require at least half as much work again as the level. */
  readonly difficult: readonly PropertySummary[];
  readonly disabled: Some<ListedProperty>;
  /** Created at least a day ago, and no solution was ever verified. */
  readonly unverified: Some<ListedProperty>;
  /** Tasks of API keys in the last week in which an item was rejected. */
  readonly failedTasks: Some<Task>;
};

type Some<Item> = { readonly items: readonly Item[]; readonly hasMore: boolean };

/** Results of a search, by kind. */
export type SearchResults = {
  /** The property with exactly this sitekey. */
  readonly exact: ListedProperty | undefined;
  readonly properties: Some<ListedProperty>;
  readonly organizations: Some<OrganizationOverview>;
  /** Undefined for users who are not administrators. */
  readonly users: Some<AccountSummary> | undefined;
};

/** Use cases for pages that cover several organizations. They show only what the user can access. */
export type Overview = ReturnType<typeof createOverview>;

/** Maximum number of matches that are sorted. Sorting them takes a few milliseconds. */
const MATCHES_MAX = 1000;
/** Number of items of each list of what needs attention. */
const ATTENTION_SIZE = 3;
/** Number of the busiest properties whose difficulty is checked. The difficulty rises only with traffic. */
const BUSIEST_SIZE = 50;
/** Minimum number of levels over the level of the property: eight levels double the work, and a crowd adds two to six. */
const DIFFICULT_LEVELS = 2;
/** Minimum number of hexadecimal digits that are searched as the start of a sitekey only. */
const PREFIX_MIN = 6;

type Deps = {
  readonly store: OverviewStore;
  readonly users: Pick<Users, 'search'>;
  readonly readLastDays: ReadLastDays;
  /** The difficulty of a puzzle of this property now. */
  readonly difficultyOf: (property: Property) => number;
  readonly clock: Clock;
};

/** @see Overview */
export function createOverview(deps: Deps) {
  const { store, readLastDays } = deps;

  async function summarize(properties: readonly ListedProperty[]): Promise<readonly PropertySummary[]> {
    const lastDays = await readLastDays(properties.map(({ id }) => ({ property: id })));
    return properties.map((property, index) => ({
      ...property,
      lastDay: lastDays[index] as LastDay,
      difficulty: deps.difficultyOf(property),
    }));
  }

  return {
    /** @returns also whether the text has so many matches that some are missing */
    async properties(
      actor: SessionActor,
      { text, order, offset, limit, ...filter }: PropertiesWanted,
    ): Promise<Page<PropertySummary> & { readonly isCut: boolean }> {
      const wanted = { ...filter, accountId: actor.user };
      const ids = await findMatches(store, wanted, text);
      const page = await fetchPage(limit, (upTo) =>
        store.properties({ ...wanted, ids: ids?.slice(0, MATCHES_MAX) }, { order, offset, limit: upTo }),
      );
      return { ...page, items: await summarize(page.items), isCut: (ids?.length ?? 0) > MATCHES_MAX };
    },
    /** Lists organizations, by name unless `order` says otherwise. */
    async organizations(
      actor: SessionActor,
      { text, limit, ...slice }: PageSlice & { readonly text: string; readonly order?: OrganizationOrder },
    ): Promise<Page<OrganizationSummary>> {
      const page = await fetchPage(limit, (upTo) =>
        store.organizations(actor.user, foldName(text), { ...slice, limit: upTo }),
      );
      const lastDays = await readLastDays(page.items.map(({ id }) => ({ organization: id })));
      const items = page.items.map((one, index) => ({ ...one, lastDay: lastDays[index] as LastDay }));
      return { ...page, items };
    },
    attention: (actor: SessionActor): Promise<Attention> => findAttention(deps, actor, summarize),
    progress: (actor: SessionActor): Promise<Progress> => store.progress(actor.user, deps.clock()),
    async totals(actor: SessionActor): Promise<Outcome<InstallationTotals, 'admin-only'>> {
      if (!actor.isAdmin) return reject('admin-only');
      const [lastDay] = await readLastDays(['all']);
      return done({ ...(await store.counts()), lastDay: lastDay as LastDay });
    },
    /** @param text up to the length of a domain; longer texts have no results */
    search: (actor: SessionActor, text: string, limit: number): Promise<SearchResults> =>
      search(deps, actor, text, limit),
  };
}

/** @returns the newest properties that match, one more than are sorted; undefined if all properties match */
async function findMatches(store: OverviewStore, filter: OverviewFilter, text: string) {
  const limit = MATCHES_MAX + 1;
  if (text !== '') return store.findProperties(filter, toSearch(text), limit);
  if (filter.state === undefined) return undefined;
  return store.inState(filter, filter.state, { order: 'date_desc', limit });
}

async function findAttention(
  { store, clock }: Deps,
  { user: accountId }: SessionActor,
  summarize: (properties: readonly ListedProperty[]) => Promise<readonly PropertySummary[]>,
): Promise<Attention> {
  const some = (state: OverviewState, order: OverviewOrder) =>
    fetchPage(ATTENTION_SIZE, async (limit) => {
      // The oldest ones first, because new properties are not expected to have verified solutions.
      const ids = await store.inState({ accountId }, state, { order: 'date_asc', limit });
      return store.properties({ accountId, ids }, { order, offset: 0, limit });
    });
  const busiest = await store.properties(
    { accountId },
    { order: 'use_desc', offset: 0, limit: BUSIEST_SIZE },
  );
  const isOld = ({ createdAt }: Property) => createdAt < later(clock(), -DAY);
  const difficult = (await summarize(busiest)).filter(isDifficult);
  const unverified = await some('unverified', 'date_asc');
  const old = unverified.items.filter(isOld);
  return {
    spikes: await some('spike', 'use_desc'),
    difficult: difficult.slice(0, ATTENTION_SIZE),
    disabled: await some('disabled', 'name_asc'),
    unverified: { items: old, hasMore: unverified.hasMore && old.length === ATTENTION_SIZE },
    failedTasks: await fetchPage(ATTENTION_SIZE, (upTo) =>
      store.failedTasks(accountId, later(clock(), -7 * DAY), upTo),
    ),
  };
}

/** Whether puzzles require noticeably more work than the level. A disabled property issues no puzzles. */
function isDifficult({ difficulty, level, isEnabled }: PropertySummary): boolean {
  return isEnabled && difficulty >= level + DIFFICULT_LEVELS;
}

async function search({ store, users }: Deps, actor: SessionActor, text: string, limit: number) {
  const accountId = actor.user;
  const none = { items: [], hasMore: false };
  if (text === '' || !isNameSized(text))
    return { exact: undefined, properties: none, organizations: none, users: undefined };
  const sitekey = parseSitekey(text);
  const [exact] = sitekey.ok ? await store.bySitekeyPrefix(accountId, sitekey.value, 1) : [];
  const found = await users.search(actor, { text, offset: 0, limit });
  return {
    exact,
    properties: await fetchPage(limit, (upTo) => findProperties(store, accountId, text, upTo)),
    organizations: await fetchPage(limit, (upTo) =>
      store.organizations(accountId, foldName(text), { offset: 0, limit: upTo }),
    ),
    users: found.ok ? found.value : undefined,
  };
}

/** Properties whose sitekey starts with the text, then others that match, the most used ones first. */
async function findProperties(
  store: OverviewStore,
  accountId: SessionActor['user'],
  text: string,
  limit: number,
): Promise<readonly ListedProperty[]> {
  const prefix = text.toLowerCase().replaceAll('-', '');
  const isPrefix = prefix.length >= PREFIX_MIN && /^[0-9a-f]{1,32}$/.test(prefix);
  const byPrefix = isPrefix ? await store.bySitekeyPrefix(accountId, prefix, limit) : [];
  if (byPrefix.length >= limit) return byPrefix;
  const ids = await store.findProperties({ accountId }, toSearch(text), MATCHES_MAX);
  const others = await store.properties({ accountId, ids }, { order: 'use_desc', offset: 0, limit });
  const known = new Set(byPrefix.map(({ id }) => id));
  return [...byPrefix, ...others.filter(({ id }) => !known.has(id))].slice(0, limit);
}
