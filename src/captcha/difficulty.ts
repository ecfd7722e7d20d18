import type { Growth } from '../model/propertyFields.ts';

/**
 * Difficulty is the property's level plus the growth from three signals: the load of the client, that of the property, and, for clients
 * that announce an older version than the property's kind of work needs, the excess of such clients. Eight levels double the work
 * (docs/reference/protocol.md#work), so `8 × log2(x)` additional levels multiply it by x.
 * docs/explanation/difficulty.md explains the curves.
 */
export type Signals = {
  /** Load of the client before this puzzle, in puzzles; at least 0. See clientLoad.ts. */
  readonly clientFill: number;
  /** Fill of the property's bucket before this puzzle, as a multiple of its usual traffic in five minutes; at least 0. */
  readonly propertyFill: number;
  /**
   * For a downgraded puzzle: how far the share of such puzzles is above the property's usual share; at least 0. See downgradeLoad.ts.
   */
  readonly downgradeExcess?: number;
};

type Curve = {
  /** A client's fill multiplies the work by (1 + fill / CLIENT_FREE) to this power, and an excess of downgrades by (1 + excess) to it. */
  readonly clientExponent: number;
  /** A property's fill multiplies the work by (1 + fill) to this power. */
  readonly propertyExponent: number;
  /** Maximum number of levels for the property's fill, so that many simultaneous visitors do not make puzzles hard for each other. */
  readonly propertyLevels: number;
  /** Maximum number of levels for an excess of downgrades, so that visitors with old widgets can still solve puzzles. */
  readonly downgradeLevels: number;
};

// The work of one client grows linearly with its fill on `medium`, with the square root on `slow`, and with the power of 1.5 on `fast`.
// biome-ignore format: a table
const CURVES: Record<Exclude<Growth, 'constant'>, Curve> = {
  slow:   { clientExponent: 0.5, propertyExponent: 0.25, propertyLevels: 2, downgradeLevels: 8 },
  medium: { clientExponent: 1,   propertyExponent: 0.5,  propertyLevels: 3, downgradeLevels: 16 },
  fast:   { clientExponent: 1.5, propertyExponent: 1,    propertyLevels: 6, downgradeLevels: 24 },
};

/** Load of a client at which `medium` doubles the work. */
export const CLIENT_FREE = 5;
export const LEVELS_PER_DOUBLING = 8;
const MAX_DIFFICULTY = 255;

/** @param level integer, 1..255 @returns the difficulty of one puzzle: an integer, `level`..255; exactly the level on `constant` */
export function difficultyOf(level: number, growth: Growth, signals: Signals): number {
  if (growth === 'constant') return level;
  const curve = CURVES[growth];
  const client = curve.clientExponent * Math.log2(1 + signals.clientFill / CLIENT_FREE);
  const property = capped(curve.propertyExponent * Math.log2(1 + signals.propertyFill), curve.propertyLevels);
  const excess = curve.clientExponent * Math.log2(1 + (signals.downgradeExcess ?? 0));
  const growthOfWork = client + property + capped(excess, curve.downgradeLevels);
  return Math.min(MAX_DIFFICULTY, level + Math.floor(LEVELS_PER_DOUBLING * growthOfWork));
}

/** @returns the smaller one of two growths, in doublings and in levels, in doublings */
function capped(doublings: number, levels: number): number {
  return Math.min(doublings, levels / LEVELS_PER_DOUBLING);
}
