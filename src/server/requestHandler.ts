import { assetRoutes } from '../http/assets.ts';
import { captchaRoutes } from '../http/captcha/captchaRoutes.ts';
import { createCaptchaFailureOf, toDirectRoutes } from '../http/captcha/hotRoutes.ts';
import type { SolutionFacts } from '../http/demo/attempt.ts';
import { DEMO_ASSETS } from '../http/demo/demoPage.tsx';
import { demoRoutes } from '../http/demo/demoRoutes.tsx';
import { docsRoutes } from '../http/docs/docsRoutes.tsx';
import { healthRoutes } from '../http/health.ts';
import { createUnknownPages } from '../http/messagePage.tsx';
import { portalFailure } from '../http/portal/kit/failurePage.tsx';
import { PUBLIC_ASSETS } from '../http/publicPage.tsx';
import { createServer, type Fetch, type RouteGroup } from '../http/server.ts';
import { swaggerRoutes } from '../http/swagger.tsx';
import { createLanguageFiles } from '../http/widget/languageFiles.ts';
import { widgetRoutes } from '../http/widget/widgetRoutes.ts';
import { createTickLimiter } from '../lib/tickLimiter.ts';
import { parsePayload } from '../puzzle/solution.ts';
import { version } from '../version.ts';
import type { AppContext } from './appContext.ts';
import { createCaptchaHandlers } from './captcha.ts';
import { DOCS, DOCS_PICTURES } from './embeddedDocs.ts';
import { LANGUAGES, PINNED_WIDGET, WIDGET_FILES } from './embeddedFiles.ts';
import { createMetricsRoutes } from './metrics.ts';
import { createPlatformApiRoutes } from './platformApi.ts';
import { createIsSignedIn, createPortalRoutes } from './portal.ts';
import { publicPagesOf } from './publicPages.ts';

/** Creates the function that responds to every HTTP request. */
export function createRequestHandler(context: AppContext): Fetch {
  const captchaFailureOf = createCaptchaFailureOf(context);
  const handlers = createCaptchaHandlers(context);
  const handle = createServer({
    ...context,
    directRoutes: toDirectRoutes(handlers),
    routeGroups: [
      captchaRoutes(handlers),
      ...createRouteGroups(context),
      ...createDemo(context, (request) => handle(request)),
    ],
    unknownPages: createUnknownPages(publicPagesOf(context)),
    failureOf(path, status, request) {
      if (/^\/portal(\/|$)/.test(path)) return portalFailure(status, request);
      return captchaFailureOf(path, status, request);
    },
    onStoreFailure: context.caches.reportFailure,
    requestMeter: context.meters.requests,
  });
  return handle;
}

function createRouteGroups(context: AppContext): readonly RouteGroup[] {
  return [
    ...createPlatformApiRoutes(context),
    ...createPortalRoutes(context),
    healthRoutes({ readinessProblems: () => findReadinessProblems(context) }),
    createMetricsRoutes(context),
    assetRoutes(WIDGET_FILES),
    widgetRoutes({ findLanguage: createLanguageFiles(LANGUAGES), builds: context.widgetBuilds }),
    assetRoutes(PUBLIC_ASSETS),
    docsRoutes({
      docs: DOCS,
      pictures: DOCS_PICTURES,
      publicPages: publicPagesOf(context),
      waitForTick: createTickLimiter(1),
    }),
    ...createApiDocs(context),
  ];
}

function createApiDocs(context: AppContext) {
  const { baseUrl, swagger } = context.config;
  const { hasDemo } = publicPagesOf(context);
  if (swagger === 'off') return [];
  const mayRead = swagger === 'public' ? undefined : createIsSignedIn(context);
  return [swaggerRoutes({ baseUrl, version, mayRead, hasDemo })];
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
    publicPages: publicPagesOf(context),
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

/** The problems that `/readyz` reports. */
function findReadinessProblems({ draining, ledger, services }: AppContext): readonly string[] {
  // Another node may still reach a shared database. With a data folder, there is no other server.
  const isCutOff = services.nodes !== undefined && services.maintenance.hasFailed();
  return [
    ...(draining.isOn() ? ['draining'] : []),
    ...(isCutOff ? ['database-unavailable'] : []),
    ...(ledger.isHealthy() ? [] : ['claims-not-writable']),
  ];
}
