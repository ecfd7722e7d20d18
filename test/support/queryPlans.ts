import type { MainDatabase } from '../../src/storage/sqlite/open.ts';

/** Collects the statements that are prepared after the call. */
export function collectStatements({ raw }: MainDatabase): string[] {
  const statements: string[] = [];
  for (const name of ['prepare', 'query'] as const) {
    const prepare = raw[name].bind(raw);
    raw[name] = ((text: string, ...rest: []) => {
      statements.push(text);
      return prepare(text, ...rest);
    }) as never;
  }
  return statements;
}

/** Returns SQLite's plan for a statement. */
export function planOf({ raw }: MainDatabase, statement: string): string {
  const rows = raw.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`).all();
  return rows.map(({ detail }) => detail).join('\n');
}
