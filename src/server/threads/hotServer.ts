import type { Bodies } from '../../http/body.ts';
import { createCaptchaFailureOf, toDirectRoutes } from '../../http/captcha/hotRoutes.ts';
import { createDirectRoutes, type DirectRoutesDeps, type Fetch } from '../../http/dispatcher.ts';
import { createFailures } from '../../http/failures.ts';
import { afterBody } from '../../http/unreadBody.ts';
import { createCaptchaHandlers } from '../captchaHandlers.ts';
import type { CaptchaContext } from '../context.ts';
import { createFileServer, type FileServerDeps } from './fileServer.ts';

/** Responds to the requests that a request thread does not forward. */
export type HotServer = {
  /** @param forward responds to the requests that belong to the management thread */
  readonly fetch: (request: Request, forward: Fetch) => Response | Promise<Response>;
  /** The response if the management thread cannot be reached. */
  readonly unavailable: (request: Request) => Response;
};

export type HotServerDeps = CaptchaContext &
  Pick<DirectRoutesDeps, 'draining' | 'requestMeter'> &
  Pick<FileServerDeps, 'files' | 'load'> & { readonly bodies: Bodies };

/** @see HotServer */
export function createHotServer(deps: HotServerDeps): HotServer {
  const failures = createFailures({
    ...deps,
    failureOf: createCaptchaFailureOf(deps),
    onStoreFailure: deps.caches.reportFailure,
  });
  const directRoutes = toDirectRoutes(createCaptchaHandlers(deps));
  const respond = createDirectRoutes({ ...deps, directRoutes, failures });
  const serveFile = createFileServer({ ...deps, failures });
  return {
    fetch(request, forward) {
      const response = respond(request);
      if (response !== undefined) return afterBody(deps.bodies, request, response);
      return serveFile(request, forward) ?? forward(request);
    },
    unavailable(request) {
      const response = failures.unavailable(request);
      failures.addHeaders(request, response.headers);
      return response;
    },
  };
}
