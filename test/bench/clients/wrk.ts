import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../harness/row.ts';

/** Runs wrk with one thread and reports its measurements. */

const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CONNECTIONS = 32;

export type Measurement = {
  readonly rate: number;
  /** Milliseconds; NaN if wrk reports no number. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Processor time of all server threads in microseconds per request. Varies less than the rate on a busy machine. */
  readonly cpu: number;
  /** Processor time of the main thread, in the same unit. */
  readonly mainCpu: number;
};

export type Target = { readonly url: string; readonly pid: number };

export type Load = {
  readonly path: string;
  readonly script: string;
  /** Environment variables of the script. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: 32. */
  readonly connections?: number;
  /** Whole seconds. Default: 2, or the environment variable BENCH_SECONDS. */
  readonly seconds?: number;
  /** Whether all responses must have a status other than 2xx. */
  readonly expectsErrors?: boolean;
};

/** Measures one window. @throws if a response is not as expected */
export async function measure(target: Target, load: Load): Promise<Measurement> {
  const before = cpuTimes(target.pid);
  const child = Bun.spawn(commandOf(target, load), { env: environmentOf(load), stdout: 'pipe' });
  const text = await new Response(child.stdout).text();
  const exitCode = await child.exited;
  const after = cpuTimes(target.pid);
  return toMeasurement(text, exitCode, load, { all: after.all - before.all, main: after.main - before.main });
}

/** Measures one window of each server at the same time. @throws if a response is not as expected */
export function measureTogether(targets: readonly Target[], loads: readonly Load[]): Promise<Measurement[]> {
  return Promise.all(targets.map((target, i) => measure(target, loads[i] as Load)));
}

function commandOf(target: Target, { path, script, connections = CONNECTIONS, seconds = SECONDS }: Load) {
  const args = ['--latency', '--timeout', '30s', '-t1', `-c${connections}`, `-d${seconds}s`, '-s'];
  return ['wrk', ...args, join(import.meta.dir, script), target.url + path];
}

function environmentOf({ env = {} }: Load) {
  return { ...process.env, ...env };
}

function toMeasurement(
  text: string,
  exitCode: number,
  { expectsErrors = false }: Load,
  cpu: ReturnType<typeof cpuTimes>,
): Measurement {
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  const errors = Number(found(/Non-2xx or 3xx responses: (\d+)/));
  const requests = Number(found(/(\d+) requests in/));
  const isExpected = errors === 0 || (expectsErrors && errors === requests);
  if (exitCode !== 0 || /Socket errors/.test(text) || !isExpected || requests === 0) {
    throw new Error(`unexpected responses:\n${text}`);
  }
  return {
    rate: Number(found(/Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(found(/50%\s+(\S+)/)),
    p99: milliseconds(found(/99%\s+(\S+)/)),
    requests,
    cpu: cpu.all / requests,
    mainCpu: cpu.main / requests,
  };
}

/** @returns user and system time of a process in microseconds */
export function cpuMicroseconds(pid: number): number {
  return microsecondsIn(`/proc/${pid}/stat`);
}

function cpuTimes(pid: number) {
  return { all: cpuMicroseconds(pid), main: microsecondsIn(`/proc/${pid}/task/${pid}/stat`) };
}

/** @returns user and system time in a `stat` file of /proc, in microseconds. The kernel counts in hundredths of a second (proc(5)). */
function microsecondsIn(file: string): number {
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function milliseconds(text: string): number {
  const value = Number.parseFloat(text);
  if (text.endsWith('us')) return value / 1000;
  return text.endsWith('ms') ? value : value * 1000;
}

export type Pair = { readonly baseline: Measurement; readonly server: Measurement };

/**
 * Measures two servers in alternating windows, whose order alternates too, after one pair for warming up.
 *
 * @param first measures a window of the server to compare with
 */
export async function alternate(
  windows: number,
  first: () => Promise<Measurement>,
  second: () => Promise<Measurement>,
): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (let window = -1; window < windows; window++) {
    if (window % 2 === 0) {
      const baseline = await first();
      pairs.push({ baseline, server: await second() });
    } else {
      const server = await second();
      pairs.push({ baseline: await first(), server });
    }
  }
  return pairs.slice(1);
}

/** Prints the medians of the windows, and the median of their ratios. */
export function report(baseline: string, name: string, pairs: readonly Pair[]): void {
  line(
    baseline,
    pairs.map((pair) => pair.baseline),
  );
  line(
    name,
    pairs.map((pair) => pair.server),
  );
  const summary = (key: 'rate' | 'cpu') => {
    const ratios = pairs.map((pair) => pair.server[key] / pair.baseline[key]);
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    return `${middle(ratios).toFixed(2)} (windows ${low} to ${high})`;
  };
  console.log(`${''.padEnd(34)} ratio ${summary('rate')}, of processor time ${summary('cpu')}\n`);
}

function line(name: string, measurements: readonly Measurement[]): void {
  const of = (key: keyof Measurement) => middle(measurements.map((measurement) => measurement[key]));
  const columns = [
    `${of('rate').toFixed(0).padStart(8)} requests/s`,
    `p50 ${of('p50').toFixed(2)} ms`,
    `p99 ${of('p99').toFixed(2)} ms`,
    `cpu ${of('cpu').toFixed(1)} µs per request`,
  ];
  console.log(`${name.padEnd(34)} ${columns.join('   ')}`);
}

/** wrk sometimes reports a percentile as `nan`. */
function middle(values: readonly number[]): number {
  return median(values.filter(Number.isFinite));
}
