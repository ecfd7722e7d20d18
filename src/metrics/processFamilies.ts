import { readdir, readFile } from 'node:fs/promises';
import type { HistogramReading } from '../lib/counters.ts';
import { type Family, single } from './family.ts';

export type ProcessSources = {
  readonly version: string;
  /** The delays of events by thread. */
  readonly lags: () => ReadonlyMap<string, HistogramReading>;
};

/** @returns the metrics of the process. The names that start with `process_` are common to most programs. */
export function createProcessFamilies({ version, lags }: ProcessSources): readonly Family[] {
  return [
    {
      name: 'postern_build_info',
      help: 'Version of the server and of its runtime; the value is always 1.',
      type: 'gauge',
      labels: ['version', 'bun_version'],
      read: () => [{ labels: { version, bun_version: Bun.version }, value: 1 }],
    },
    {
      name: 'postern_event_loop_lag_seconds',
      help: 'Delay of a timer that fires ten times per second, by thread.',
      type: 'histogram',
      labels: ['thread'],
      read: () => [...lags()].map(([thread, histogram]) => ({ labels: { thread }, histogram })),
    },
    ...createUseFamilies(),
    ...createFileFamilies(),
  ];
}

function createUseFamilies(): readonly Family[] {
  const startedAt = Date.now() / 1000 - process.uptime();
  return [
    {
      name: 'process_cpu_seconds_total',
      help: 'Total user and system CPU time spent in seconds.',
      type: 'counter',
      labels: [],
      read() {
        const { user, system } = process.cpuUsage();
        return single((user + system) / 1e6);
      },
    },
    {
      name: 'process_start_time_seconds',
      help: 'Start time of the process since unix epoch in seconds.',
      type: 'gauge',
      labels: [],
      read: () => single(startedAt),
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory size in bytes.',
      type: 'gauge',
      labels: [],
      read: () => single(process.memoryUsage.rss()),
    },
    {
      name: 'process_virtual_memory_bytes',
      help: 'Virtual memory size in bytes.',
      type: 'gauge',
      labels: [],
      read: async () => single(kilobytesIn(await fromProc('status'), 'VmSize')),
    },
  ];
}

function createFileFamilies(): readonly Family[] {
  return [
    {
      name: 'process_open_fds',
      help: 'Number of open file descriptors.',
      type: 'gauge',
      labels: [],
      read: async () => single(await countOpenFiles()),
    },
    {
      name: 'process_max_fds',
      help: 'Maximum number of open file descriptors.',
      type: 'gauge',
      labels: [],
      async read() {
        const limit = /^Max open files +(\d+)/m.exec((await fromProc('limits')) ?? '')?.[1];
        return single(limit === undefined ? undefined : Number(limit));
      },
    },
  ];
}

/** @returns a file of this process in `/proc` (proc(5)); undefined on systems other than Linux */
async function fromProc(name: 'status' | 'limits'): Promise<string | undefined> {
  try {
    return await readFile(`/proc/self/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

function kilobytesIn(status: string | undefined, field: string): number | undefined {
  const name = `${field}:`;
  const line = status?.split('\n').find((candidate) => candidate.startsWith(name));
  return line === undefined ? undefined : Number.parseInt(line.slice(name.length), 10) * 1024;
}

async function countOpenFiles(): Promise<number | undefined> {
  try {
    // Without the descriptor of the folder itself.
    return (await readdir('/proc/self/fd')).length - 1;
  } catch {
    return undefined;
  }
}
