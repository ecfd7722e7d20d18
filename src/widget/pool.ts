import { SOLUTION_SIZE } from '../puzzle/solution.ts';
import type { FromLane, Kernel, ToLane } from './messages.ts';

/** One open lane, as the pool sees it. */
interface LanePort {
  post(message: ToLane): void;
  close(): void;
}

/** Opens a lane; what it says arrives at `hear`, never before this has returned. */
export type OpenLane = (hear: (message: FromLane) => void) => LanePort;

export type PoolDeps = {
  /** The best first; the next is tried where none of one way's lanes works. The last is the page's own thread: one lane. */
  readonly ways: readonly OpenLane[];
  readonly laneCount: number;
  /** Never rejects; undefined where there is none to be had. */
  readonly kernel: Promise<Kernel | undefined>;
  /** A timer. */
  readonly later: (milliseconds: number, run: () => void) => void;
};

/** What to solve. */
export type Work = {
  /** 128 bytes of `toBlock`. */
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

/**
 * One lane a core, at least 2 (some browsers hide the number) and at most 8; at most 2 for each GiB of memory.
 *
 * @param memory GiB, 0.25 to 8 (W3C Device Memory); most browsers keep it to themselves
 */
export function laneCountOf(cores: number | undefined, memory: number | undefined): number {
  const most = memory === undefined ? 8 : Math.max(1, Math.min(8, 2 * memory));
  return Math.min(Math.max(cores ?? 2, 2), most);
}

/**
 * Invariant: the lanes share one queue of indexes, and a lane without an index of its own helps with one
 * that is still open. So none idles while another works, and the slowest does not decide alone.
 */
export function createPool(deps: PoolDeps): Pool {
  let lanes: Lane[] = [];
  let isClosed = false;
  let nextWay = 0;
  let kernel: { readonly bytes: Kernel | undefined } | undefined;
  let queue: ReturnType<typeof createQueue> | undefined;
  let giveUp: (cause: Error) => void = () => undefined;
  let lastReason: string | undefined;

  function openNext(): void {
    const way = deps.ways[nextWay++];
    if (way === undefined) {
      giveUp(new Error(lastReason));
      return;
    }
    const count = nextWay === deps.ways.length ? 1 : deps.laneCount;
    for (let i = 0; i < count; i++) open(way);
    if (kernel) watch();
  }

  function open(openLane: OpenLane): void {
    const lane: Lane = {
      port: openLane((said) => hear(lane, said)),
      isReady: false,
      usesWasm: false,
      index: undefined,
    };
    lanes.push(lane);
    if (kernel) lane.port.post({ kind: 'open', kernel: kernel.bytes });
  }

  /** Opens the next way too where nothing is heard of this one, now that its lanes have all they need. */
  function watch(): void {
    const way = nextWay;
    deps.later(SILENCE_MS, () => {
      const isSilent = lanes.every((lane) => !lane.isReady);
      if (!isClosed && isSilent && way === nextWay && way < deps.ways.length) openNext();
    });
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
    if (lanes.length === 0) openNext();
  }

  function arm(bytes: Kernel | undefined): void {
    if (isClosed) return;
    kernel = { bytes };
    for (const lane of lanes) lane.port.post({ kind: 'open', kernel: bytes });
    watch();
  }

  openNext();
  void deps.kernel.then(arm);

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
