/**
 * `bun test/soak/livez.ts URL`: requests `/livez` and, alternately, a bare server, about 40 times per second each, on keep-alive
 * connections. After every line of standard input, prints the latencies since the last line as JSON and starts over.
 */
import { createKeepAliveClient, type KeepAliveClient } from '../support/keepAlive.ts';

const PAUSE_MS = 12;

/** Latencies in milliseconds. */
export type Latencies = {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Responses other than 200. */
  readonly failed: number;
};

/** `bare` is a server that does nothing, in the process that measures: its latencies show how long this process waits for a core. */
export type Probed = { readonly livez: Latencies; readonly bare: Latencies };

function createProbe(url: string) {
  const client: KeepAliveClient = createKeepAliveClient(url);
  let times: number[] = [];
  let failed = 0;
  return {
    async send(): Promise<void> {
      const startedAt = performance.now();
      const exchange = await client.send('GET /livez', '', {});
      times.push(performance.now() - startedAt);
      if (exchange.kind !== 'response' || exchange.status !== 200) failed++;
    },
    take(): Latencies {
      const sorted = times.toSorted((a, b) => a - b);
      const at = (share: number) => Number((sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1));
      const taken = { requests: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1), failed };
      times = [];
      failed = 0;
      return taken;
    },
  };
}

if (import.meta.main) {
  const bareServer = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') });
  const livez = createProbe(process.argv[2] ?? '');
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
