/**
 * The baseline: a bare `Bun.serve` that always responds with `hello world`. Prints its port.
 *
 * Arguments: microseconds of computation for each request, 0 by default; and optionally a folder, and microseconds of computation for each
 * request on another thread. With a folder, the server reads the body of each request, and that thread stores the request before the
 * server responds (`baselineLog.ts`).
 */
import type { LogMessage } from './baselineLog.ts';
import { createComputation } from './computation.ts';

const [microseconds = '0', folder, logMicroseconds = '0'] = process.argv.slice(2);

/** @returns a function that resolves when the request is stored. All requests of an iteration of the event loop share a message. */
function openLog(inFolder: string): () => Promise<void> {
  const worker = new Worker(new URL('./baselineLog.ts', import.meta.url), { smol: true });
  const send = (message: LogMessage) => worker.postMessage(message);
  send({ folder: inFolder, microseconds: Number(logMicroseconds) });
  let gathering: (() => void)[] = [];
  const sent: (() => void)[][] = [];
  worker.onmessage = ({ data }: MessageEvent<number>) => {
    for (const group of sent.splice(0, data)) for (const resolve of group) resolve();
  };
  function flush(): void {
    send({ requests: gathering.length });
    sent.push(gathering);
    gathering = [];
  }
  return () =>
    new Promise((resolve) => {
      gathering.push(resolve);
      if (gathering.length === 1) setImmediate(flush);
    });
}

const compute = createComputation(Number(microseconds));
const store = folder === undefined ? undefined : openLog(folder);

async function storeAndRespond(request: Request, stored: () => Promise<void>): Promise<Response> {
  await request.text();
  compute(1);
  await stored();
  return new Response('hello world');
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    if (store !== undefined) return storeAndRespond(request, store);
    compute(1);
    return new Response('hello world');
  },
});
console.log(server.port);
