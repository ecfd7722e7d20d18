import { createCaptchaFailureOf, toDirectRoutes } from '../http/captcha/hotRoutes.ts';
import { createDispatcher, type Fetch } from '../http/dispatcher.ts';
import { createHealthRoutes, createMetricsHandler } from '../http/monitoring.ts';
import { lazyAsync } from '../lib/lazy.ts';
import { createCaptchaHandlers } from './captchaHandlers.ts';
import type { AppContext } from './context.ts';

/** Creates the function that responds to every HTTP request. */
export function createRequestHandler(context: AppContext): Fetch {
  const { config, requestContext } = context;
  const metrics = createMetricsHandler({
    loadExposition: lazyAsync(async () => {
      const { createServerExposition } = await import('./metricSources.ts');
      return createServerExposition(context);
    }),
    token: config.metricsToken,
    peerOf: (request) => requestContext.explainAddress(request).peer,
    clientIpHeader: config.clientIpHeader,
  });
  const { dialects, ...handlers } = createCaptchaHandlers(context);
  const directRoutes = [
    ...toDirectRoutes(handlers),
    ...createHealthRoutes(() => findReadinessProblems(context)),
    { method: 'GET', path: '/metrics', handle: metrics, setsHeaders: false, isApi: false } as const,
  ];
  const failures = {
    failureOf: createCaptchaFailureOf(context),
    onStoreFailure: context.caches.reportFailure,
  };
  const handle = createDispatcher({
    ...context,
    ...failures,
    directRoutes,
    async loadRouter() {
      const { createRoutes } = await import('./routes.ts');
      return createRoutes(context, {
        ...failures,
        directRoutes,
        dialects,
        send: (request) => handle(request),
      });
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
