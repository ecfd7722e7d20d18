/**
 * `bun test/soak/livez.ts URL PID`: requests `/livez` and, alternately, a bare server, about 40 times per second each, on keep-alive
 * connections. After every line of standard input, prints the latencies since the last line as JSON and starts over.
 */
import { openSync, readSync } from 'node:fs';
import { createKeepAliveClient, type KeepAliveClient } from '../support/keepAlive.ts';

const PAUSE_MS = 12;

/** Latencies in milliseconds. */
export type Latencies = {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The longest time of a request during which the server's main thread was not waiting for a core; equal to `max` for the bare server. */
  readonly ownMax: number;
  /** Responses other than 200. */
  readonly failed: number;
};

/** `bare` is a server that does nothing, in the process that measures: its latencies show how long this process waits for a core. */
export type Probed = { readonly livez: Latencies; readonly bare: Latencies };

/** Returns a function that reads how long the main thread of a process has waited for a core so far, in milliseconds (`proc(5)`, `schedstat`). */
function createWaitReader(pid: string): () => number {
  const file = openSync(`/proc/${pid}/task/${pid}/schedstat`, 'r');
  const buffer = Buffer.alloc(128);
  return () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  };
}

function createProbe(url: string, waitedMs: () => number = () => 0) {
  const client: KeepAliveClient = createKeepAliveClient(url);
  let times: number[] = [];
  let ownMax = 0;
  let failed = 0;
  return {
    async send(): Promise<void> {
      const [startedAt, waitedBefore] = [performance.now(), waitedMs()];
      const exchange = await client.send('GET /livez', '', {});
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
  const livez = createProbe(url, createWaitReader(pid));
  const bare = createProbe(`http://127.0.0.1:${bareServer.port}`);
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
