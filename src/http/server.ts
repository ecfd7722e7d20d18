import { attempt } from '../lib/awaitable.ts';
import { lazyAsync } from '../lib/lazy.ts';
import type { Log } from '../lib/log.ts';
import { createDirectRoutes, type DirectRoute } from './directRoutes.ts';
import type { Draining } from './draining.ts';
import { createFailures, type FailureDeps, type Failures } from './failures.ts';
import type { RequestMeter } from './requestMeter.ts';
import { afterBody, type UnreadBodies } from './unreadBody.ts';

export type Fetch = (request: Request) => Response | Promise<Response>;

export type ServerDeps = FailureDeps & {
  readonly directRoutes: readonly DirectRoute[];
  /** Loads the function that responds to all other requests. Called at the first of them, because loading takes time and memory. */
  readonly loadRouter: () => Promise<Fetch>;
  readonly bodies: UnreadBodies;
  readonly log: Log;
  readonly draining: Pick<Draining, 'isOn' | 'closeConnection'>;
  readonly requestMeter: Pick<RequestMeter, 'recorderOf'>;
};

/** Creates the function that responds to every request, with a direct route or the router. */
export function createServer(deps: ServerDeps): Fetch {
  const failures = createFailures(deps);
  const respondDirectly = createDirectRoutes({ ...deps, failures });
  const route = createLazyRouter(deps, failures);
  return (request) => afterBody(deps.bodies, request, respondDirectly(request) ?? route(request));
}

/** Creates a function that loads the router at its first call, and then calls the router directly. */
function createLazyRouter({ loadRouter }: ServerDeps, failures: Failures): Fetch {
  let router: Fetch | undefined;
  const load = lazyAsync(async () => {
    router = await loadRouter();
    return router;
  });
  return (request) => {
    if (router !== undefined) return router(request);
    return attempt(
      load,
      (loaded) => loaded(request),
      (error) => {
        const response = failures.respond(error, request);
        failures.addHeaders(request, response.headers);
        return response;
      },
    );
  };
}
