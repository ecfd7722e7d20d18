import type { Handle } from '../http/directRoutes.ts';
import { createMetricsHandler as createHandler } from '../http/metrics.ts';
import { lazyAsync } from '../lib/lazy.ts';
import type { AppContext } from './appContext.ts';
import { sha256 } from './crypto.ts';

/** The handler of `GET /metrics`. */
export function createMetricsHandler(context: AppContext): Handle {
  const { config, requestContext } = context;
  return createHandler({
    loadExposition: lazyAsync(async () => {
      const { createServerExposition } = await import('./exposition.ts');
      return createServerExposition(context);
    }),
    token: config.metricsToken,
    peerOf: (request) => requestContext.explainAddress(request).peer,
    clientIpHeader: config.clientIpHeader,
    sha256,
  });
}
