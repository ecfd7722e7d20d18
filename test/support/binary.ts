import { createServer } from 'node:net';
import { PATIENCE_MS, waitUntil } from './waitUntil.ts';

/** A server in its own process. */
export type RunningBinary = {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to the first 200 of `/readyz`. */
  readonly startMs: number;
  /** The standard output and standard error so far. */
  readonly output: () => string;
  /** Whether the process has exited. */
  readonly hasEnded: () => boolean;
  /** Sends a signal and waits until the process exits. @returns the exit code, or the name of the signal that killed it */
  readonly end: (signal: NodeJS.Signals) => Promise<number | string>;
  /** SIGKILL. */
  readonly kill: () => Promise<void>;
};

const running = new Set<{
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<number>;
}>();

/** Kills all servers that are still running, for example after a failed test. */
export async function killLeftovers(): Promise<void> {
  const left = [...running];
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(left.map((child) => child.exited));
}

/** Below the ranges from which Linux (32768) and other systems assign ports to connections and to servers that ask for any port. */
const PORTS = { first: 10_000, last: 32_000 };

/** @returns a port that was free a moment ago and that the system does not assign to other programs in the meantime */
export async function freePort(): Promise<number> {
  const port = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first));
  return probePort(port).catch(freePort);
}

/** @throws if the port is not free */
function probePort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}

/** A process of `command serve`, which may not be ready yet. */
export type ServerProcess = Pick<RunningBinary, 'pid' | 'output' | 'end' | 'hasEnded'> & {
  /** Resolves to the exit code. */
  readonly exited: Promise<number>;
};

/** The number of request threads of all servers, for runs of other tests with several threads; undefined for the default. */
const THREADS = process.env.TEST_THREADS;

/** Starts `command serve`. @param settings the environment, besides `PATH` */
export function spawnServer(
  command: string | readonly string[],
  settings: Readonly<Record<string, string>>,
): ServerProcess {
  const program = typeof command === 'string' ? [command] : command;
  const child = Bun.spawn([...program, 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      ...(THREADS === undefined ? {} : { POSTERN_THREADS: THREADS }),
      ...settings,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  let output = '';
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  };
  const collected = [collect(child.stdout), collect(child.stderr)];
  return {
    pid: child.pid,
    output: () => output,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    exited: Promise.all([child.exited, ...collected]).then(([code]) => code),
    async end(signal) {
      child.kill(signal);
      await child.exited;
      return child.signalCode ?? child.exitCode ?? 0;
    },
  };
}

/**
 * Starts `command serve` on a free port and waits until it is ready.
 *
 * @param command the executable, or the command that runs the sources
 * @param settings the environment, besides `PATH`. With `POSTERN_PORT`, the server uses this port
 * @throws with the output of the server, if it exits or is not ready within PATIENCE_MS
 */
export async function startBinary(
  command: string | readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<RunningBinary> {
  const port = settings.POSTERN_PORT ?? String(await freePort());
  const startedAt = performance.now();
  const server = spawnServer(command, { ...settings, POSTERN_PORT: port });
  const scheme = settings.POSTERN_TLS_CERT === undefined ? 'http' : 'https';
  const url = `${scheme}://127.0.0.1:${port}`;
  await waitUntilReady(url, server.hasEnded, server.output);
  const startMs = performance.now() - startedAt;
  // Several threads listen before the server prints its address. If another program has taken the port, only that program is ready.
  const isPrinted = () => /^(?:Setup link|Portal): /m.test(server.output());
  await waitUntil('the address is printed', () => server.hasEnded() || isPrinted());
  if (!isPrinted()) throw new Error(`the server ended: ${server.output()}`);
  return {
    url,
    ...server,
    startMs,
    kill: async () => {
      await server.end('SIGKILL');
    },
  };
}

async function waitUntilReady(url: string, hasEnded: () => boolean, output: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    try {
      const response = await fetch(`${url}/readyz`, { tls: { rejectUnauthorized: false } });
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    if (hasEnded()) break;
    await Bun.sleep(5);
  }
  throw new Error(`the server did not become ready: ${output()}`);
}
