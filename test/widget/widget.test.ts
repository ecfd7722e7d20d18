import { describe, expect, test } from 'bun:test';
import { toBase64 } from '../../src/lib/bytes.ts';
import { done } from '../../src/lib/outcome.ts';
import type { Instant } from '../../src/lib/time.ts';
import { type Challenge, type Puzzle, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { parsePayload } from '../../src/puzzle/solution.ts';
import { type FetchOutcome, readPuzzle, type WidgetPuzzle } from '../../src/widget/client.ts';
import type { Solved } from '../../src/widget/pool.ts';
import type { SolverPool } from '../../src/widget/solvePuzzle.ts';
import { createExpiry, createWidget, type WidgetState } from '../../src/widget/widget.ts';

const PUZZLE: Puzzle = {
  version: 1,
  challenge: 'blake2b',
  propertyId: new Uint8Array(16),
  puzzleId: new Uint8Array(8).fill(1),
  difficulty: 80,
  solutionCount: 2,
  expiresAtSeconds: 1_900_000_000,
  userData: new Uint8Array(16),
};
const TEST_PUZZLE: Puzzle = { ...PUZZLE, puzzleId: new Uint8Array(8), difficulty: 0, expiresAtSeconds: 0 };
const ARGON2ID_PUZZLE: Puzzle = { ...PUZZLE, version: 2, challenge: 'argon2id', difficulty: 24 };
const SOLVED: Solved = { solutions: Uint8Array.from({ length: 16 }, (_, i) => i), usedWasm: true };

const fetched = (puzzle: Puzzle, validForMs: number | undefined): FetchOutcome => {
  const puzzleBytes = toPuzzleBytes(puzzle);
  const read = readPuzzle(puzzleBytes) as WidgetPuzzle;
  return done({ puzzle: read, puzzleBytes, text: `${toBase64(puzzleBytes)}.AAAA`, validForMs });
};

/** A widget whose time, server, solver, and page are controlled by the test. */
function createScene(respond: (failure: string) => FetchOutcome = () => fetched(PUZZLE, 600_000)) {
  let now = 1_000_000 as Instant;
  const timers = new Map<number, { at: number; run: () => void }>();
  const states: WidgetState[] = [];
  const finished: string[] = [];
  const problems: string[] = [];
  const events: string[] = [];
  let onEvent: (kind: string) => void = () => undefined;
  let field = '';
  let mayRestart = true;
  let isVisible = true;
  let onVisible: () => void = () => undefined;
  let finish: (solved: Solved) => void = () => undefined;
  let progress: (found: number) => void = () => undefined;
  let solveFails: (cause: Error) => void = () => undefined;
  let pools = 0;
  const challenges: Challenge[] = [];
  const failures: string[] = [];
  const requests: AbortSignal[] = [];
  let timerId = 0;
  const expiry = createExpiry(
    () => now,
    (milliseconds, run) => {
      timerId += 1;
      timers.set(timerId, { at: now + milliseconds, run });
      return timerId;
    },
    (timer) => void (timer && timers.delete(timer)),
  );
  function open(challenge: Challenge): SolverPool {
    pools += 1;
    challenges.push(challenge);
    let isOpen = true;
    return {
      solve: (_, onProgress) =>
        new Promise((resolve, reject) => {
          finish = resolve;
          solveFails = reject;
          progress = onProgress;
        }),
      hasThreads: true,
      dispose: () => {
        if (isOpen) pools -= 1;
        isOpen = false;
      },
    };
  }
  const widget = createWidget({
    fetchPuzzle: async (signal, failure) => {
      requests.push(signal);
      failures.push(failure);
      return respond(failure);
    },
    openPool: () => open('blake2b'),
    loadSolver: async (challenge) => {
      expect(challenge).toBe(1);
      const { solve, dispose } = open('argon2id');
      return async (work, onProgress, signal) => {
        signal.addEventListener('abort', dispose);
        return solve(work, onProgress, signal).finally(dispose);
      };
    },
    expiry,
    now: () => now,
    show: (state) => void states.push(state),
    setSolution: (payload) => {
      field = payload;
    },
    onEvent: (event) => {
      events.push(event.kind);
      if (event.kind === 'finish') finished.push(event.solution);
      if (event.kind === 'error') problems.push(`${event.problem}: ${event.reason}`);
      onEvent(event.kind);
    },
    mayRestart: () => mayRestart,
    whenVisible: (run) => {
      if (isVisible) run();
      else onVisible = run;
    },
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    widget,
    states,
    finished,
    problems,
    events,
    onEachEvent: (run: (kind: string) => void) => {
      onEvent = run;
    },
    requests,
    expiry,
    settle,
    forbidRestart: () => {
      mayRestart = false;
    },
    openPools: () => pools,
    challenges,
    failures,
    field: () => field,
    last: () => states.at(-1),
    progress: (found: number) => progress(found),
    breakSolver: async () => {
      solveFails(new Error('no thread'));
      await settle();
    },
    solve: async () => {
      await settle();
      finish(SOLVED);
      await settle();
    },
    /** The device sleeps: time passes, but timers do not run. */
    sleep: (milliseconds: number) => {
      now = (now + milliseconds) as Instant;
    },
    pass: async (milliseconds: number) => {
      now = (now + milliseconds) as Instant;
      for (const [id, timer] of [...timers]) {
        if (timer.at <= now && timers.delete(id)) timer.run();
      }
      await settle();
    },
    hide: () => {
      isVisible = false;
    },
    show: async () => {
      isVisible = true;
      onVisible();
      await settle();
    },
  };
}

describe('a check', () => {
  test('ends with a payload in the field', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.settle();
    scene.progress(1);
    scene.sleep(120);
    await scene.solve();
    expect(scene.states).toEqual([
      { kind: 'solving', percent: 0 },
      { kind: 'solving', percent: 50 },
      { kind: 'verified' },
    ]);
    const payload = parsePayload(scene.field());
    expect(payload?.solutions).toEqual(SOLVED.solutions);
    expect(payload?.metadata).toEqual({ errorCode: 0, usedWasm: true, elapsedMs: 120 });
    expect(scene.finished).toEqual([scene.field()]);
    expect(scene.openPools()).toBe(0);
  });

  test('is started only once', async () => {
    const scene = createScene();
    scene.widget.start();
    scene.widget.start();
    await scene.solve();
    scene.widget.start();
    await scene.settle();
    expect(scene.requests).toHaveLength(1);
  });

  test('of the test puzzle requires no work and does not expire', async () => {
    const scene = createScene(() => fetched(TEST_PUZZLE, undefined));
    scene.widget.start();
    await scene.settle();
    expect(parsePayload(scene.field())?.solutions).toEqual(new Uint8Array(16));
    await scene.pass(2 ** 40);
    expect(scene.last()).toEqual({ kind: 'verified' });
  });

  test('that fails reports the reason and can be started again', async () => {
    let isUp = false;
    const scene = createScene(() =>
      isUp ? fetched(PUZZLE, 600_000) : { ok: false, problem: 'service-busy', reason: 'Try again later.' },
    );
    scene.widget.start();
    await scene.settle();
    expect(scene.last()).toEqual({ kind: 'failed', problem: 'service-busy', reason: 'Try again later.' });
    expect(scene.problems).toEqual(['service-busy: Try again later.']);
    expect(scene.openPools()).toBe(0);
    isUp = true;
    scene.widget.start();
    await scene.solve();
    expect(scene.last()).toEqual({ kind: 'verified' });
  });

  test('that cannot be solved in this browser fails', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.settle();
    await scene.breakSolver();
    expect(scene.last()).toEqual({ kind: 'failed', problem: 'solver-broken', reason: 'Error: no thread' });
  });

  test('of an argon2id puzzle uses its own threads', async () => {
    const scene = createScene(() => fetched(ARGON2ID_PUZZLE, 600_000));
    scene.widget.start();
    await scene.settle();
    expect(scene.challenges).toEqual(['blake2b', 'argon2id']);
    expect(scene.openPools()).toBe(1);
    scene.progress(1);
    await scene.solve();
    expect(scene.states).toContainEqual({ kind: 'solving', percent: 50 });
    expect(parsePayload(scene.field())?.metadata?.usedWasm).toBe(true);
    expect(scene.openPools()).toBe(0);
  });

  test('of an argon2id puzzle that cannot be solved continues with a BLAKE2b puzzle', async () => {
    const scene = createScene((failure) => fetched(failure ? PUZZLE : ARGON2ID_PUZZLE, 600_000));
    scene.widget.start();
    await scene.settle();
    await scene.breakSolver();
    expect(scene.failures).toEqual(['', 'Error: no thread']);
    expect(scene.challenges).toEqual(['blake2b', 'argon2id', 'blake2b']);
    expect(scene.openPools()).toBe(1);
    await scene.solve();
    expect(scene.last()).toEqual({ kind: 'verified' });
    expect(parsePayload(scene.field())?.puzzle.version).toBe(1);
    expect(scene.openPools()).toBe(0);
  });

  test('of an argon2id puzzle fails if the BLAKE2b puzzle cannot be solved either', async () => {
    const scene = createScene((failure) => fetched(failure ? PUZZLE : ARGON2ID_PUZZLE, 600_000));
    scene.widget.start();
    await scene.settle();
    await scene.breakSolver();
    await scene.breakSolver();
    expect(scene.last()).toEqual({ kind: 'failed', problem: 'solver-broken', reason: 'Error: no thread' });
    expect(scene.requests).toHaveLength(2);
    expect(scene.openPools()).toBe(0);
  });

  test('of an argon2id puzzle that is reset closes its threads', async () => {
    const scene = createScene(() => fetched(ARGON2ID_PUZZLE, 600_000));
    scene.widget.start();
    await scene.settle();
    scene.widget.cancel();
    expect(scene.openPools()).toBe(0);
    await scene.breakSolver();
    expect(scene.requests).toHaveLength(1);
    expect(scene.last()).toEqual({ kind: 'idle' });
  });

  test('of an argon2id puzzle that expires starts again', async () => {
    const scene = createScene(() => fetched(ARGON2ID_PUZZLE, 60_000));
    scene.widget.start();
    await scene.settle();
    await scene.pass(60_000);
    await scene.pass(0);
    expect(scene.challenges).toEqual(['blake2b', 'argon2id', 'blake2b', 'argon2id']);
    expect(scene.openPools()).toBe(1);
  });

  test('that is reset leaves no state behind', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.settle();
    scene.widget.cancel();
    expect(scene.requests[0]?.aborted).toBe(true);
    await scene.solve();
    expect(scene.last()).toEqual({ kind: 'idle' });
    expect(scene.field()).toBe('');
    expect(scene.openPools()).toBe(0);
  });
});

describe('events', () => {
  test('are emitted in order, and an expired puzzle emits a reset', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.settle();
    scene.progress(1);
    await scene.solve();
    expect(scene.events).toEqual(['start', 'progress', 'finish']);
    await scene.pass(600_000);
    expect(scene.events.at(-1)).toBe('reset');
    expect(scene.widget.state()).toBe('expired');
  });

  test('may reset the widget during the start', async () => {
    const scene = createScene();
    scene.onEachEvent((kind) => kind === 'start' && scene.widget.cancel());
    scene.widget.start();
    await scene.settle();
    expect(scene.requests).toHaveLength(0);
    expect(scene.openPools()).toBe(0);
    expect(scene.widget.state()).toBe('idle');
  });

  test('are not emitted by cancel', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.settle();
    scene.widget.cancel();
    expect(scene.events).toEqual(['start']);
    expect(scene.openPools()).toBe(0);
    expect(scene.widget.state()).toBe('idle');
  });
});

describe('an expired puzzle', () => {
  test('clears the field and restarts the check', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.solve();
    await scene.pass(599_999);
    expect(scene.field()).not.toBe('');
    await scene.pass(1);
    expect(scene.field()).toBe('');
    await scene.pass(0);
    expect(scene.requests).toHaveLength(2);
    await scene.solve();
    expect(scene.last()).toEqual({ kind: 'verified' });
  });

  test('causes at most one request per 30 seconds', async () => {
    const scene = createScene(() => fetched(PUZZLE, 0));
    scene.widget.start();
    for (let second = 0; second < 120; second++) await scene.pass(1000);
    expect(scene.requests.length).toBeLessThanOrEqual(5);
  });

  test('stops after three further puzzles have expired unsolved', async () => {
    const scene = createScene(() => fetched(PUZZLE, 60_000));
    scene.widget.start();
    for (let minute = 0; minute < 60; minute++) await scene.pass(60_000);
    expect(scene.requests).toHaveLength(4);
    expect(scene.last()).toMatchObject({ kind: 'failed', problem: 'device-slow' });
  });

  test('on a hidden page waits until the page is visible', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.solve();
    scene.hide();
    await scene.pass(600_000);
    await scene.pass(0);
    expect(scene.field()).toBe('');
    expect(scene.requests).toHaveLength(1);
    await scene.show();
    expect(scene.requests).toHaveLength(2);
  });

  test('on a hidden page does not restart after a reset', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.solve();
    scene.hide();
    await scene.pass(600_000);
    await scene.pass(0);
    scene.widget.cancel();
    await scene.show();
    expect(scene.requests).toHaveLength(1);
    expect(scene.last()).toEqual({ kind: 'idle' });
  });

  test('is detected when the device wakes up', async () => {
    const scene = createScene();
    scene.widget.start();
    await scene.solve();
    scene.sleep(3_600_000);
    expect(scene.field()).not.toBe('');
    scene.expiry.check();
    expect(scene.field()).toBe('');
  });

  test('may have a validity beyond the maximum of timers', async () => {
    const month = 30 * 86_400_000;
    const scene = createScene(() => fetched(PUZZLE, month));
    scene.widget.start();
    await scene.solve();
    await scene.pass(2 ** 31 - 1);
    expect(scene.last()).toEqual({ kind: 'verified' });
    await scene.pass(month - 2 ** 31 + 1);
    expect(scene.field()).toBe('');
  });
});
