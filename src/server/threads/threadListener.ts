import type { Fetch } from '../../http/dispatcher.ts';
import type { ListenOptions } from './methods.ts';

/** The listener of a request thread. */
export type ThreadListener = {
  /** The remote address of a request's connection; undefined if it is closed. */
  readonly peerOf: (request: Request) => string | undefined;
  /**
   * Starts to listen, and then stops the previous listener, which finishes its requests.
   *
   * @throws if the port is in use by another process
   */
  readonly listen: (options: ListenOptions, fetch: Fetch) => void;
  /** Stops accepting connections. Resolves when the last request is finished. */
  readonly stop: () => Promise<void>;
};

/** @see ThreadListener */
export function createThreadListener(): ThreadListener {
  let server: Bun.Server<undefined> | undefined;
  /** The listeners with earlier certificates, which finish their requests. */
  const retired: Promise<void>[] = [];
  return {
    peerOf: (request) => server?.requestIP(request)?.address,
    listen({ tls, ...options }, fetch) {
      const previous = server;
      // The new listener starts first, so that the kernel rejects no connection in the meantime.
      server = Bun.serve({ ...options, ...(tls ? { tls } : {}), development: false, reusePort: true, fetch });
      if (previous !== undefined) retired.push(previous.stop());
    },
    async stop() {
      await Promise.all([server?.stop(), ...retired]);
    },
  };
}
