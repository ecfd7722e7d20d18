import type { Cleanup } from '../bench/harness/cleanup.ts';
import type { BenchServer } from '../bench/harness/lab.ts';
import { freePort } from '../support/binary.ts';

/** A running server of a product. */
export type Server = Pick<BenchServer, 'url' | 'pid' | 'startMs' | 'kill' | 'secret'> & {
  /** Payloads that were sent to this server. */
  sent: number;
};

const PATIENCE_MS = 60_000;
const POLL_MS = 5;

/**
 * Starts a program that listens on the port in `PORT`, and waits until it issues a challenge.
 *
 * @param issue of the request for a challenge
 * @throws with the output of the program, if it exits or does not respond
 */
export async function startProgram(
  command: readonly string[],
  cwd: string,
  issue: { readonly path: string; readonly method: string },
  { defer }: Pick<Cleanup, 'defer'>,
): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const env = { PATH: process.env.PATH ?? '', PORT: String(port), HOME: cwd };
  const child = Bun.spawn([...command], { cwd, env, stdout: 'ignore', stderr: 'pipe' });
  const errors = new Response(child.stderr).text();
  const kill = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  defer(kill);
  while (performance.now() - startedAt < PATIENCE_MS) {
    const response = await fetch(url + issue.path, { method: issue.method }).catch(() => undefined);
    if (response?.ok) {
      const startMs = performance.now() - startedAt;
      return { url, pid: child.pid, startMs, kill, secret: '', sent: 0 };
    }
    if (child.exitCode !== null) break;
    await Bun.sleep(POLL_MS);
  }
  await kill();
  throw new Error(`${command.join(' ')} did not start: ${await errors}`);
}
