import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../bench/harness/cleanup.ts';
import { memoryOf } from '../bench/harness/memory.ts';
import { startPostgres } from '../support/postgres.ts';

/** Starts PostgreSQL with its defaults, so that its commits are durable. */
export async function startDatabase({ defer }: Cleanup) {
  const server = await startPostgres({ isDurable: true });
  defer(server.remove);
  return {
    /** @returns the URL of a new database */
    create: async () => (await server.createDatabase()).url,
    /** The memory of all processes of PostgreSQL in MB; shared memory counts once (proportional set size). */
    memory(): number {
      const [main] = readFileSync(join(server.folder, 'data/postmaster.pid'), 'utf8').split('\n').map(Number);
      if (main === undefined) throw new Error('PostgreSQL is not running');
      const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8');
      const processes = [main, ...children.split(' ').filter(Boolean).map(Number)];
      return processes.reduce((sum, pid) => sum + pssOf(pid), 0);
    },
  };
}

/** @returns 0 for a process that has just ended */
function pssOf(pid: number): number {
  try {
    return memoryOf(pid).pss;
  } catch {
    return 0;
  }
}
