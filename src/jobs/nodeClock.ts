import { SECOND } from '../lib/time.ts';
import { differsBy } from '../model/clockOffset.ts';
import type { ClockComparison } from '../model/ports/node.ts';

/** A clock that differs by more is wrong. Well above CLOCK_OFFSET_MAX_MS, so that a slow correction does not stop a node. */
const WRONG_MS = 5 * SECOND;

/**
 * Whether the clock of a node is wrong: it differs by more than five seconds from the database, and from more than half of the other
 * clocks (the database and the other nodes), and at least one other node agrees with the database. This other node never considers its
 * own clock wrong, so a wrong clock of the database, or of most nodes, never stops the whole cluster.
 */
export function isClockWrong({ otherOffsetsMs, ...own }: ClockComparison): boolean {
  const others = [0, ...otherOffsetsMs];
  const differing = others.filter((other) =>
    differsBy({ ...own, offsetMs: own.offsetMs - other }, WRONG_MS),
  ).length;
  const isDatabaseConfirmed = otherOffsetsMs.some((other) => Math.abs(other) <= WRONG_MS);
  return differsFromDatabase(own) && differing > others.length / 2 && isDatabaseConfirmed;
}

/** @returns whether the clock of the node and that of the database differ by more than five seconds, so at least one of them is wrong */
export function differsFromDatabase(own: Omit<ClockComparison, 'otherOffsetsMs'>): boolean {
  return differsBy(own, WRONG_MS);
}
