import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../../support/postgres.ts';
import { cpuMicroseconds } from '../clients/wrk.ts';

/**
 * @returns the processor time of all processes of a server, in microseconds; the main process counts those that have ended
 *   (proc_pid_stat(5))
 */
export function databaseCpu({ folder }: Pick<PostgresServer, 'folder'>): number {
  const main = Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  const fields = readFileSync(`/proc/${main}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ended = (Number(fields[13]) + Number(fields[14])) * 10_000;
  const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return [main, ...children].reduce((sum, pid) => sum + cpuIfRunning(pid), ended);
}

/** @returns 0 for a process that has just ended, which the next reading counts */
function cpuIfRunning(pid: number): number {
  try {
    return cpuMicroseconds(pid);
  } catch {
    return 0;
  }
}
