import type { Fetch } from '../../src/http/dispatcher.ts';
import { serveForwarded } from '../../src/server/threads/forwarding/serveForwarded.ts';
import type { ForwardingThreadOptions } from './forwardingThread.ts';

/** A server whose requests arrive on another thread. */
export type ForwardedServer = {
  readonly port: number;
  /** The remote address of a request's connection. */
  readonly addressOf: (request: Request) => string | undefined;
  /** What failed on this thread. */
  readonly failures: readonly unknown[];
  /** Closes the port between the threads. */
  readonly disconnect: () => void;
  readonly stop: () => Promise<void>;
};

export type ForwardedServerOptions = Pick<ForwardingThreadOptions, 'hostname' | 'limit'> & {
  readonly handle: Fetch;
};

/** Starts a server on another thread, which forwards all requests to this thread. */
export async function startForwardedServer(options: ForwardedServerOptions): Promise<ForwardedServer> {
  const { handle, hostname, limit } = options;
  const addresses = new WeakMap<Request, string>();
  const failures: unknown[] = [];
  const { port1, port2 } = new MessageChannel();
  serveForwarded(port1, { handle, addresses, onFailure: (error) => failures.push(error) });
  const worker = new Worker(new URL('./forwardingThread.ts', import.meta.url).href, { smol: true });
  const closed = new Promise<void>((resolve) => worker.addEventListener('close', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }: { readonly data: number }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    const thread: ForwardingThreadOptions = { port: port2, hostname, limit };
    worker.postMessage(thread, [port2]);
  });
  return {
    port,
    addressOf: (request) => addresses.get(request),
    failures,
    disconnect: () => port1.close(),
    stop() {
      worker.terminate();
      return closed;
    },
  };
}
