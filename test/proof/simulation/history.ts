/** The events of a schedule in order, and the sequential specification that they must satisfy. */

/** A request to verify a solution, as its sender sees it. */
export type Request = {
  readonly name: string;
  readonly puzzle: string;
  readonly maxCount: number;
  /** Requests with the same idempotency key are one presentation. */
  readonly presentation: string;
  readonly hasKey: boolean;
  /** Whether all checks before the claim pass. */
  readonly isValid: boolean;
  readonly startedAt: number;
  readonly startedAtMs: number;
  /** Whether the clock showed a time after the expiration. */
  readonly isExpired: boolean;
  endedAt?: number;
  endedAtMs?: number;
  /** Whether the thread that serves the request is still running. */
  readonly isAlive: () => boolean;
  answer?: { readonly success: boolean; readonly name: string; readonly isUnavailable: boolean };
};

/** A claim that the replay guard sent to the ledger. */
export type Claimed = {
  readonly puzzle: string;
  readonly expiresAtSeconds: number;
  readonly presentation: string;
  /** Unix seconds of a request with an idempotency key. */
  readonly nowSeconds?: number;
  readonly startedAt: number;
  endedAt?: number;
  /** The number of the presentation; undefined if the ledger failed. */
  number?: number;
  failure?: string;
};

export type Purged = {
  readonly beforeSeconds: number;
  readonly startedAt: number;
  endedAt?: number;
  hasSucceeded?: boolean;
};

export type Call = {
  readonly name: string;
  readonly startedAtMs: number;
  readonly isAlive: () => boolean;
  isPending: boolean;
};

export type History = {
  readonly requests: Request[];
  readonly claims: Claimed[];
  readonly purges: Purged[];
  /** Calls that must have a result at the end of the schedule, unless their thread has ended. */
  readonly calls: Call[];
  /** Violations that the scenario itself has found. */
  readonly violations: string[];
  /** Increases with each entry. */
  readonly next: () => number;
};

export function createHistory(): History {
  let number = 0;
  return { requests: [], claims: [], purges: [], calls: [], violations: [], next: () => ++number };
}

/** The longest time of a request, which ends at the deadline of its claim, in milliseconds. */
const LONGEST_MS = 10_600;

/** The longest time of a request, in milliseconds. With an idempotency key, it may wait twice. */
export const longestMs = ({ hasKey }: Pick<Request, 'hasKey'>): number => LONGEST_MS * (hasKey ? 2 : 1);

/** Adds violations for calls and requests that should have a result. Call it before their threads are killed. */
export function requireResults({ calls, requests, violations }: History, nowMs: number): void {
  for (const { name, isPending, startedAtMs, isAlive } of calls)
    if (isPending && nowMs - startedAtMs > LONGEST_MS && isAlive()) violations.push(`${name} has no result`);
  for (const request of requests) {
    const isLate = nowMs - request.startedAtMs > longestMs(request);
    if (request.answer === undefined && isLate && request.isAlive())
      violations.push(`${request.name} has no answer`);
  }
}

const NEVER = Number.POSITIVE_INFINITY;
/** Seconds for which a repeated request gets the result of the first one. */
const REPEAT_SECONDS = 300;

/** A presentation of a puzzle that the ledger has numbered or may have counted. */
type Presentation = {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly number: number | undefined;
};

/** @returns the rules that a history violates */
export function violationsOf(history: History): readonly string[] {
  const found = [...history.violations];
  for (const [puzzle, claims] of Map.groupBy(history.claims, (claim) => claim.puzzle))
    found.push(...violationsOfClaims(puzzle, claims, history.purges));
  for (const [puzzle, requests] of Map.groupBy(history.requests, (request) => request.puzzle))
    found.push(...violationsOfRequests(puzzle, requests, history));
  return found;
}

/** Whether a purge whose clock was ahead may have deleted the record of an idempotency key. */
function splits(purges: readonly Purged[], { nowSeconds = 0, startedAt }: Claimed): boolean {
  return purges.some(
    ({ beforeSeconds, endedAt = NEVER }) =>
      beforeSeconds > nowSeconds + REPEAT_SECONDS && endedAt > startedAt,
  );
}

function presentationsOf(claims: readonly Claimed[], purges: readonly Purged[]): readonly Presentation[] {
  return [...Map.groupBy(claims, (claim) => claim.presentation).values()].flatMap((group) => {
    const counted = group.filter(({ number }) => number !== 0);
    if (counted.length === 0) return [];
    if (!group.some((claim) => splits(purges, claim))) return [toPresentation(counted)];
    // Requests with equal numbers were one presentation, and each of the others may have been counted.
    const byNumber = Map.groupBy(counted, ({ number }) => number);
    return [...byNumber].flatMap(([number, equal]) =>
      number === undefined ? equal.map((one) => toPresentation([one])) : [toPresentation(equal)],
    );
  });
}

function toPresentation(claims: readonly Claimed[]): Presentation {
  const answered = claims.filter(({ number }) => number !== undefined);
  return {
    startedAt: Math.min(...claims.map(({ startedAt }) => startedAt)),
    endedAt: Math.min(...answered.map(({ endedAt = NEVER }) => endedAt)),
    number: answered[0]?.number,
  };
}

function violationsOfClaims(
  puzzle: string,
  claims: readonly Claimed[],
  purges: readonly Purged[],
): readonly string[] {
  const found: string[] = [];
  const presentations = presentationsOf(claims, purges);
  const numbered = presentations.filter(({ number }) => number !== undefined) as (Presentation & {
    readonly number: number;
  })[];
  const numbers = numbered.map(({ number }) => number);
  if (new Set(numbers).size < numbers.length)
    found.push(`${puzzle}: two presentations have the same number: ${numbers.join(', ')}`);
  for (const one of numbered) {
    const begun = presentations.filter(({ startedAt }) => startedAt < one.endedAt).length;
    if (one.number > begun) found.push(`${puzzle}: number ${one.number} after ${begun} presentations`);
    const earlier = numbered.find(({ endedAt, number }) => endedAt < one.startedAt && number >= one.number);
    if (earlier !== undefined)
      found.push(`${puzzle}: number ${one.number} after number ${earlier.number} was acknowledged`);
  }
  for (const [name, group] of Map.groupBy(claims, (claim) => claim.presentation)) {
    const answers = new Set(group.flatMap(({ number = 0 }) => (number > 0 ? [number] : [])));
    if (answers.size > 1 && !group.some((claim) => splits(purges, claim)))
      found.push(`${puzzle}: ${name} has the numbers ${[...answers].join(', ')}`);
  }
  return [...found, ...violationsOfPurges(puzzle, claims, purges)];
}

function violationsOfPurges(
  puzzle: string,
  claims: readonly Claimed[],
  purges: readonly Purged[],
): readonly string[] {
  const found: string[] = [];
  for (const claim of claims) {
    const { number, startedAt, endedAt = NEVER, expiresAtSeconds } = claim;
    const covering = purges.filter(({ beforeSeconds }) => beforeSeconds > expiresAtSeconds);
    if (number === 0 && !covering.some((purge) => purge.startedAt < endedAt))
      found.push(`${puzzle}: was rejected as purged without a purge`);
    const isPurged = covering.some((purge) => purge.hasSucceeded && (purge.endedAt ?? NEVER) < startedAt);
    const isKnown = claims.some(
      (other) => other.presentation === claim.presentation && other.startedAt < startedAt,
    );
    if (number !== undefined && number > 0 && isPurged && !isKnown)
      found.push(`${puzzle}: was counted after its earlier claims were purged`);
  }
  return found;
}

function violationsOfRequests(
  puzzle: string,
  requests: readonly Request[],
  { claims, purges }: History,
): readonly string[] {
  const found: string[] = [];
  const answered = requests.filter(({ answer }) => answer !== undefined && !answer.isUnavailable);
  const accepted = answered.filter(({ answer }) => answer?.success);
  const isSplit = claims.some((claim) => claim.puzzle === puzzle && splits(purges, claim));
  const successes = new Set(accepted.map(({ presentation }) => presentation));
  const maxCount = requests[0]?.maxCount ?? 1;
  if (successes.size > maxCount)
    found.push(`${puzzle}: was accepted ${successes.size} times, but only ${maxCount} are allowed`);
  for (const { name, isValid } of accepted)
    if (!isValid) found.push(`${puzzle}: ${name} was accepted although a check must fail`);
  for (const [name, group] of Map.groupBy(answered, (request) => request.presentation)) {
    const results = new Set(group.filter(({ isValid }) => isValid).map(({ answer }) => answer?.success));
    if (results.size > 1 && !isSplit && !group.some(({ isExpired }) => isExpired))
      found.push(`${puzzle}: requests of ${name} got different answers`);
  }
  for (const request of answered) {
    const { name, answer, endedAt = 0, isExpired } = request;
    if (answer?.name === 'solution-verified-before' && !answer.success && !mayBeSpent(request, claims))
      found.push(`${puzzle}: ${name} was rejected as spent without reason`);
    const wasPurged = purges.some(
      ({ beforeSeconds, startedAt }) => beforeSeconds > Number.parseInt(puzzle, 10) && startedAt < endedAt,
    );
    if (answer?.name === 'puzzle-expired' && !isExpired && !wasPurged)
      found.push(`${puzzle}: ${name} was rejected as expired without reason`);
  }
  return found;
}

/** Whether enough presentations explain a rejection. */
function mayBeSpent(
  { puzzle, presentation, maxCount, hasKey, endedAt = 0 }: Request,
  claims: readonly Claimed[],
): boolean {
  const begun = claims.filter((claim) => claim.puzzle === puzzle && claim.startedAt < endedAt);
  // The result may be that of an earlier request with the same key, whose sender may not have received it.
  if (hasKey) return begun.filter(({ number }) => number !== 0).length > maxCount;
  const own = begun.find((claim) => claim.presentation === presentation);
  if (own !== undefined) return (own.number ?? 0) > maxCount;
  return begun.some((claim) => (claim.endedAt ?? NEVER) < endedAt && (claim.number ?? 0) >= maxCount);
}
