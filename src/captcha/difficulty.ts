import type { Growth } from '../model/property.ts';

/**
 * Difficulty is the property's level plus what two leaky buckets add: one for the client that asks, one for the
 * property as a whole. Eight levels double the work (docs/reference/protocol.md#work), so adding `8 × log2(x)` levels
 * multiplies the price of a puzzle by x. docs/explanation/difficulty.md explains the curves.
 */
export type Signals = {
  /** How full the client's bucket is before this puzzle, in puzzles, at least 0. */
  readonly clientFill: number;
  /** How full the property's bucket is before this puzzle, as a multiple of what it usually gets in the window. */
  readonly propertyFill: number;
};

type Curve = {
  /** The client's price is (1 + fill / CLIENT_FREE) to this power. */
  readonly clientExponent: number;
  /** The property's price is (1 + fill) to this power. */
  readonly propertyExponent: number;
  /** The property's price never passes this factor: a crowd must not pay for its size. */
  readonly propertyLimit: number;
};

// One client pays in proportion to its excess on `medium`, its square root on `slow`, its square on `fast`.
// biome-ignore format: a table
const CURVES: Record<Exclude<Growth, 'constant'>, Curve> = {
  slow:   { clientExponent: 0.5, propertyExponent: 0.25, propertyLimit: 1.5 },
  medium: { clientExponent: 1,   propertyExponent: 0.5,  propertyLimit: 2 },
  fast:   { clientExponent: 2,   propertyExponent: 1,    propertyLimit: 4 },
};

/** Puzzles in the client's bucket at which `medium` doubles the price. */
const CLIENT_FREE = 5;
const LEVELS_A_DOUBLING = 8;
const MAX_DIFFICULTY = 255;

/**
 * The difficulty of one puzzle: a pure function of level, growth and signals.
 *
 * @param level integer, 1..255
 * @returns integer, `level`..255: never less than the level, saturating at 255; exactly the level on `constant`
 */
export function difficultyOf(level: number, growth: Growth, signals: Signals): number {
  if (growth === 'constant') return level;
  const curve = CURVES[growth];
  const client = curve.clientExponent * Math.log2(1 + signals.clientFill / CLIENT_FREE);
  const crowd = curve.propertyExponent * Math.log2(1 + signals.propertyFill);
  const property = Math.min(crowd, Math.log2(curve.propertyLimit));
  return Math.min(MAX_DIFFICULTY, level + Math.floor(LEVELS_A_DOUBLING * (client + property)));
}
