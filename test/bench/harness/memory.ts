import { readFileSync } from 'node:fs';

const MEGABYTE = 1e6;

export type Memory = {
  /** Resident memory in MB. */
  readonly rss: number;
  /** Proportional set size in MB: the size of a shared page is divided among the processes that share it. */
  readonly pss: number;
};

/** @returns the memory of a process with all its threads, in MB of a million bytes (proc_pid_smaps(5)) */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (key: string) => {
    const kilobytes = new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(text)?.[1];
    if (kilobytes === undefined) throw new Error(`process ${pid} has no ${key}`);
    return (Number(kilobytes) * 1024) / MEGABYTE;
  };
  return { rss: of('Rss'), pss: of('Pss') };
}
