import { SOLUTION_SIZE } from '../puzzle/solution.ts';
import type { FromLane, ToLane } from './messages.ts';

/** One open lane, as the pool sees it. */
interface LanePort {
  post(message: ToLane): void;
  close(): void;
}

/** Opens a lane; what it says arrives at `hear`, never before this has returned. */
export type OpenLane = (hear: (message: FromLane) => void) => LanePort;

export type PoolDeps = {
  readonly openWorker: OpenLane;
  /** Opened where no worker works. */
  readonly openHere: OpenLane;
  readonly laneCount: number;
  /** A timer. */
  readonly later: (milliseconds: number, run: () => void) => void;
};

/** What to solve. */
export type Work = {
  /** 128 bytes of `blockOf`. */
  readonly block: Uint8Array;
  /** u32 of `thresholdOf`. */
  readonly threshold: number;
  /** 1..255. */
  readonly solutionCount: number;
};

export type Solved = {
  /** `solutionCount` times 8 bytes, in the order of their indexes. */
  readonly solutions: Uint8Array;
  readonly usedWasm: boolean;
};

/** Lanes for one puzzle. They start with the pool, so that they are warm when the puzzle arrives. */
export interface Pool {
  /**
   * To be called once.
   *
   * @param tell hears how many solutions are found, after each
   * @throws where no lane can work
   */
  solve(work: Work, tell: (found: number) => void): Promise<Solved>;
  /** Ends all lanes; a pending `solve` stays pending. */
  close(): void;
}

// Workers that a policy blocks may stay silent for ever; a slow phone starts one in a second.
const SILENCE_MS = 4000;

type Lane = { readonly port: LanePort; isReady: boolean; usesWasm: boolean; index: number | undefined };

/** One lane a core, at least 2 (some browsers hide the number) and at most 8. */
export function laneCountOf(cores: number | undefined): number {
  return Math.min(Math.max(cores ?? 2, 2), 8);
}

/**
 * Invariant: the lanes share one queue of indexes, and a lane without an index of its own helps with one
 * that is still open. So none idles while another works, and the slowest does not decide alone.
 */
export function createPool(deps: PoolDeps): Pool {
  let lanes: Lane[] = [];
  let isClosed = false;
  let fellBack = false;
  let queue: ReturnType<typeof createQueue> | undefined;
  let giveUp: (cause: Error) => void = () => undefined;
  let lastReason: string | undefined;

  function open(openLane: OpenLane): void {
    const lane: Lane = {
      port: openLane((said) => hear(lane, said)),
      isReady: false,
      usesWasm: false,
      index: undefined,
    };
    lanes.push(lane);
  }

  function hear(lane: Lane, said: FromLane): void {
    if (isClosed || !lanes.includes(lane)) return;
    if (said.kind === 'ready') {
      lane.isReady = true;
      lane.usesWasm = said.usesWasm;
      queue?.join(lane);
    }
    if (said.kind === 'found') queue?.take(lane, said.index, said.solution);
    if (said.kind === 'broken') drop(lane, said.reason);
  }

  function drop(lane: Lane, reason: string): void {
    lane.port.close();
    lanes = lanes.filter((other) => other !== lane);
    lastReason = reason;
    if (lanes.length > 0) return;
    if (fellBack) giveUp(new Error(reason));
    else fallBack();
  }

  function fallBack(): void {
    fellBack = true;
    open(deps.openHere);
  }

  for (let i = 0; i < deps.laneCount; i++) open(deps.openWorker);
  deps.later(SILENCE_MS, () => {
    if (!isClosed && !fellBack && lanes.every((lane) => !lane.isReady)) fallBack();
  });

  return {
    solve: (work, tell) =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        queue = createQueue(work, () => lanes, tell, resolve);
        if (lanes.length === 0) giveUp(new Error(lastReason));
        for (const lane of lanes) if (lane.isReady) queue.join(lane);
      }),
    close() {
      isClosed = true;
      for (const lane of lanes) lane.port.close();
    },
  };
}

/** Hands out the indexes of one puzzle and gathers its solutions. */
function createQueue(
  work: Work,
  lanes: () => readonly Lane[],
  tell: (found: number) => void,
  finish: (solved: Solved) => void,
) {
  const solutions = new Uint8Array(work.solutionCount * SOLUTION_SIZE);
  const timesGiven = new Uint8Array(work.solutionCount);
  const isFound = new Set<number>();
  let usedWasm = false;

  /** The open index on which the fewest lanes work. */
  function nextIndex(): number {
    const load = new Array<number>(work.solutionCount).fill(0);
    for (const { index } of lanes()) if (index !== undefined) load[index] = (load[index] ?? 0) + 1;
    let best = -1;
    for (let i = 0; i < load.length; i++) {
      const isBetter = best < 0 || (load[i] as number) < (load[best] as number);
      if (isBetter && !isFound.has(i)) best = i;
    }
    return best;
  }

  function give(lane: Lane): void {
    lane.index = undefined;
    const index = nextIndex();
    lane.index = index;
    const helper = timesGiven[index] as number;
    timesGiven[index] = helper + 1;
    lane.port.post({ kind: 'search', index, helper });
  }

  return {
    join(lane: Lane): void {
      lane.port.post({ kind: 'load', block: work.block, threshold: work.threshold });
      give(lane);
    },
    take(finder: Lane, index: number, solution: Uint8Array): void {
      if (isFound.has(index)) return;
      isFound.add(index);
      solutions.set(solution, index * SOLUTION_SIZE);
      usedWasm = usedWasm || finder.usesWasm;
      tell(isFound.size);
      const isDone = isFound.size === work.solutionCount;
      for (const lane of lanes()) {
        if (isDone) lane.port.post({ kind: 'rest' });
        else if (lane.index === index) give(lane);
      }
      if (isDone) finish({ solutions, usedWasm });
    },
  };
}
