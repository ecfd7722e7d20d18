import type { Bodies } from '../../http/body.ts';
import { createCaptchaFailureOf, toDirectRoutes } from '../../http/captcha/hotRoutes.ts';
import { createDirectRoutes, type DirectRoutesDeps, type Fetch } from '../../http/dispatcher.ts';
import { createFailures } from '../../http/failures.ts';
import { afterBody } from '../../http/unreadBody.ts';
import { connectThread } from '../../threads/protocol.ts';
import { createCaptchaHandlers } from '../captchaHandlers.ts';
import type { CaptchaContext } from '../context.ts';
import { startLagMeasurement } from '../meters.ts';
import { createPortListener } from '../portListener.ts';
import { createFileServer, type FileServerDeps } from './fileServer.ts';
import { createForwarder } from './forwarding/forwarder.ts';
import { createThreadContext } from './threadContext.ts';
import type { ManagementMethods, ThreadMethods, ThreadStart } from './threadMethods.ts';

/** A request thread: it listens on the shared port, responds to the requests of the hot path, and forwards all others. */

declare const self: Worker;

/** Interval at which counts for other nodes are sent. */
const COLLECT_MS = 100;

/** The functions of a thread that has started. */
type StartedMethods = Omit<ThreadMethods, 'ping' | 'start'>;

const listener = createPortListener();
/** All calls except `ping` and `start` wait until `start` has finished. */
const { promise: started, resolve: onStart } = Promise.withResolvers<StartedMethods>();

const management = connectThread<ManagementMethods>(self, {
  ping() {},
  start: async (options) => onStart(await start(options)),
  listen: async (options) => (await started).listen(options),
  stopListening: async () => (await started).stopListening(undefined),
  replaceSigningKeys: async (keys) => (await started).replaceSigningKeys(keys),
  replaceAddressSecrets: async (secrets) => (await started).replaceAddressSecrets(secrets),
  replaceGeoip: async (contents) => (await started).replaceGeoip(contents),
  handOver: async () => (await started).handOver(undefined),
} satisfies ThreadMethods);

async function start(options: ThreadStart) {
  const { peerOf } = listener;
  const thread = await createThreadContext({ start: options, management, peerOf });
  const { context, state, meters, counts, counting } = thread;
  const hot = createHotServer({
    ...context,
    draining: state.draining,
    requestMeter: meters.requests,
    files: options.files,
    load: (path) => management.call('loadFile', path),
  });
  const forward = createForwarder(options.forwardPort, { unavailable: hot.unavailable });
  const forwardRequest = (request: Request) => {
    return forward(request, { address: peerOf(request), client: context.requestContext.clientOf(request) });
  };
  const fetch = (request: Request) => hot.fetch(request, forwardRequest);
  startLagMeasurement(meters.lag);
  const collect = () => {
    const taken = counting.take();
    if (taken !== undefined) management.notify('collect', taken);
  };
  if (options.isClustered) setInterval(collect, COLLECT_MS);
  return {
    listen: (on) => listener.listen(on, fetch),
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

type HotServerDeps = CaptchaContext &
  Pick<DirectRoutesDeps, 'draining' | 'requestMeter'> &
  Pick<FileServerDeps, 'files' | 'load'> & { readonly bodies: Bodies };

/** Responds to the requests that a request thread does not forward. */
function createHotServer(deps: HotServerDeps) {
  const failures = createFailures({
    ...deps,
    failureOf: createCaptchaFailureOf(deps),
    onStoreFailure: deps.caches.reportFailure,
  });
  const directRoutes = toDirectRoutes(createCaptchaHandlers(deps));
  const respond = createDirectRoutes({ ...deps, directRoutes, failures });
  const serveFile = createFileServer({ ...deps, failures });
  return {
    /** @param forward responds to the requests that belong to the management thread */
    fetch(request: Request, forward: Fetch): Response | Promise<Response> {
      const response = respond(request);
      if (response !== undefined) return afterBody(deps.bodies, request, response);
      return serveFile(request, forward) ?? forward(request);
    },
    /** The response if the management thread cannot be reached. */
    unavailable(request: Request): Response {
      const response = failures.unavailable(request);
      failures.addHeaders(request, response.headers);
      return response;
    },
  };
}
