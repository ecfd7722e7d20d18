import { createCaptchaFailureOf, toDirectRoutes } from '../http/captcha/hotRoutes.ts';
import { createHealthHandlers, toDirectHealthRoutes } from '../http/health.ts';
import { createServer, type Fetch } from '../http/server.ts';
import type { AppContext } from './appContext.ts';
import { createCaptchaHandlers } from './captcha.ts';
import { createMetricsHandler } from './metrics.ts';

/** Creates the function that responds to every HTTP request. */
export function createRequestHandler(context: AppContext): Fetch {
  const handlers = {
    captcha: createCaptchaHandlers(context),
    health: createHealthHandlers({ readinessProblems: () => findReadinessProblems(context) }),
    metrics: createMetricsHandler(context),
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
  const isCutOff = services.nodes !== undefined && services.maintenance.hasFailed();
  return [
    ...(draining.isOn() ? ['draining'] : []),
    ...(isCutOff ? ['database-unavailable'] : []),
    ...(nodeClock()?.isWrong === true ? ['clock-wrong'] : []),
    ...(ledger.isHealthy() ? [] : ['claims-not-writable']),
  ];
}
