import { describe, expect, test } from 'bun:test';
import { base64Of } from '../../src/lib/bytes.ts';
import { done } from '../../src/lib/outcome.ts';
import type { Instant } from '../../src/lib/time.ts';
import { type Puzzle, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { parsePayload } from '../../src/puzzle/solution.ts';
import type { ClientEnding } from '../../src/widget/client.ts';
import { createExpiry } from '../../src/widget/expiry.ts';
import type { Solved } from '../../src/widget/pool.ts';
import { createWidget, type WidgetState } from '../../src/widget/widget.ts';

const PUZZLE: Puzzle = {
  propertyId: new Uint8Array(16),
  puzzleId: new Uint8Array(8).fill(1),
  difficulty: 80,
  solutionCount: 2,
  expiresAtSeconds: 1_900_000_000,
  userData: new Uint8Array(16),
};
const TEST_PUZZLE: Puzzle = { ...PUZZLE, puzzleId: new Uint8Array(8), difficulty: 0, expiresAtSeconds: 0 };
const SOLVED: Solved = { solutions: Uint8Array.from({ length: 16 }, (_, i) => i), usedWasm: true };

const fetched = (puzzle: Puzzle, validForMs: number | undefined): ClientEnding => {
  const puzzleBytes = toPuzzleBytes(puzzle);
  return done({ puzzle, puzzleBytes, text: `${base64Of(puzzleBytes)}.AAAA`, validForMs });
};

/** A widget in a world where time, the server, the solver and the page are the test's. */
function stage(answer: () => ClientEnding = () => fetched(PUZZLE, 600_000)) {
  let now = 1_000_000 as Instant;
  const timers = new Map<number, { at: number; run: () => void }>();
  const states: WidgetState[] = [];
  const finished: string[] = [];
  const problems: string[] = [];
  const told: string[] = [];
  let onTold: (kind: string) => void = () => undefined;
  let field = '';
  let isVisible = true;
  let onVisible: () => void = () => undefined;
  let finish: (solved: Solved) => void = () => undefined;
  let tell: (found: number) => void = () => undefined;
  let solveFails: (cause: Error) => void = () => undefined;
  let pools = 0;
  const asked: AbortSignal[] = [];
  let timerId = 0;
  const expiry = createExpiry({
    now: () => now,
    setTimer: (milliseconds, run) => {
      timerId += 1;
      timers.set(timerId, { at: now + milliseconds, run });
      return timerId;
    },
    clearTimer: (timer) => void timers.delete(timer),
  });
  const widget = createWidget({
    fetchPuzzle: async (signal) => {
      asked.push(signal);
      return answer();
    },
    openPool: () => {
      pools += 1;
      return {
        solve: (_, hear) =>
          new Promise((resolve, reject) => {
            finish = resolve;
            solveFails = reject;
            tell = hear;
          }),
        close: () => {
          pools -= 1;
        },
      };
    },
    expiry,
    now: () => now,
    show: (state) => void states.push(state),
    submit: (payload) => {
      field = payload;
    },
    onEvent: (event) => {
      told.push(event.kind);
      if (event.kind === 'finish') finished.push(event.solution);
      if (event.kind === 'error') problems.push(`${event.problem}: ${event.reason}`);
      onTold(event.kind);
    },
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
    told,
    whenTold: (run: (kind: string) => void) => {
      onTold = run;
    },
    asked,
    expiry,
    settle,
    openPools: () => pools,
    field: () => field,
    last: () => states.at(-1),
    tell: (found: number) => tell(found),
    breakSolver: async () => {
      solveFails(new Error('no lane'));
      await settle();
    },
    solve: async () => {
      await settle();
      finish(SOLVED);
      await settle();
    },
    /** The device sleeps: time goes by, timers do not. */
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
    comeBack: async () => {
      isVisible = true;
      onVisible();
      await settle();
    },
  };
}

describe('a check', () => {
  test('goes from the press to a payload in the field', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.settle();
    scene.tell(1);
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

  test('is started once, however often the control is pressed', async () => {
    const scene = stage();
    scene.widget.start();
    scene.widget.start();
    await scene.solve();
    scene.widget.start();
    await scene.settle();
    expect(scene.asked).toHaveLength(1);
  });

  test('of the test puzzle needs no work and never expires', async () => {
    const scene = stage(() => fetched(TEST_PUZZLE, undefined));
    scene.widget.start();
    await scene.settle();
    expect(parsePayload(scene.field())?.solutions).toEqual(new Uint8Array(16));
    await scene.pass(2 ** 40);
    expect(scene.last()).toEqual({ kind: 'verified' });
  });

  test('that fails says why, and may be started again', async () => {
    let isUp = false;
    const scene = stage(() =>
      isUp ? fetched(PUZZLE, 600_000) : { ok: false, problem: 'service-busy', reason: 'Not now.' },
    );
    scene.widget.start();
    await scene.settle();
    expect(scene.last()).toEqual({ kind: 'failed', problem: 'service-busy', reason: 'Not now.' });
    expect(scene.problems).toEqual(['service-busy: Not now.']);
    expect(scene.openPools()).toBe(0);
    isUp = true;
    scene.widget.start();
    await scene.solve();
    expect(scene.last()).toEqual({ kind: 'verified' });
  });

  test('in a browser that cannot solve says so', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.settle();
    await scene.breakSolver();
    expect(scene.last()).toEqual({ kind: 'failed', problem: 'solver-broken', reason: 'Error: no lane' });
  });

  test('that is reset leaves nothing behind', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.settle();
    scene.widget.close();
    expect(scene.asked[0]?.aborted).toBe(true);
    await scene.solve();
    expect(scene.last()).toEqual({ kind: 'idle' });
    expect(scene.field()).toBe('');
    expect(scene.openPools()).toBe(0);
  });
});

describe('what the page is told', () => {
  test('comes in order, and expiry counts as a reset', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.settle();
    scene.tell(1);
    await scene.solve();
    expect(scene.told).toEqual(['start', 'progress', 'finish']);
    await scene.pass(600_000);
    expect(scene.told.at(-1)).toBe('reset');
    expect(scene.widget.state()).toBe('expired');
  });

  test('a page that resets when told of the start leaves nothing running', async () => {
    const scene = stage();
    scene.whenTold((kind) => kind === 'start' && scene.widget.close());
    scene.widget.start();
    await scene.settle();
    expect(scene.asked).toHaveLength(0);
    expect(scene.openPools()).toBe(0);
    expect(scene.widget.state()).toBe('idle');
  });

  test('a widget that is closed is back at the beginning, and tells nobody', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.settle();
    scene.widget.close();
    expect(scene.told).toEqual(['start']);
    expect(scene.openPools()).toBe(0);
    expect(scene.widget.state()).toBe('idle');
  });
});

describe('an expired puzzle', () => {
  test('empties the field and starts again by itself', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.solve();
    await scene.pass(599_999);
    expect(scene.field()).not.toBe('');
    await scene.pass(1);
    expect(scene.field()).toBe('');
    await scene.pass(0);
    expect(scene.asked).toHaveLength(2);
    await scene.solve();
    expect(scene.last()).toEqual({ kind: 'verified' });
  });

  test('makes for one more request in 30 seconds, not for a storm', async () => {
    const scene = stage(() => fetched(PUZZLE, 0));
    scene.widget.start();
    for (let second = 0; second < 120; second++) await scene.pass(1000);
    expect(scene.asked.length).toBeLessThanOrEqual(5);
  });

  test('gives up when three more have expired unsolved', async () => {
    const scene = stage(() => fetched(PUZZLE, 60_000));
    scene.widget.start();
    for (let minute = 0; minute < 60; minute++) await scene.pass(60_000);
    expect(scene.asked).toHaveLength(4);
    expect(scene.last()).toMatchObject({ kind: 'failed', problem: 'device-slow' });
  });

  test('of a hidden page waits until the page is looked at', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.solve();
    scene.hide();
    await scene.pass(600_000);
    await scene.pass(0);
    expect(scene.field()).toBe('');
    expect(scene.asked).toHaveLength(1);
    await scene.comeBack();
    expect(scene.asked).toHaveLength(2);
  });

  test('of a hidden page is forgotten by a reset', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.solve();
    scene.hide();
    await scene.pass(600_000);
    await scene.pass(0);
    scene.widget.close();
    await scene.comeBack();
    expect(scene.asked).toHaveLength(1);
    expect(scene.last()).toEqual({ kind: 'idle' });
  });

  test('is noticed when the device wakes, though its timers slept', async () => {
    const scene = stage();
    scene.widget.start();
    await scene.solve();
    scene.sleep(3_600_000);
    expect(scene.field()).not.toBe('');
    scene.expiry.check();
    expect(scene.field()).toBe('');
  });

  test('may be weeks away, beyond what a timer can hold', async () => {
    const month = 30 * 86_400_000;
    const scene = stage(() => fetched(PUZZLE, month));
    scene.widget.start();
    await scene.solve();
    await scene.pass(2 ** 31 - 1);
    expect(scene.last()).toEqual({ kind: 'verified' });
    await scene.pass(month - 2 ** 31 + 1);
    expect(scene.field()).toBe('');
  });
});
