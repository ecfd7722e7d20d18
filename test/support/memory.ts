import { existsSync, readFileSync } from 'node:fs';

/** @returns the resident memory of a process in MB (Linux only) @throws if it has ended */
export function residentMb(pid: number): number {
  const megabytes = residentMbIfRunning(pid);
  if (megabytes === 0) throw new Error(`process ${pid} has no resident memory`);
  return megabytes;
}

/** @returns the resident memory of a process in MB (Linux only); 0 if it has ended, whether it was waited for or not */
export function residentMbIfRunning(pid: number): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return (Number(kilobytes ?? 0) * 1024) / 1e6;
}
