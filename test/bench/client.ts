import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The client, wrk with one thread, and what it measures. */

const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CONNECTIONS = 32;

export type Figure = {
  readonly rate: number;
  /** Milliseconds, as wrk tells them; NaN where it could not. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Processor time of the server, all threads, in microseconds a request: steadier than the rate on a busy machine. */
  readonly cpu: number;
};

export type Target = { readonly url: string; readonly pid: number };

export type Load = {
  readonly path: string;
  readonly script: string;
  /** For the script. */
  readonly env?: Readonly<Record<string, string>>;
  /** Statuses other than 2xx are what is wanted. */
  readonly isRefused?: boolean;
};

/** One window. @throws where an answer was not what was wanted */
export function measure(target: Target, { path, script, env = {}, isRefused = false }: Load): Figure {
  const before = cpuMicroseconds(target.pid);
  const args = ['--latency', '-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s'];
  const words = ['wrk', ...args, join(import.meta.dir, script), target.url + path];
  const { stdout, exitCode } = Bun.spawnSync(words, { env: { ...process.env, ...env } });
  const text = stdout.toString();
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  const refused = Number(found(/Non-2xx or 3xx responses: (\d+)/));
  const requests = Number(found(/(\d+) requests in/));
  const isAsWanted = refused === 0 || (isRefused && refused === requests);
  if (exitCode !== 0 || /Socket errors/.test(text) || !isAsWanted) {
    throw new Error(`not every request was answered as it should be:\n${text}`);
  }
  return {
    rate: Number(found(/Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(found(/50%\s+(\S+)/)),
    p99: milliseconds(found(/99%\s+(\S+)/)),
    requests,
    cpu: (cpuMicroseconds(target.pid) - before) / requests,
  };
}

/** User and system time so far; the kernel counts in hundredths of a second (proc(5)). */
function cpuMicroseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function milliseconds(text: string): number {
  const value = Number.parseFloat(text);
  if (text.endsWith('us')) return value / 1000;
  return text.endsWith('ms') ? value : value * 1000;
}

export function median(values: readonly number[]): number {
  // Now and then wrk tells a percentile as not a number.
  const told = values.filter(Number.isFinite).sort((a, b) => a - b);
  return told[Math.floor(told.length / 2)] ?? Number.NaN;
}

export type Pair = { readonly theirs: Figure; readonly ours: Figure };

/** Medians of the windows, and the median of their ratios. */
export function report(yardstick: string, name: string, pairs: readonly Pair[]): void {
  line(
    yardstick,
    pairs.map((pair) => pair.theirs),
  );
  line(
    name,
    pairs.map((pair) => pair.ours),
  );
  const shown = (key: 'rate' | 'cpu') => {
    const ratios = pairs.map(({ theirs, ours }) => ours[key] / theirs[key]);
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    return `${median(ratios).toFixed(2)} (windows ${low} to ${high})`;
  };
  console.log(`${''.padEnd(34)} ratio ${shown('rate')}, of processor time ${shown('cpu')}\n`);
}

function line(name: string, figures: readonly Figure[]): void {
  const of = (key: keyof Figure) => median(figures.map((figure) => figure[key]));
  const shown = [
    `${of('rate').toFixed(0).padStart(8)} requests/s`,
    `p50 ${of('p50').toFixed(2)} ms`,
    `p99 ${of('p99').toFixed(2)} ms`,
    `cpu ${of('cpu').toFixed(1)} µs a request`,
  ];
  console.log(`${name.padEnd(34)} ${shown.join('   ')}`);
}

/** Of the whole process. */
export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
