/** Counts how often a call executes each block. */

/** A part of the code without branches. */
export type Block = {
  /** The path below the root of the repository. */
  readonly file: string;
  readonly line: number;
  /** The name of the exported function whose first block it is. */
  readonly name: string | undefined;
};

const MAX_BLOCKS = 2 ** 16;

const blocks: Block[] = [];
const counts = new Uint32Array(MAX_BLOCKS);
const touched = new Uint32Array(MAX_BLOCKS);
let touchedCount = 0;
let steps = 0;
let stepLimit = Number.POSITIVE_INFINITY;

/** Thrown if an input takes more steps than its target allows. A step is one execution of a block. */
export class TooManyStepsError extends Error {
  override readonly name = 'TooManyStepsError';
}

function hit(block: number): void {
  if (++steps > stepLimit) throw new TooManyStepsError(`more than ${Math.round(stepLimit)} steps`);
  const before = counts[block] as number;
  counts[block] = before + 1;
  if (before === 0) touched[touchedCount++] = block;
}

// Instrumented modules call it by this name.
Object.defineProperty(globalThis, '$hit', { value: hit });

/** Adds a block. @returns its number */
export function nextBlock(block: Block): number {
  if (blocks.length === MAX_BLOCKS) throw new Error('too many blocks');
  return blocks.push(block) - 1;
}

const literalsOf = new Map<string, readonly string[]>();

/** Adds the string literals of a file. */
export function addLiterals(file: string, literals: readonly string[]): void {
  literalsOf.set(file, literals);
}

/** Sets all counters to zero. @param limit the number of steps after which the next one throws, so that every loop ends */
export function beginRun(limit: number): void {
  for (let at = 0; at < touchedCount; at++) counts[touched[at] as number] = 0;
  touchedCount = 0;
  steps = 0;
  stepLimit = limit;
}

/** Removes the limit. @returns the number of steps since `beginRun` */
export function endRun(): number {
  stepLimit = Number.POSITIVE_INFINITY;
  return steps;
}

/** The greatest counts of ranges: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, and more, as in AFL. */
const FINE_RANGES = [1, 2, 3, 7, 15, 31, 127];
/** All counts are in one range, for a smaller corpus. */
export const NO_RANGES: readonly number[] = [];

/** The blocks and ranges of counts that the inputs of a target have reached. */
export type Seen = {
  /** Adds those of the last run. @returns how many are new */
  readonly add: () => number;
  /** Number of blocks. */
  readonly blocks: () => number;
  /** Number of pairs of a block and a range. */
  readonly features: () => number;
  /** Number of all blocks in the files that were reached. */
  readonly reachable: () => number;
  /** The names of the exported functions that were called, as `file#name`. */
  readonly functions: () => readonly string[];
  /** The string literals in the files that were reached. */
  readonly literals: () => readonly string[];
};

/** @param ranges the greatest counts of at most seven ranges; greater counts are another range @see Seen */
export function createSeen(ranges: readonly number[] = FINE_RANGES): Seen {
  const greatest = (ranges.at(-1) ?? 0) + 1;
  const bitOf = Uint8Array.from(
    { length: greatest + 1 },
    (_, count) => 1 << ranges.filter((limit) => count > limit).length,
  );
  const bits = new Uint8Array(MAX_BLOCKS);
  let [blockCount, featureCount] = [0, 0];

  function reached(): readonly Block[] {
    return blocks.filter((_, block) => bits[block] !== 0);
  }

  const filesOf = () => new Set(reached().map(({ file }) => file));

  return {
    add() {
      let added = 0;
      for (let at = 0; at < touchedCount; at++) {
        const block = touched[at] as number;
        const known = bits[block] as number;
        const bit = bitOf[Math.min(counts[block] as number, greatest)] as number;
        if ((known & bit) !== 0) continue;
        if (known === 0) blockCount++;
        bits[block] = known | bit;
        added++;
      }
      featureCount += added;
      return added;
    },
    blocks: () => blockCount,
    features: () => featureCount,
    reachable() {
      const files = filesOf();
      return blocks.filter(({ file }) => files.has(file)).length;
    },
    literals: () => [...filesOf()].flatMap((file) => literalsOf.get(file) ?? []),
    functions: () => reached().flatMap(({ file, name }) => (name === undefined ? [] : [`${file}#${name}`])),
  };
}
