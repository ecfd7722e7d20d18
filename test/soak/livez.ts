/**
 * `bun test/soak/livez.ts URL PID`: requests `/livez` and, alternately, a bare server, about 40 times per second each, on keep-alive
 * connections. After every line of standard input, prints the latencies since the last line as JSON and starts over. At
 * the start, while the server must have nothing else to do, finds and prints the number of threads that take part in a request.
 */
import { openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { createKeepAliveClient, type KeepAliveClient } from '../support/keepAlive.ts';

const PAUSE_MS = 12;

/** Latencies in milliseconds. */
export type Latencies = {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The longest time of a request during which no thread that takes part in it was waiting for a core; equal to `max` for the bare server. */
  readonly ownMax: number;
  /** Responses other than 200. */
  readonly failed: number;
};

/** `bare` is a server that does nothing, in the process that measures: its latencies show how long this process waits for a core. */
export type Probed = { readonly livez: Latencies; readonly bare: Latencies };

/** A thread of another process. @see https://man7.org/linux/man-pages/man5/proc.5.html, `schedstat` */
type Thread = {
  /** How long the thread has waited for a core so far, in milliseconds. */
  readonly waitedMs: () => number;
  /** How often it has run on a core so far. */
  readonly runs: () => number;
};

function openThread(pid: string, id: string): Thread {
  const file = openSync(`/proc/${pid}/task/${id}/schedstat`, 'r');
  const buffer = Buffer.alloc(128);
  const read = (column: number) => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ')[column]);
  };
  return { waitedMs: () => read(1) / 1e6, runs: () => read(2) };
}

/** Requests that find the thread of the connection, while the server has nothing else to do. */
const CALIBRATION = 200;

/**
 * Finds the threads that take part in the requests of a connection: the main thread, and the request thread, if there is one, which runs
 * at least once for each request.
 *
 * @param send sends one request on the connection
 */
async function findThreads(pid: string, send: () => Promise<unknown>): Promise<readonly Thread[]> {
  await send();
  const others = readdirSync(`/proc/${pid}/task`)
    .filter((id) => id !== pid && readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim() === 'Worker')
    .map((id) => openThread(pid, id))
    .map((thread) => ({ thread, before: thread.runs() }));
  for (let i = 0; i < CALIBRATION; i++) await send();
  const took = others.filter(({ thread, before }) => thread.runs() - before >= CALIBRATION);
  return [openThread(pid, pid), ...took.map(({ thread }) => thread)];
}

function createProbe(url: string) {
  const client: KeepAliveClient = createKeepAliveClient(url);
  const request = () => client.send('GET /livez', '', {});
  let threads: readonly Thread[] = [];
  const waitedMs = () => threads.reduce((sum, thread) => sum + thread.waitedMs(), 0);
  let times: number[] = [];
  let ownMax = 0;
  let failed = 0;
  return {
    /** Excludes the time that the threads of a process wait for a core from `ownMax`. Resolves to the number of threads. */
    async observe(pid: string): Promise<number> {
      threads = await findThreads(pid, request);
      return threads.length;
    },
    async send(): Promise<void> {
      const [startedAt, waitedBefore] = [performance.now(), waitedMs()];
      const exchange = await request();
      const [ms, waited] = [performance.now() - startedAt, waitedMs() - waitedBefore];
      times.push(ms);
      ownMax = Math.max(ownMax, ms - waited);
      if (exchange.kind !== 'response' || exchange.status !== 200) failed++;
    },
    take(): Latencies {
      const sorted = times.toSorted((a, b) => a - b);
      const round = (ms: number) => Number(ms.toFixed(1));
      const at = (share: number) => round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
      const common = { requests: sorted.length, failed, ownMax: round(ownMax) };
      const taken = { ...common, p50: at(0.5), p99: at(0.99), max: at(1) };
      times = [];
      ownMax = 0;
      failed = 0;
      return taken;
    },
  };
}

if (import.meta.main) {
  const bareServer = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') });
  const [url = '', pid = ''] = process.argv.slice(2);
  const livez = createProbe(url);
  const threads = await livez.observe(pid);
  const bare = createProbe(`http://127.0.0.1:${bareServer.port}`);
  console.log(JSON.stringify({ threads }));
  void (async () => {
    for (;;) {
      await livez.send();
      await Bun.sleep(PAUSE_MS);
      await bare.send();
      await Bun.sleep(PAUSE_MS);
    }
  })();
  for await (const _ of Bun.stdin.stream())
    console.log(JSON.stringify({ livez: livez.take(), bare: bare.take() }));
  process.exit(0);
}
