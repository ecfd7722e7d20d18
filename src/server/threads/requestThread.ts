/** A request thread: it listens on the shared port, responds to the requests of the hot path, and forwards all others. */

import { startLagMeasurement } from '../meters.ts';
import { type CallMessage, type Calls, createCalls } from './calls.ts';
import { createForwarder } from './forwarding/forwarder.ts';
import { createHotServer } from './hotServer.ts';
import type { ManagementMethods, ThreadMethods, ThreadStart } from './methods.ts';
import { createThreadContext } from './threadContext.ts';
import { createThreadListener } from './threadListener.ts';

declare const self: Worker;

/** Interval at which counts for other nodes are sent. */
const COLLECT_MS = 100;

/** The functions of a thread that has started. */
type StartedMethods = Omit<ThreadMethods, 'ping' | 'start'>;

const listener = createThreadListener();
/** All calls except `ping` and `start` wait until `start` has finished. */
const { promise: started, resolve: onStart } = Promise.withResolvers<StartedMethods>();

const management: Calls<ManagementMethods> = createCalls<ManagementMethods>(
  (message, transfer) => postMessage(message, transfer),
  {
    ping() {},
    async start(first, [ledgerPort, forwardPort]) {
      if (ledgerPort === undefined || forwardPort === undefined) throw new Error('a port is missing');
      onStart(await start(first, ledgerPort, forwardPort));
    },
    listen: async (options) => (await started).listen(options),
    stopListening: async () => (await started).stopListening(undefined),
    replaceSigningKeys: async (keys) => (await started).replaceSigningKeys(keys),
    replaceAddressSecrets: async (secrets) => (await started).replaceAddressSecrets(secrets),
    replaceGeoip: async (contents) => (await started).replaceGeoip(contents),
    handOver: async () => (await started).handOver(undefined),
  } satisfies ThreadMethods,
);

self.onmessage = (event: MessageEvent<CallMessage>) => management.receive(event.data);

async function start(first: ThreadStart, ledgerPort: MessagePort, forwardPort: MessagePort) {
  const { peerOf } = listener;
  const thread = await createThreadContext({ start: first, management, ledgerPort, peerOf });
  const { context, state, meters, counts, counting } = thread;
  const hot = createHotServer({
    ...context,
    draining: state.draining,
    requestMeter: meters.requests,
    files: first.files,
    load: (path) => management.call('loadFile', path),
  });
  const forward = createForwarder(forwardPort, { unavailable: hot.unavailable });
  const forwardRequest = (request: Request) => {
    return forward(request, { address: peerOf(request), client: context.requestContext.clientOf(request) });
  };
  const fetch = (request: Request) => hot.fetch(request, forwardRequest);
  startLagMeasurement(meters.lag);
  const collect = () => {
    const taken = counting.take();
    if (taken !== undefined) management.notify('collect', taken);
  };
  if (first.isClustered) setInterval(collect, COLLECT_MS);
  return {
    listen: (options) => listener.listen(options, fetch),
    stopListening: listener.stop,
    replaceSigningKeys: thread.signing.replace,
    replaceAddressSecrets: thread.addressSecrets.replace,
    replaceGeoip: thread.geoip.replace,
    async handOver() {
      thread.flushLog();
      collect();
      await counts.handOver();
    },
  } satisfies StartedMethods;
}
