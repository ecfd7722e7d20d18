import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { repeat } from './targets.ts';

/** Faults that need only the process of a server. Each function returns a function that ends the fault. */

/** Delays system calls of a process or, if `id` is that of a thread, of this thread only. @param options of strace(1) */
export function delayCalls(
  id: number,
  calls: string,
  microseconds: number,
  ...options: readonly string[]
): () => void {
  const words = ['-e', `trace=${calls}`, '-e', `inject=${calls}:delay_enter=${microseconds}`];
  // A separate session, so that a signal to the process group of this process does not end it.
  const command = ['setsid', 'strace', '-o', '/dev/null', ...options, '-p', String(id), ...words];
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' });
  return () => child.kill('SIGKILL');
}

/** How often the worker threads of a process wait voluntarily, by id (proc_pid_status(5)). */
function countWaits(pid: number): ReadonlyMap<string, number> {
  const statuses = readdirSync(`/proc/${pid}/task`).map(
    (task) => [task, readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8')] as const,
  );
  const workers = statuses.filter(([, status]) => status.startsWith('Name:\tWorker\n'));
  const pattern = /^voluntary_ctxt_switches:\s+(\d+)$/m;
  return new Map(workers.map(([task, status]) => [task, Number(pattern.exec(status)?.[1])]));
}

/** Blocks the worker thread that waits most often: a request thread, which measures its delay ten times per second. */
export async function blockRequestThread(pid: number): Promise<() => void> {
  const before = countWaits(pid);
  await Bun.sleep(5000);
  const increases = [...countWaits(pid)].map(([task, waits]) => ({
    task,
    by: waits - (before.get(task) ?? 0),
  }));
  const [busiest] = increases.toSorted((a, b) => b.by - a.by);
  return delayCalls(Number(busiest?.task), 'epoll_wait,epoll_pwait,epoll_pwait2', 3_600_000_000);
}

/** Holds connections open with a request every few seconds, so that the server does not close them. */
export function holdConnections(url: string, count: number): () => void {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on('error', () => {}).resume();
  const request = `GET /livez HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
  const stop = repeat(5000, async () => {
    for (const socket of sockets) socket.write(request);
  });
  return () => {
    stop();
    for (const socket of sockets) socket.destroy();
  };
}

/** Freezes a process for 0.3 s of every 0.8 s. */
export function stutter(pid: number): () => void {
  return repeat(800, async () => {
    process.kill(pid, 'SIGSTOP');
    await Bun.sleep(300);
    process.kill(pid, 'SIGCONT');
  });
}

/** A name server that never answers. */
export async function startSilentDns(): Promise<{ readonly address: string; readonly stop: () => void }> {
  const socket = await Bun.udpSocket({ hostname: '127.0.0.1' });
  return { address: `127.0.0.1:${socket.port}`, stop: () => socket.close() };
}
