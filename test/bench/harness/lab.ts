import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../../build/build.ts';
import { SETTINGS } from '../../../src/settings.ts';
import type { RunningBinary } from '../../support/binary.ts';
import { prepare, type RepeatableKind, start } from '../installation.ts';
import type { Cleanup } from './cleanup.ts';
import { createPayloadFile, type PayloadFile } from './payloads.ts';

/** How long the benchmarks measure. */
export type Duration = {
  readonly windows: number;
  /** Whole seconds of a window. */
  readonly seconds: number;
  /** Whether the other durations are as short as possible; the results are then meaningless. */
  readonly isQuick: boolean;
};

/** A running server with its own copy of the prepared data folder. */
export type BenchServer = RunningBinary & {
  readonly port: number;
  readonly dataDir: string;
  readonly sitekey: string;
  /** The secret of an API key for `/verify`. */
  readonly secret: string;
  /** Number of payloads that were sent to this server. */
  sent: number;
};

export type BaselineOptions = {
  /** Computation per request on the main thread, in microseconds. Default: 0. */
  readonly microseconds?: number;
  /** Computation per request on a log thread, in microseconds. If present, this thread stores each request before the server responds. */
  readonly logMicroseconds?: number;
};

/** A running baseline. It is stopped when the part ends. */
export type Baseline = { readonly url: string; readonly pid: number; readonly stop: () => void };

/** What the parts of the benchmark share. */
export type Lab = {
  readonly duration: Duration;
  /** A temporary folder. */
  readonly folder: string;
  readonly binary: string;
  readonly payloads: PayloadFile;
  /** Solves puzzles of properties that allow repeats. The payloads of a kind have the same length. */
  readonly solveRepeatable: (kind: RepeatableKind, count: number) => Promise<readonly string[]>;
  /** Starts a server without stored claims and with the default number of request threads. It is killed when the part ends. */
  readonly startServer: (settings?: Readonly<Record<string, string>>) => Promise<BenchServer>;
  /** Starts the baseline: a bare `Bun.serve` that returns `hello world`. */
  readonly startBaseline: (options?: BaselineOptions) => Promise<Baseline>;
  readonly defer: Cleanup['defer'];
  /** Shows progress on standard error. */
  readonly progress: (text: string) => void;
};

/** What a window needs. */
export type Windows = Pick<Lab, 'duration' | 'payloads'>;

/** @returns the settings of a server with this number of request threads */
export function threadSettings(
  threads: number,
  isSupported = hasThreads(),
): Readonly<Record<string, string>> {
  return isSupported ? { POSTERN_THREADS: String(threads) } : {};
}

/** Whether this version has a setting for the number of request threads. */
export function hasThreads(): boolean {
  return SETTINGS.some(({ variable }) => String(variable) === 'POSTERN_THREADS');
}

/** Builds the executable if necessary, and prepares a data folder. @returns a function that creates the lab of a part */
export async function openLab(
  duration: Duration,
  cleanup: Cleanup,
  progress: Lab['progress'],
): Promise<(ofPart: Cleanup) => Lab> {
  install();
  const binary = buildIfStale();
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const template = join(folder, 'template');
  const { sitekey, secret, newPayload, solveRepeatable } = await prepare(template);
  const payloads = createPayloadFile(join(folder, 'payloads'), newPayload);
  let servers = 0;
  return ({ defer }) => ({
    duration,
    folder,
    binary,
    payloads,
    solveRepeatable,
    defer,
    progress,
    async startServer(settings = {}) {
      const dataDir = join(folder, `data${servers++}`);
      cpSync(template, dataDir, { recursive: true });
      defer(() => rmSync(dataDir, { recursive: true, force: true }));
      const server = await start(binary, dataDir, settings);
      defer(server.kill);
      return { ...server, port: Number(new URL(server.url).port), dataDir, sitekey, secret, sent: 0 };
    },
    async startBaseline({ microseconds = 0, logMicroseconds } = {}) {
      const log = logMicroseconds === undefined ? [] : [folder, String(logMicroseconds)];
      const program = join(import.meta.dir, '../baseline.ts');
      const command = [process.execPath, program, String(microseconds), ...log];
      const child = Bun.spawn(command, { stdout: 'pipe' });
      const stop = () => child.kill('SIGKILL');
      defer(stop);
      const { value } = await child.stdout.getReader().read();
      if (value === undefined) throw new Error('the baseline did not start');
      return { url: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`, pid: child.pid, stop };
    },
  });
}
