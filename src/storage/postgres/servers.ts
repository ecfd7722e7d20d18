import { reasonOf } from '../../lib/log.ts';
import { timer, within } from '../../lib/timer.ts';
import type { DatabaseServers, DatabaseServersReport } from '../../model/ports/cluster.ts';
import { StoreFailure } from '../../model/storeFailure.ts';
import { connect, type Database, type DatabaseLocation } from './connect.ts';
import {
  type Conflict,
  describeConflict,
  describeServer,
  findConflict,
  type ServerState,
} from './serverStates.ts';

/** The server that nodes use. */
export type Primary = {
  /** A location with one server. */
  readonly location: DatabaseLocation;
  readonly timeline: number | undefined;
};

export type Servers = DatabaseServers & {
  /**
   * Finds the primary: of the servers that accept writes, the one with the newest timeline. With one server in the URL, returns it without
   * a check.
   *
   * @throws StoreFailure if no server accepts writes, or if it is unclear which of several is the primary
   */
  readonly find: () => Promise<Primary>;
  /** Records the timeline of a server to which a connection was opened. @throws StoreFailure if the server was replaced as the primary */
  readonly accept: (state: Pick<ServerState, 'timeline'>) => void;
  /** Whether no newer primary is known, and only one server can be the primary. */
  readonly isCurrent: (primary: Pick<Primary, 'timeline'>) => boolean;
  /** Queries all servers. Never rejects. */
  readonly read: () => Promise<readonly ServerState[]>;
  /** Closes the connections of `check`. */
  readonly close: () => void;
};

/** Time limit for the report of a server, in milliseconds. */
const TIMEOUT_MS = 2500;
/** How long the other servers may take after one has reported that it accepts writes, in milliseconds. */
const GRACE_MS = 500;

/** The first 8 digits of the name of a file of the write-ahead log are its timeline (PostgreSQL 15 documentation, section 30.6). */
const TIMELINE = `
CASE WHEN NOT pg_is_in_recovery()
  THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::double precision END`;
const SYSTEM = '(SELECT system_identifier::text FROM pg_control_system())';

const stateQuery = (timeline: string, system: string) => `
SELECT current_setting('transaction_read_only') = 'off' AS "isWritable",
  ${timeline} AS timeline, ${system} AS system`;

/** Roles and managed services may not permit all functions. */
const QUERIES = [
  stateQuery(TIMELINE, SYSTEM),
  stateQuery(TIMELINE, 'NULL'),
  stateQuery('NULL::double precision', 'NULL'),
] as const;

type StateRow = {
  readonly isWritable: boolean;
  readonly timeline: number | null;
  readonly system: string | null;
};

/** @throws if the server does not answer */
export async function readState(
  sql: Pick<Bun.SQL, 'unsafe'>,
): Promise<Omit<ServerState, 'name' | 'failure'>> {
  const [all, withoutSystem, least] = QUERIES;
  const rows: readonly StateRow[] = await sql
    .unsafe(all)
    .catch(() => sql.unsafe(withoutSystem))
    .catch(() => sql.unsafe(least));
  const [row] = rows;
  if (row === undefined) throw new Error('the server did not report its state');
  const { isWritable, timeline, system } = row;
  return { isWritable, timeline: timeline ?? undefined, system: system ?? undefined };
}

/**
 * Finds and watches the servers of a URL. After a failover, the old primary may run again and accept writes, and a claim that is stored
 * there would not prevent the new primary from accepting the same solution. A server is therefore used only if this process has seen no
 * server with a newer timeline.
 */
export function createServers(location: DatabaseLocation): Servers {
  const { url } = location;
  const watched = url.hosts.map((host) => createWatched({ ...location, url: { ...url, hosts: [host] } }));
  /** The newest timeline that any server has reported. */
  let newest = 0;
  let conflict: Conflict | undefined;

  /** @returns the primary; undefined if no server accepts writes @throws StoreFailure if it is unclear */
  function choose(states: readonly ServerState[]): ServerState | undefined {
    const writable = states.filter(({ isWritable }) => isWritable);
    conflict = findConflict(writable);
    if (conflict !== undefined) throw new StoreFailure(describeConflict(conflict, writable));
    // Not before: the timeline of a server that is not a copy says nothing about the others.
    for (const { timeline = 0 } of writable) newest = Math.max(newest, timeline);
    return writable.toSorted((a, b) => (b.timeline ?? 0) - (a.timeline ?? 0))[0];
  }

  function accept({ timeline }: Pick<ServerState, 'timeline'>): void {
    newest = Math.max(newest, timeline ?? 0);
    if (timeline !== undefined && timeline < newest) {
      throw new StoreFailure(
        `the database server has timeline ${timeline}, but a server with timeline ${newest} has replaced it`,
      );
    }
  }

  async function find(): Promise<Primary> {
    const [first] = watched;
    if (watched.length === 1 && first !== undefined) return { location: first.location, timeline: undefined };
    const states = await readUntilWritable(watched.map(({ readOnce }) => readOnce()));
    const chosen = choose(states);
    if (chosen === undefined) {
      const reasons = states.map(({ name, failure }) => `${name}: ${failure ?? 'the server is read-only'}`);
      throw new StoreFailure(`no database server accepts writes: ${reasons.join('; ')}`);
    }
    accept(chosen);
    const found = watched.find(({ name }) => name === chosen.name);
    if (found === undefined) throw new TypeError('the server is unknown');
    return { location: found.location, timeline: chosen.timeline };
  }

  return {
    find,
    accept,
    isCurrent: ({ timeline }) => conflict === undefined && (timeline === undefined || timeline >= newest),
    read: () => Promise.all(watched.map(({ readOnce }) => readOnce())),
    async check(): Promise<DatabaseServersReport> {
      const states = await Promise.all(watched.map(({ readAgain }) => readAgain()));
      const writable = states.filter(({ isWritable }) => isWritable);
      let used: string | undefined;
      try {
        used = choose(states)?.name;
      } catch {
        // `conflict` contains the reason.
      }
      return { writable: writable.map(describeServer), used };
    },
    close() {
      for (const { close } of watched) close();
    },
  };
}

/** @returns the states that are known when all servers have answered, or 0.5 s after one reported that it accepts writes */
async function readUntilWritable(reading: readonly Promise<ServerState>[]): Promise<readonly ServerState[]> {
  const known: ServerState[] = [];
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  let cancel: (() => void) | undefined;
  const all = reading.map(async (each) => {
    const state = await each;
    known.push(state);
    if (state.isWritable) cancel ??= timer(GRACE_MS, resolve);
  });
  await Promise.race([Promise.all(all), isOver]);
  cancel?.();
  return [...known];
}

/** A server of the URL. */
function createWatched(location: DatabaseLocation) {
  const [host] = location.url.hosts;
  const name = `${host?.host}:${host?.port}`;
  let database: Database | undefined;

  async function read({ sql }: Database): Promise<ServerState> {
    const onExpired = () => new Error(`no answer within ${TIMEOUT_MS / 1000} s`);
    try {
      return { name, failure: undefined, ...(await within(TIMEOUT_MS, readState(sql), onExpired)) };
    } catch (error) {
      return { name, failure: reasonOf(error), isWritable: false, timeline: undefined, system: undefined };
    }
  }

  function close(): void {
    if (database !== undefined) discard(database);
    database = undefined;
  }

  return {
    name,
    location,
    /** Uses the connection of the last call. Never rejects. */
    async readAgain(): Promise<ServerState> {
      database ??= connect(location, { max: 1 });
      const state = await read(database);
      if (state.failure !== undefined) close();
      return state;
    },
    /** Uses a new connection. Never rejects. */
    async readOnce(): Promise<ServerState> {
      const own = connect(location, { max: 1 });
      const state = await read(own);
      discard(own);
      return state;
    },
    close,
  };
}

function discard({ sql }: Database): void {
  void sql.close({ timeout: 0 }).catch(() => {});
}
