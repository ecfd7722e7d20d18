import { createServer } from 'node:net';
import { PATIENCE_MS } from './patience.ts';

/** A server in a process of its own. */
export type RunningBinary = {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to the first 200 of `/readyz`. */
  readonly startMs: number;
  /** What it wrote to standard output and error so far. */
  readonly output: () => string;
  /** Sends a signal and waits for the end. @returns the exit code, or the signal's name */
  readonly end: (signal: NodeJS.Signals) => Promise<number | string>;
  /** SIGKILL. */
  readonly kill: () => Promise<void>;
};

const running = new Set<{
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<number>;
}>();

/** Ends every server that still runs: a test that failed half-way must not leave one behind. */
export async function killLeftovers(): Promise<void> {
  const left = [...running];
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(left.map((child) => child.exited));
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/**
 * Starts `command serve` on a free port, with no environment but what is given, and waits until it serves.
 *
 * @param command the binary, or what runs the sources
 * @throws where it ends or does not serve within PATIENCE_MS, with its output
 */
export async function startBinary(
  command: string | readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<RunningBinary> {
  const port = await freePort();
  const words = typeof command === 'string' ? [command] : command;
  const startedAt = performance.now();
  const child = Bun.spawn([...words, 'serve'], {
    env: { PATH: process.env.PATH ?? '', POSTERN_PORT: String(port), ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  let output = '';
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  };
  void collect(child.stdout);
  void collect(child.stderr);
  const scheme = settings.POSTERN_TLS_CERT === undefined ? 'http' : 'https';
  const url = `${scheme}://127.0.0.1:${port}`;
  await waitUntilReady(
    url,
    () => child.exitCode !== null || child.signalCode !== null,
    () => output,
  );
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await child.exited;
    return child.signalCode ?? child.exitCode ?? 0;
  };
  return {
    url,
    pid: child.pid,
    startMs: performance.now() - startedAt,
    output: () => output,
    end,
    kill: async () => {
      await end('SIGKILL');
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
