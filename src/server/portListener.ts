import type { Fetch } from '../http/dispatcher.ts';
import type { ListenOptions } from './threads/threadMethods.ts';

/**
 * Creates a listener whose certificate can be replaced. Bun cannot replace the certificate of a server, so a server with the new one starts
 * on the same port (`SO_REUSEPORT`). The caller checks that no other process listens on the port.
 */
export function createPortListener() {
  let server: Bun.Server<undefined> | undefined;
  /** Resolves when the servers with earlier certificates have finished their requests. */
  let retired: Promise<unknown> = Promise.resolve();
  return {
    /** The remote address of a request's connection; undefined if it is closed. */
    peerOf: (request: Request): string | undefined => server?.requestIP(request)?.address,
    /**
     * Starts to listen. Another call replaces the certificate: the new server starts first, so that the port always has a listener, and the
     * previous one finishes its requests and closes all other connections, including those whose TLS handshake has not finished.
     *
     * @throws if another process uses the port; then nothing changes
     */
    listen({ tls, ...options }: ListenOptions, fetch: Fetch): void {
      const previous = server;
      server = Bun.serve({ ...options, ...(tls ? { tls } : {}), development: false, reusePort: true, fetch });
      if (previous !== undefined) retired = Promise.all([retired, previous.stop()]);
    },
    /** Stops accepting connections. Resolves when the last request is finished. */
    async stop(): Promise<void> {
      await Promise.all([server?.stop(), retired]);
    },
  };
}
