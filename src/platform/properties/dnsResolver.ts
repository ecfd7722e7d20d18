import { promises } from 'node:dns';
import type { Timer } from '../../lib/slidingWindow.ts';

/** Whether a domain is in the DNS. */
export type Resolution = 'found' | 'missing' | 'unanswered';

export type LookUp = {
  readonly resolution: Resolution;
  /** The shortest TTL of the records that were found; undefined if none were. */
  readonly ttlSeconds: number | undefined;
  /** Number of queries to all servers together, without retransmissions. */
  readonly questions: number;
};

/** @param domain in ASCII, without a dot at its end; names in the host's own files and search domains do not count */
export type Resolve = (domain: string) => Promise<LookUp>;

export type ResolveOptions = {
  /** As `parseDnsServers` gives them, asked in this order; undefined for the system's. */
  readonly servers: readonly string[] | undefined;
  /** For one domain, all servers together; a whole number above 0. */
  readonly timeoutMs: number;
  readonly timer: Timer;
};

/**
 * Queries A and, if there is no A record, AAAA and CNAME at once. `found`: one of them exists, even an alias without a target. `missing`: a server
 * answered, and none is. `unanswered`: within the time no server gave an answer that says either; silence, refusals,
 * failures and rubbish all end so. Never throws.
 *
 * The first answer that says either counts. The next server is asked when the one before has failed, or has been silent
 * for its share of the time; it may still answer then. Each call reads the system's servers anew.
 */
export function createResolve(options: ResolveOptions): Resolve {
  return (domain) => inTurn(resolversOf(options), `${domain}.`, options);
}

type Resolver = promises.Resolver;

/**
 * One for each server and call. Bun's looks at its clock once a second only, so it cannot give a share of the time to a
 * server; and one that is kept remembers answers, and the system's servers of its first day. None is cancelled: in Bun
 * 1.4.5 that takes the sockets of others along now and then (39 of 6400 answers came a second late), while those that
 * are left to themselves end soon after the time.
 */
function resolversOf({ servers, timeoutMs }: ResolveOptions): readonly Resolver[] {
  // It asks again after 1, 3, 7, ... seconds.
  const patience = { timeout: 1000, tries: Math.ceil(Math.log2(timeoutMs / 1000 + 1)) };
  const resolverOf = (server: string) => {
    const resolver = new promises.Resolver(patience);
    resolver.setServers([server]);
    return resolver;
  };
  if (servers !== undefined) return servers.map(resolverOf);
  const system = new promises.Resolver(patience);
  const found = system.getServers();
  // A link-local address is told without its zone, which only the system's resolver knows.
  const isWhole = found.length < 2 || found.some((server) => /^\[?fe[89ab]/i.test(server));
  return isWhole ? [system] : found.map(resolverOf);
}

function inTurn(
  resolvers: readonly Resolver[],
  name: string,
  { timeoutMs, timer }: ResolveOptions,
): Promise<LookUp> {
  const { promise, resolve } = Promise.withResolvers<LookUp>();
  const share = Math.floor(timeoutMs / resolvers.length);
  let asked = 0;
  let failed = 0;
  let questions = 0;
  let isOver = false;
  let endPatience = () => {};
  const endTime = timer(timeoutMs, () => finish(UNANSWERED));

  function finish(answer: Answer): void {
    isOver = true;
    endTime();
    endPatience();
    resolve({ ...answer, questions });
  }

  /** Sends no query after the time is over. */
  async function put(query: Query): Promise<Answer> {
    if (isOver) return UNANSWERED;
    questions++;
    return answerTo(query);
  }

  function askNext(): void {
    const resolver = resolvers[asked];
    // The end comes once, but those that were asked may still fail after it.
    if (resolver === undefined || isOver) return;
    const turn = ++asked;
    endPatience();
    if (turn < resolvers.length) endPatience = timer(share, askNext);
    void ask(resolver, name, put).then((answer) => {
      if (isOver) return;
      if (answer.resolution !== 'unanswered') finish(answer);
      else if (++failed === resolvers.length) finish(UNANSWERED);
      else if (turn === asked) askNext();
    });
  }

  askNext();
  return promise;
}

type Answer = Omit<LookUp, 'questions'>;
type Query = () => Promise<readonly (string | { readonly ttl: number })[]>;

const UNANSWERED: Answer = { resolution: 'unanswered', ttlSeconds: undefined };

/** Ends with the first record, or when all three queries have ended. Most domains have an A record, so one query is enough. */
async function ask(
  resolver: Resolver,
  name: string,
  put: (query: Query) => Promise<Answer>,
): Promise<Answer> {
  const first = await put(() => resolver.resolve4(name, { ttl: true }));
  if (first.resolution === 'found') return first;
  const { promise: found, resolve } = Promise.withResolvers<Answer>();
  const rest = [
    put(() => resolver.resolve6(name, { ttl: true })),
    // A CNAME record without a target; the resolver does not report its TTL.
    put(() => resolver.resolveCname(name)),
  ];
  for (const answer of rest) void answer.then((it) => it.resolution === 'found' && resolve(it));
  const all = Promise.all(rest).then((them) =>
    [first, ...them].every(({ resolution }) => resolution === 'missing') ? MISSING : UNANSWERED,
  );
  return Promise.race([found, all]);
}

const MISSING: Answer = { resolution: 'missing', ttlSeconds: undefined };

/** The name is not there, or has no record of that type. */
const MISSING_CODES = ['ENOTFOUND', 'ENODATA'];

/** The resolver has no other way than to throw, also for what is ordinary. */
async function answerTo(query: Query): Promise<Answer> {
  try {
    const records = await query();
    const ttls = records.flatMap((record) => (typeof record === 'string' ? [] : [record.ttl]));
    // An alias of nothing has no addresses, and is no error: the question for the alias tells.
    if (records.length === 0) return MISSING;
    return { resolution: 'found', ttlSeconds: ttls.length === 0 ? undefined : Math.min(...ttls) };
  } catch (error) {
    return MISSING_CODES.includes((error as { code?: string }).code ?? '') ? MISSING : UNANSWERED;
  }
}
