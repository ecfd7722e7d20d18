import { type Arena, OWN_MEMORY } from './arena.ts';

/** Counts of events by kind. */
export type Counters<Kind extends string> = {
  readonly add: (kind: Kind, count?: number) => void;
  /** All kinds in the order of their declaration, including those without events. */
  readonly read: () => ReadonlyMap<Kind, number>;
};

/** @param kinds all kinds; their number bounds the memory */
export function createCounters<const Kind extends string>(
  kinds: readonly Kind[],
  { take }: Arena = OWN_MEMORY,
): Counters<Kind> {
  const counts = take(kinds.length);
  return {
    add(kind, count = 1) {
      const at = kinds.indexOf(kind);
      counts[at] = (counts[at] as number) + count;
    },
    read: () => new Map(kinds.map((kind, at) => [kind, counts[at] as number])),
  };
}

/** @returns the sums of counters with the same kinds */
export function sumCounts<Kind extends string | number>(
  readings: readonly ReadonlyMap<Kind, number>[],
): ReadonlyMap<Kind, number> {
  const sums = new Map<Kind, number>();
  for (const reading of readings)
    for (const [kind, count] of reading) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return sums;
}
