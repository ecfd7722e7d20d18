import { readFileSync } from 'node:fs';

/** @returns the resident memory of a process in MB (Linux only) */
export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no resident memory`);
  return (Number(kilobytes) * 1024) / 1e6;
}
