/**
 * The baseline: a bare `Bun.serve` that always responds with `hello world`. Prints its port.
 *
 * Usage: `baseline.ts [MICROSECONDS [FOLDER [LOG_MICROSECONDS]]]`. MICROSECONDS is the computation per request on the main thread, 0 by
 * default. With FOLDER, the server reads the body of each request, and a log thread (`baselineLog.ts`) writes 16 bytes per request to
 * a file in FOLDER before the server responds. LOG_MICROSECONDS is the computation per request on the log thread, 0 by default.
 */
import type { LogMessage } from './baselineLog.ts';
import { createComputation } from './computation.ts';

const [microseconds = '0', folder, logMicroseconds = '0'] = process.argv.slice(2);

/**
 * Starts the log thread.
 *
 * @returns a function that returns a promise, which resolves when the request is stored. Requests that arrive in the same iteration of the
 *   event loop share one message
 */
async function openLog(inFolder: string): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('./baselineLog.ts', import.meta.url), { smol: true });
  worker.onerror = ({ message }) => {
    process.stderr.write(`the log thread failed: ${message}\n`);
    process.exit(1);
  };
  const send = (message: LogMessage) => worker.postMessage(message);
  let gathering: (() => void)[] = [];
  const sent: (() => void)[][] = [];
  await new Promise<void>((resolve) => {
    worker.onmessage = () => resolve();
    send({ folder: inFolder, microseconds: Number(logMicroseconds) });
  });
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
const store = folder === undefined ? undefined : await openLog(folder);

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
