import { createCaptchaFailureOf, toDirectRoutes } from '../http/captcha/hotRoutes.ts';
import { createHealthHandlers, toDirectHealthRoutes } from '../http/health.ts';
import { createMetricsHandler } from '../http/metrics.ts';
import { createServer, type Fetch } from '../http/server.ts';
import { lazyAsync } from '../lib/lazy.ts';
import { createCaptchaHandlers } from './captchaHandlers.ts';
import type { AppContext } from './context.ts';

/** Creates the function that responds to every HTTP request. */
export function createRequestHandler(context: AppContext): Fetch {
  const { config, requestContext } = context;
  const handlers = {
    captcha: createCaptchaHandlers(context),
    health: createHealthHandlers({ readinessProblems: () => findReadinessProblems(context) }),
    metrics: createMetricsHandler({
      loadExposition: lazyAsync(async () => {
        const { createServerExposition } = await import('./metricSources.ts');
        return createServerExposition(context);
      }),
      token: config.metricsToken,
      peerOf: (request) => requestContext.explainAddress(request).peer,
      clientIpHeader: config.clientIpHeader,
    }),
  };
  const failures = {
    failureOf: createCaptchaFailureOf(context),
    onStoreFailure: context.caches.reportFailure,
  };
  const handle = createServer({
    ...context,
    ...failures,
    directRoutes: [
      ...toDirectRoutes(handlers.captcha),
      ...toDirectHealthRoutes(handlers.health),
      { method: 'GET', path: '/metrics', handle: handlers.metrics, setsHeaders: false },
    ],
    async loadRouter() {
      const { createRoutes } = await import('./routes.ts');
      return createRoutes(context, { ...failures, handlers, send: (request) => handle(request) });
    },
    requestMeter: context.meters.requests,
  });
  return handle;
}

/** The problems that `/readyz` reports. */
function findReadinessProblems({ draining, ledger, services, nodeClock }: AppContext): readonly string[] {
  // Another node may still reach a shared database. With a data folder, there is no other server.
  const isCutOff = services.storage.nodes !== undefined && services.maintenance.hasFailed();
  return [
    ...(draining.isOn() ? ['draining'] : []),
    ...(isCutOff ? ['database-unavailable'] : []),
    ...(nodeClock()?.isWrong === true ? ['clock-wrong'] : []),
    ...(ledger.isHealthy() ? [] : ['claims-not-writable']),
  ];
}
