import { promises } from 'node:dns';
import { type Timer, timer } from '../../lib/timer.ts';

/** Whether a domain exists in the DNS. */
export type Resolution = 'found' | 'missing' | 'unanswered';

export type LookupResult = {
  readonly resolution: Resolution;
  /** The shortest TTL of the records that were found, if known. */
  readonly ttlSeconds: number | undefined;
  /** Number of queries to all servers together, without retransmissions. */
  readonly queries: number;
};

/** @param domain in ASCII, without a trailing dot; the hosts file and search domains are not used */
export type Resolve = (domain: string) => Promise<LookupResult>;

export type ResolveOptions = {
  /** As `parseDnsServers` returns them, in the order of the queries; undefined for the servers of the system. */
  readonly servers: readonly string[] | undefined;
  /** For one domain and all servers together; a whole number above 0. */
  readonly timeoutMs: number;
  readonly timer: Timer;
};

/** The settings of the DNS check. */
export type DnsSettings = {
  readonly dnsCheck: boolean;
  readonly dnsServers: ResolveOptions['servers'];
  readonly dnsTimeoutMs: number;
};

/** @returns a function that resolves a domain; undefined if the DNS check is off */
export function createDnsLookup({ dnsCheck, dnsServers, dnsTimeoutMs }: DnsSettings): Resolve | undefined {
  return dnsCheck ? createResolve({ servers: dnsServers, timeoutMs: dnsTimeoutMs, timer }) : undefined;
}

/**
 * Queries A and, if there is no A record, AAAA and CNAME in parallel. `found`: one of these records exists, even an alias without a
 * target. `missing`: a server answered that there is none. `unanswered`: no server gave either answer in time, whether it was
 * silent, rejected the query, failed, or sent an invalid response. Never throws.
 *
 * The first server that answers `found` or `missing` decides. The next server is queried when the previous one has failed or has
 * been silent for its share of the time; a late answer still counts. Each call reads the system's list of servers again.
 */
export function createResolve(options: ResolveOptions): Resolve {
  return (domain) => queryInTurn(createResolvers(options), `${domain}.`, options);
}

type Resolver = promises.Resolver;

/**
 * Creates one resolver for each server and call. A resolver for several servers could not divide the time between them, because
 * Bun's resolver checks its clock only once a second; and a shared resolver would cache answers and the system's list of servers.
 * Resolvers are not canceled: in Bun 1.4.5, that sometimes closes the sockets of other resolvers (39 of 6400 answers came a second
 * late). Without cancellation, they end soon after the timeout.
 */
function createResolvers({ servers, timeoutMs }: ResolveOptions): readonly Resolver[] {
  // Retransmits after 1, 3, 7, ... seconds.
  const retries = { timeout: 1000, tries: Math.ceil(Math.log2(timeoutMs / 1000 + 1)) };
  const toResolver = (server: string) => {
    const resolver = new promises.Resolver(retries);
    resolver.setServers([server]);
    return resolver;
  };
  if (servers !== undefined) return servers.map(toResolver);
  const system = new promises.Resolver(retries);
  const found = system.getServers();
  // The list has link-local addresses without their zone, which only the system's resolver knows.
  const usesSystem = found.length < 2 || found.some((server) => /^\[?fe[89ab]/i.test(server));
  return usesSystem ? [system] : found.map(toResolver);
}

function queryInTurn(resolvers: readonly Resolver[], name: string, { timeoutMs, timer }: ResolveOptions) {
  const { promise, resolve } = Promise.withResolvers<LookupResult>();
  const share = Math.floor(timeoutMs / resolvers.length);
  let started = 0;
  let failed = 0;
  let queries = 0;
  let isOver = false;
  let cancelTurn = () => {};
  const cancelTimeout = timer(timeoutMs, () => finish(UNANSWERED));

  function finish(answer: Answer): void {
    isOver = true;
    cancelTimeout();
    cancelTurn();
    resolve({ ...answer, queries });
  }

  /** Sends no query after the end. */
  async function send(query: Query): Promise<Answer> {
    if (isOver) return UNANSWERED;
    queries++;
    return run(query);
  }

  function startNext(): void {
    const resolver = resolvers[started];
    // A server may still fail after the end.
    if (resolver === undefined || isOver) return;
    const turn = ++started;
    cancelTurn();
    if (turn < resolvers.length) cancelTurn = timer(share, startNext);
    void lookUp(resolver, name, send).then((answer) => {
      if (isOver) return;
      if (answer.resolution !== 'unanswered') finish(answer);
      else if (++failed === resolvers.length) finish(UNANSWERED);
      else if (turn === started) startNext();
    });
  }

  startNext();
  return promise;
}

type Answer = Omit<LookupResult, 'queries'>;
type Query = () => Promise<readonly (string | { readonly ttl: number })[]>;

const UNANSWERED: Answer = { resolution: 'unanswered', ttlSeconds: undefined };

/** Ends with the first record, or when all three queries have ended. Most domains have an A record, so one query is enough. */
async function lookUp(resolver: Resolver, name: string, send: (query: Query) => Promise<Answer>) {
  const first = await send(() => resolver.resolve4(name, { ttl: true }));
  if (first.resolution === 'found') return first;
  const { promise: found, resolve } = Promise.withResolvers<Answer>();
  const rest = [
    send(() => resolver.resolve6(name, { ttl: true })),
    // A CNAME record without a target; the resolver does not report its TTL.
    send(() => resolver.resolveCname(name)),
  ];
  for (const query of rest) void query.then((answer) => answer.resolution === 'found' && resolve(answer));
  const all = Promise.all(rest).then((others) =>
    [first, ...others].every(({ resolution }) => resolution === 'missing') ? MISSING : UNANSWERED,
  );
  return Promise.race([found, all]);
}

const MISSING: Answer = { resolution: 'missing', ttlSeconds: undefined };

/** The name does not exist, or has no record of the type. */
const MISSING_CODES = ['ENOTFOUND', 'ENODATA'];

/** The resolver also throws for ordinary negative answers. */
async function run(query: Query): Promise<Answer> {
  try {
    const records = await query();
    const ttls = records.flatMap((record) => (typeof record === 'string' ? [] : [record.ttl]));
    // For example, an alias without a target, which the CNAME query finds.
    if (records.length === 0) return MISSING;
    return { resolution: 'found', ttlSeconds: ttls.length === 0 ? undefined : Math.min(...ttls) };
  } catch (error) {
    return MISSING_CODES.includes((error as { code?: string }).code ?? '') ? MISSING : UNANSWERED;
  }
}
