/** Counts of events by kind. */
export type Counters<Kind extends string> = {
  readonly add: (kind: Kind, count?: number) => void;
  /** All kinds in the order of their declaration, including those without events. */
  readonly read: () => ReadonlyMap<Kind, number>;
};

/** @param kinds all kinds; their number bounds the memory */
export function createCounters<const Kind extends string>(kinds: readonly Kind[]): Counters<Kind> {
  const counts = new Map<Kind, number>(kinds.map((kind) => [kind, 0]));
  return {
    add: (kind, count = 1) => void counts.set(kind, (counts.get(kind) ?? 0) + count),
    read: () => counts,
  };
}
