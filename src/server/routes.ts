import { apiKeyRoutes } from '../http/api/apiKeys.ts';
import { createOperations } from '../http/api/operation.ts';
import { organizationRoutes } from '../http/api/organizations.ts';
import { propertyRoutes } from '../http/api/properties.ts';
import { ruleRoutes } from '../http/api/rules.ts';
import { statisticsRoutes } from '../http/api/statistics.ts';
import { type Asset, assetRoutes } from '../http/assets.ts';
import { captchaRoutes } from '../http/captcha/captchaRoutes.ts';
import type { SolutionFacts } from '../http/demo/attempt.ts';
import { DEMO_ASSETS } from '../http/demo/demoPage.tsx';
import { demoRoutes } from '../http/demo/demoRoutes.tsx';
import { docsRoutes } from '../http/docs/docsRoutes.tsx';
import type { FailureDeps } from '../http/failures.ts';
import type { HealthHandlers } from '../http/health.ts';
import { healthRoutes } from '../http/healthRoutes.ts';
import { createUnknownPages } from '../http/messagePage.tsx';
import { metricsRoutes } from '../http/metricsRoutes.ts';
import { OPERATIONS } from '../http/openapi/operations.ts';
import { PORTAL_ASSETS } from '../http/portal/kit/assets.tsx';
import { portalFailure } from '../http/portal/kit/failurePage.tsx';
import { portalRoutes } from '../http/portal/kit/portalRoutes.ts';
import { PUBLIC_ASSETS } from '../http/publicPage.tsx';
import { createRouter, type RouteGroup } from '../http/router.ts';
import type { Fetch } from '../http/server.ts';
import { swaggerRoutes } from '../http/swagger.tsx';
import { createLanguageFiles } from '../http/widget/languageFiles.ts';
import { widgetRoutes } from '../http/widget/widgetRoutes.ts';
import { createTickLimiter } from '../lib/tickLimiter.ts';
import { parsePayload } from '../puzzle/solution.ts';
import { version } from '../version.ts';
import type { AppContext } from './context.ts';
import { DOCS, DOCS_PICTURES } from './embeddedDocs.ts';
import { LANGUAGES, PINNED_WIDGET, WIDGET_FILES, WIDGET_SCRIPT } from './embeddedFiles.ts';
import { createOwnKeyGuard, createPortalKeyGuard } from './keyGuards.ts';
import { createIsSignedIn, createPortalDependencies } from './portalDependencies.ts';

/** The handlers of the direct routes. The router serves these routes, too. */
export type DirectHandlers = {
  readonly captcha: Parameters<typeof captchaRoutes>[0];
  readonly health: HealthHandlers;
  readonly metrics: Parameters<typeof metricsRoutes>[0];
};

export type RoutesOptions = Pick<FailureDeps, 'failureOf' | 'onStoreFailure'> & {
  readonly handlers: DirectHandlers;
  /** Sends a request to this server. */
  readonly send: Fetch;
};

/** Creates the function that responds to all requests that are not for a direct route. */
export function createRoutes(context: AppContext, { handlers, send, ...failures }: RoutesOptions): Fetch {
  return createRouter({
    ...context,
    ...failures,
    apiRoutes: [captchaRoutes(handlers.captcha), ...createPlatformApiRoutes(context)],
    routeGroups: [...createRouteGroups(context, handlers), ...createDemo(context, send)],
    unknownPages: createUnknownPages(context.publicPages),
    failureOf(path, status, request) {
      if (/^\/portal(\/|$)/.test(path)) return portalFailure(status, request);
      return failures.failureOf(path, status, request);
    },
    requestMeter: context.meters.requests,
  });
}

function createRouteGroups(context: AppContext, { health, metrics }: DirectHandlers): readonly RouteGroup[] {
  return [
    portalRoutes(createPortalDependencies(context)),
    assetRoutes(PORTAL_ASSETS),
    healthRoutes(health),
    metricsRoutes(metrics),
    assetRoutes(WIDGET_FILES.map(withOperation)),
    widgetRoutes({
      findLanguage: createLanguageFiles(LANGUAGES),
      builds: context.widgetBuilds,
      requestContext: context.requestContext,
    }),
    assetRoutes(PUBLIC_ASSETS),
    docsRoutes({
      docs: DOCS,
      pictures: DOCS_PICTURES,
      publicPages: context.publicPages,
      waitForTick: createTickLimiter(1),
    }),
    ...createApiDocs(context),
  ];
}

/** Of the widget's files, the OpenAPI document describes only the script. */
function withOperation(asset: Asset): Asset {
  return asset === WIDGET_SCRIPT ? { ...asset, detail: OPERATIONS.getWidgetScript } : asset;
}

function createApiDocs(context: AppContext) {
  const { baseUrl, swagger } = context.config;
  if (swagger === 'off') return [];
  const mayRead = swagger === 'public' ? undefined : createIsSignedIn(context);
  return [swaggerRoutes({ baseUrl, version, mayRead, hasDemo: context.publicPages.hasDemo })];
}

function createDemo(context: AppContext, send: Fetch) {
  const { config, demo, bodies } = context;
  if (demo === undefined) return [];
  const routes = demoRoutes({
    ...demo,
    baseUrl: config.baseUrl,
    bodies,
    widget: PINNED_WIDGET,
    languages: LANGUAGES,
    send,
    publicPages: context.publicPages,
    readSolution,
  });
  return [routes, assetRoutes(DEMO_ASSETS)];
}

/** Reads what the demo shows about a solution. */
function readSolution(solution: string): SolutionFacts | undefined {
  const payload = parsePayload(solution);
  if (payload === undefined) return undefined;
  const { difficulty, solutionCount } = payload.puzzle;
  return { difficulty, solutionCount, elapsedMs: payload.metadata?.elapsedMs };
}

/** The routes of the Platform API. */
function createPlatformApiRoutes(context: AppContext) {
  const { services, usageRecording } = context;
  const common = {
    ...context,
    isInMaintenance: services.maintenance.isOn,
    waitForTick: createTickLimiter(1),
  };
  const operation = createOperations({ ...common, ...createPortalKeyGuard(context) });
  const ownKeyOperation = createOperations({ ...common, ...createOwnKeyGuard(context) });
  return [
    apiKeyRoutes({ ...services, operation: ownKeyOperation }),
    organizationRoutes({ ...services, operation }),
    propertyRoutes({ ...services, operation }),
    ruleRoutes({ ...services, rules: usageRecording.rules, operation }),
    statisticsRoutes({ ...services, ...usageRecording, operation }),
  ];
}
