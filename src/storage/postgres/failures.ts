import { DrizzleQueryError } from 'drizzle-orm';
import { chain } from '../../lib/awaitable.ts';
import { within } from '../../lib/timer.ts';
import { StoreFailure } from '../../model/storeFailure.ts';
import type { Method, StoreMethod } from '../methods.ts';
import type { FindStall } from './standbys.ts';

/** Errors of the client: it could not connect, or the connection was lost. */
const CONNECTION_ERROR = /^ERR_POSTGRES_(?:CONNECTION_|IDLE_TIMEOUT|LIFETIME_TIMEOUT|TLS_)/;
/** Errors of the operating system while connecting. */
const SYSTEM_ERROR = /^E(?:CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_)/;
/**
 * Errors of the server that concern its state rather than the statement (PostgreSQL 15 documentation, appendix A): connection exceptions,
 * read-only transactions (a standby), transactions that were rolled back, insufficient resources, locks that were not available in time,
 * operator intervention, system errors, and a damaged or unexpected configuration.
 */
const SERVER_STATE = /^(?:08|25006|28|3D000|40|53|55P03|57|58|F0|XX)/;

/** Time limit for one call, in milliseconds. Longer than the limits of the server, which cannot report them if the network fails. */
const TIMEOUT_MS = 40_000;

/** After this time, and then at this interval, a call that has not ended examines the server, in milliseconds. Equals the limit for locks. */
const EXAMINE_MS = 5000;
const NOT_YET = new Error('the call has not ended');

/** Time limit for an export or an import, in milliseconds. The limits of the server apply to each of its statements. */
const LONG_TIMEOUT_MS = 3_600_000;

/** `store` is undefined for methods that do not belong to a store. */
type FallibleMethod = Pick<StoreMethod, 'kind' | 'method'> & Partial<Pick<StoreMethod, 'store'>>;

/**
 * Wraps a method so that it throws StoreFailure if the database fails. Other errors do not change. A method that only reads is repeated
 * once if its connection was lost, because a pool notices a restart of the server only when it uses a connection. An export is not
 * repeated, because its visitor may already have received a part of it.
 *
 * @param findStall ends a call before its time limit if the server does not answer, or does not confirm commits
 */
export function reportFailures({ store, kind, method }: FallibleMethod, findStall?: FindStall): Method {
  const isLong = store === 'exports';
  const isWriting = kind !== 'read';
  const limitMs = isLong ? LONG_TIMEOUT_MS : TIMEOUT_MS;
  const limited = (args: readonly unknown[]) => {
    const limiting = limit(Promise.resolve(method(...args)), limitMs);
    return findStall === undefined ? limiting : endStalled(limiting, isWriting, findStall);
  };
  return (...args) => {
    const onError = (error: unknown) =>
      !isWriting && !isLong && CONNECTION_ERROR.test(codesOf(sourceOf(error)).code)
        ? limited(args).catch(throwFailure)
        : throwFailure(error);
    return chain(limited(args), (result) => result, onError);
  };
}

/** Returns an object whose methods have a time limit, and throw StoreFailure if the database fails. @see reportFailures */
export function withFailures<Store extends object>(
  store: Store,
  kind: StoreMethod['kind'],
  findStall?: FindStall,
): Store {
  const methods: [string, Method][] = Object.entries(store);
  return Object.fromEntries(
    methods.map(([name, method]) => [name, reportFailures({ kind, method }, findStall)]),
  ) as Store;
}

function limit(result: Promise<unknown>, limitMs: number): Promise<unknown> {
  return within(limitMs, result, () => new StoreFailure(`no answer within ${limitMs / 1000} s`));
}

/** @param result has a time limit */
async function endStalled(
  result: Promise<unknown>,
  isWriting: boolean,
  findStall: FindStall,
): Promise<unknown> {
  const hasEnded = () => undefined;
  const notYet = () => NOT_YET;
  for (;;) {
    try {
      return await within(EXAMINE_MS, result, notYet);
    } catch (error) {
      if (error !== NOT_YET) throw error;
    }
    const cause = await Promise.race([findStall({ isWriting }), result.then(hasEnded, hasEnded)]);
    if (cause !== undefined) throw new StoreFailure(cause);
  }
}

function throwFailure(error: unknown): never {
  throw toStoreFailure(error);
}

/** @returns StoreFailure if the database failed; otherwise, the error of the client itself */
export function toStoreFailure(error: unknown): unknown {
  const source = sourceOf(error);
  const { code, sqlState, message } = codesOf(source);
  const isFailure = CONNECTION_ERROR.test(code) || SYSTEM_ERROR.test(code) || SERVER_STATE.test(sqlState);
  return isFailure ? new StoreFailure(`${sqlState || code}: ${message}`, { cause: source }) : source;
}

/** Returns the error that drizzle wrapped; its own message would contain the values of the statement, such as password hashes. */
function sourceOf(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? (error.cause ?? new Error('a query failed')) : error;
}

function codesOf(error: unknown) {
  const { code, errno, message } = (error ?? {}) as Readonly<Record<'code' | 'errno' | 'message', unknown>>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return { code: text(code), sqlState: text(errno), message: text(message) };
}
