import type { AccountId } from '../../../../src/model/account.ts';
import type { OrganizationId } from '../../../../src/model/organization.ts';
import { principal } from '../../../captcha/fakes.ts';
import { type History, longestMs, type Request } from '../history.ts';
import { EPOCH_MS } from '../world/globals.ts';
import type { Simulation } from '../world/kernel.ts';
import { PUZZLES, type Solved } from '../world/payloads.ts';
import type { Entry } from './ledgerNode.ts';
import { asPresentation, keyOf } from './recorder.ts';

type VisitorOptions = {
  readonly simulation: Simulation;
  readonly history: History;
  readonly maxCount: number;
  /** The threads that serve requests now. */
  readonly entries: () => readonly Entry[];
  /** Changes when clocks are set, because an idempotency key is valid for five minutes. */
  readonly era: () => number;
};

type Visit = {
  /** Valid, and without an idempotency key. */
  readonly isPlain?: boolean;
  readonly entry?: Entry;
  readonly mustSucceed?: boolean;
};

const KEYS_PER_PUZZLE = 2;
const OTHER_SITEKEY = 'f'.repeat(32);
const STRANGER = { ...principal, memberOf: new Set([99 as OrganizationId]) };

/** Backends that verify solutions: once, repeatedly, concurrently, with and without idempotency keys, and with requests that must fail. */
export function createVisitors({ simulation, history, maxCount, entries, era }: VisitorOptions) {
  const { random, pick, schedule, upTo, trace } = simulation;
  const required: Request[] = [];

  function send(puzzle: Solved, entry: Entry, key: number | undefined, isValid: boolean): Request {
    const name = `request ${history.requests.length + 1}`;
    const { hash, name: keyName } = keyOf(key ?? 0);
    const { thread, verify } = entry;
    const request: Request = {
      name,
      puzzle: puzzle.key,
      maxCount,
      presentation: key === undefined ? name : keyName,
      hasKey: key !== undefined,
      isValid,
      startedAt: history.next(),
      startedAtMs: simulation.now(),
      isAlive: () => thread.isAlive,
      isExpired: EPOCH_MS + simulation.now() + thread.process.clockOffsetMs >= puzzle.expiresAtSeconds * 1000,
    };
    history.requests.push(request);
    const sentIn = era();
    const flaw = isValid ? 3 : random(3);
    const body = {
      payload: flaw === 0 ? puzzle.wrongPayload : puzzle.payload,
      expectedSitekey: flaw === 1 ? OTHER_SITEKEY : undefined,
      principal: { ...(flaw === 2 ? STRANGER : principal), creatorId: (1 + random(2)) as AccountId },
      ...(key !== undefined && { repeatHash: hash }),
    };
    trace(() => `${name} for ${puzzle.key} on ${thread.name}${key === undefined ? '' : ` with ${keyName}`}`);
    simulation.runOn(thread, () => {
      const verdict = asPresentation(request.presentation, isValid, () => verify(body));
      void Promise.resolve(verdict).then((answer) => {
        request.answer = answer;
        request.endedAt = history.next();
        request.endedAtMs = simulation.now();
        trace(() => `${name}: ${answer.name}${answer.success ? ', accepted' : ''}`);
        if (answer.isUnavailable && random(2) === 0) repeatLater(puzzle, key, isValid, sentIn);
      });
    });
    schedule(undefined, 50 + upTo(500), () => {
      const isLost = request.answer === undefined && !thread.isAlive;
      if (isLost && random(2) === 0) repeatLater(puzzle, key, isValid, sentIn);
    });
    return request;
  }

  /** A sender that received no answer tries again, on any server. */
  function repeatLater(puzzle: Solved, key: number | undefined, isValid: boolean, sentIn: number): void {
    schedule(undefined, upTo(500), () => {
      const running = entries();
      const isUseful = key === undefined || era() === sentIn;
      if (running.length > 0 && isUseful && simulation.now() < 30_000)
        send(puzzle, pick(running), key, isValid);
    });
  }

  return {
    visit(puzzle: Solved | undefined, { isPlain = false, entry, mustSucceed = false }: Visit = {}): void {
      const running = entries();
      const chosen = entry ?? (running.length > 0 ? pick(running) : undefined);
      if (chosen === undefined || puzzle === undefined) return;
      const isValid = isPlain || random(8) > 0;
      const hasKey = !isPlain && isValid && random(10) < 4;
      const key =
        (era() * PUZZLES.length + PUZZLES.indexOf(puzzle)) * KEYS_PER_PUZZLE + random(KEYS_PER_PUZZLE) + 1;
      const request = send(puzzle, chosen, hasKey ? key : undefined, isValid);
      if (mustSucceed) required.push(request);
    },
    /** Adds the violations of requests. @param isFaulty whether there were failures */
    check(isFaulty: boolean): void {
      for (const request of required)
        if (request.answer?.name !== 'no-error')
          history.violations.push(
            `${request.name} for a new puzzle was not accepted: ${request.answer?.name}`,
          );
      for (const request of history.requests) {
        const { name, answer, isAlive, startedAtMs, endedAtMs = simulation.now() } = request;
        if (answer === undefined && !isAlive()) continue;
        if (endedAtMs - startedAtMs > longestMs(request)) history.violations.push(`${name} took too long`);
        if (!isFaulty && answer?.isUnavailable !== false)
          history.violations.push(`${name} failed, although nothing else did`);
      }
    },
  };
}
