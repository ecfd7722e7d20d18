/** What a database server reports about itself. */
export type ServerState = {
  /** The host and the port, as in the URL. */
  readonly name: string;
  /** Why the server did not answer; undefined if it did. */
  readonly failure: string | undefined;
  readonly isWritable: boolean;
  /** The system identifier, which a primary and its standbys share; undefined if the role may not read it. */
  readonly system: string | undefined;
  /**
   * Increases with each promotion (PostgreSQL 15 documentation, section 26.3.5). Undefined for standbys, and for servers that do not
   * report it, such as some managed services.
   */
  readonly timeline: number | undefined;
};

/** Why none of the servers that accept writes may be used. */
export type Conflict = 'not-copies' | 'same-timeline';

/** @returns undefined if it is clear which of the servers is the primary */
export function findConflict(writable: readonly ServerState[]): Conflict | undefined {
  const systems = new Set(writable.flatMap(({ system }) => system ?? []));
  if (systems.size > 1) return 'not-copies';
  const newest = Math.max(...writable.map(({ timeline }) => timeline ?? 0));
  const candidates = writable.filter(({ timeline }) => (timeline ?? newest) === newest);
  return candidates.length > 1 ? 'same-timeline' : undefined;
}

/** @returns a sentence without a period */
export function describeConflict(conflict: Conflict, writable: readonly ServerState[]): string {
  const names = writable.map(describeServer).join(' and ');
  return conflict === 'not-copies'
    ? `${names} accept writes, but are not copies of each other`
    : `${names} accept writes, and it is unclear which of them is the primary`;
}

/** @returns the name of a server, and its timeline */
export function describeServer({ name, timeline }: Pick<ServerState, 'name' | 'timeline'>): string {
  return timeline === undefined ? name : `${name} (timeline ${timeline})`;
}
