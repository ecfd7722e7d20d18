/** A thread that forwards all requests to the thread that started it. Its first message contains the options and a port. */

import { errorResponse } from '../../src/http/envelope.ts';
import { createForwarder } from '../../src/server/threads/forwarding/forwarder.ts';

declare const self: Worker;

/** The options of the thread. */
export type ForwardingThreadOptions = {
  readonly port: MessagePort;
  readonly hostname: string;
  /** Maximum number of requests that are forwarded at the same time. */
  readonly limit?: number | undefined;
};

self.onmessage = ({ data }: { readonly data: ForwardingThreadOptions }) => {
  const { port, hostname, limit } = data;
  const unavailable = () => errorResponse('unavailable', 'request-id', { 'Retry-After': '1' });
  const forward = createForwarder(port, limit === undefined ? { unavailable } : { unavailable, limit });
  const server: Bun.Server<undefined> = Bun.serve({
    hostname,
    port: 0,
    development: false,
    idleTimeout: 60,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(request) {
      const address = server.requestIP(request)?.address;
      return forward(request, { address, client: address });
    },
  });
  postMessage(server.port);
};
