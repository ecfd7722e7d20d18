import { afterBody, type Bodies } from '../http/body.ts';
import { createCaptchaFailureOf, toDirectRoutes } from '../http/captcha/hotRoutes.ts';
import { createDirectRoutes, type DirectRoutesDeps } from '../http/directRoutes.ts';
import { createFailures } from '../http/failures.ts';
import { createCaptchaHandlers } from './captcha.ts';
import type { CaptchaContext } from './captchaContext.ts';

/** Responds to the requests that a request thread does not forward. */
export type HotServer = {
  /** @returns undefined if the request belongs to the management thread */
  readonly fetch: (request: Request) => Response | Promise<Response> | undefined;
  /** The response if the management thread cannot be reached. */
  readonly unavailable: (request: Request) => Response;
};

export type HotServerDeps = CaptchaContext &
  Pick<DirectRoutesDeps, 'draining' | 'requestMeter'> & { readonly bodies: Bodies };

/** @see HotServer */
export function createHotServer(deps: HotServerDeps): HotServer {
  const failures = createFailures({
    ...deps,
    failureOf: createCaptchaFailureOf(deps),
    onStoreFailure: deps.caches.reportFailure,
  });
  const directRoutes = toDirectRoutes(createCaptchaHandlers(deps));
  const respond = createDirectRoutes({ ...deps, directRoutes, failures });
  return {
    fetch(request) {
      const response = respond(request);
      return response && afterBody(deps.bodies, request, response);
    },
    unavailable(request) {
      const response = failures.unavailable(request);
      failures.addHeaders(request, response.headers);
      return response;
    },
  };
}
