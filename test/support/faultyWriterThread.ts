/** The writer thread with an additional message for tests: `{ sql }` runs on every database that the thread has open. */
import { Database } from 'bun:sqlite';
import '../../src/storage/sqlite/writer/writerThread.ts';

declare const self: Worker;

const opened = new Set<Database>();
const { run, close } = Database.prototype;

Database.prototype.run = function remember(this: Database, ...given: Parameters<typeof run>) {
  opened.add(this);
  return run.apply(this, given);
} as typeof run;
Database.prototype.close = function forget(this: Database, ...given: Parameters<typeof close>) {
  opened.delete(this);
  return close.apply(this, given);
};

const handle = self.onmessage;
self.onmessage = (event: MessageEvent<{ readonly sql?: string }>) => {
  const { sql } = event.data;
  if (sql === undefined) handle?.call(self, event);
  else for (const database of opened) run.call(database, sql);
};
