import { apiKeyRoutes } from '../http/api/apiKeys.ts';
import { attackModeRoutes } from '../http/api/attackMode.ts';
import { createOperations } from '../http/api/operation.ts';
import { organizationRoutes } from '../http/api/organizations.ts';
import { propertyRoutes } from '../http/api/properties.ts';
import { ruleRoutes } from '../http/api/rules.ts';
import { statisticsRoutes } from '../http/api/statistics.ts';
import { trafficRoutes } from '../http/api/traffic.ts';
import { useStatisticsRoutes } from '../http/api/useStatistics.ts';
import { assetRoutes } from '../http/assets.ts';
import { dialectRoutes } from '../http/captcha/dialects/dialectRoutes.ts';
import type { SolutionFacts } from '../http/demo/attempt.ts';
import { demoRoutes } from '../http/demo/demoRoutes.tsx';
import type { DirectRoute, Fetch } from '../http/dispatcher.ts';
import { pathOfPage } from '../http/docs/docs.ts';
import { createDocsSearch, type DocsSearch, docsRoutes } from '../http/docs/docsRoutes.tsx';
import type { FailureDeps } from '../http/failures.ts';
import { createUnknownPages } from '../http/messagePage.tsx';
import { DIRECT_OPERATIONS } from '../http/openapi/directOperations.ts';
import { swaggerRoutes } from '../http/openapi/swagger.tsx';
import { VENDOR_OPERATIONS } from '../http/openapi/vendorOperations.ts';
import { PUBLIC_ASSETS } from '../http/publicPage.tsx';
import { createRouter, type Route } from '../http/router.ts';
import { createLanguageFiles } from '../http/widget/widgetArchive.ts';
import { GET_WIDGET_SCRIPT, widgetRoutes } from '../http/widget/widgetRoutes.ts';
import { createTickLimiter } from '../lib/tickLimiter.ts';
import { PORTAL_ASSETS } from '../portal/kit/assets.tsx';
import { portalFailure } from '../portal/kit/pages.tsx';
import { type PortalRoutesDeps, portalRoutes } from '../portal/portalRoutes.ts';
import { parsePayload } from '../puzzle/solution.ts';
import { version } from '../version.ts';
import type { CaptchaParts } from './captchaHandlers.ts';
import type { AppContext } from './context.ts';
import { DOCS, DOCS_PICTURES } from './embeddedDocs.ts';
import { LANGUAGES, PINNED_WIDGET, WIDGET_FILES, WIDGET_SCRIPT, WIDGET_TYPES } from './embeddedFiles.ts';
import { createOwnKeyGuard, createPortalKeyGuard } from './keyGuards.ts';
import { createIsSignedIn, createPortalDependencies } from './portalDependencies.ts';

export type RoutesOptions = Pick<FailureDeps, 'failureOf' | 'onStoreFailure'> & {
  readonly directRoutes: readonly DirectRoute[];
  /** What the routes for the widgets of other products share with the direct routes. */
  readonly dialects: CaptchaParts['dialects'];
  /** Sends a request to this server. */
  readonly send: Fetch;
};

/** Creates the function that responds to all requests that are not for a direct route. */
export function createRoutes(
  context: AppContext,
  { directRoutes, dialects, send, ...failures }: RoutesOptions,
): Fetch {
  const search = createDocsSearch(DOCS);
  const { offlineSecretOf } = context.services;
  const apiRoutes = [
    ...routedDirectly(directRoutes, true),
    ...createPlatformApiRoutes(context),
    ...dialectRoutes({ ...dialects, offlineSecretOf }),
  ];
  const otherRoutes: readonly Route[] = [
    ...routedDirectly(directRoutes, false),
    ...portalRoutes({ ...createPortalDependencies(context), findInDocs: createFindInDocs(search) }),
    ...assetRoutes(PORTAL_ASSETS),
    ...createWidgetRoutes(context),
    ...createPublicRoutes(context, search),
    ...createApiDocs(context, () => [...apiRoutes, ...otherRoutes]),
    ...createDemo(context, send),
  ];
  return createRouter({
    ...context,
    ...failures,
    apiRoutes,
    otherRoutes,
    unknownPages: createUnknownPages(context.publicPages),
    failureOf(path, status, request) {
      if (/^\/portal(\/|$)/.test(path)) return portalFailure(status, request);
      return failures.failureOf(path, status, request);
    },
    requestMeter: context.meters.requests,
  });
}

const OPERATIONS = { ...DIRECT_OPERATIONS, ...VENDOR_OPERATIONS };

/** The router also serves the direct routes, for other spellings of their paths, and the OpenAPI document describes them. */
function routedDirectly(routes: readonly DirectRoute[], isApi: boolean): readonly Route[] {
  return routes
    .filter((route) => route.isApi === isApi)
    .map(({ method, path, handle }) => {
      const operation = OPERATIONS[`${method} ${path}`];
      return { method, path, handle, ...(operation && { operation }) };
    });
}

function createWidgetRoutes({ widgetBuilds, requestContext }: AppContext): readonly Route[] {
  const findLanguage = createLanguageFiles(LANGUAGES);
  return [
    ...assetRoutes([...WIDGET_FILES, WIDGET_TYPES], { [WIDGET_SCRIPT.path]: GET_WIDGET_SCRIPT }),
    ...widgetRoutes({ findLanguage, builds: widgetBuilds, requestContext }),
  ];
}

/** Finds the sections that the command palette of the portal offers. */
function createFindInDocs(search: DocsSearch): PortalRoutesDeps['findInDocs'] {
  return async (query, limit) =>
    (await search(query)).results.slice(0, limit).map(({ page, section: { heading, anchor } }) => ({
      text: heading,
      detail: page.title,
      path: `${pathOfPage(page)}${anchor === '' ? '' : `#${anchor}`}`,
    }));
}

function createPublicRoutes(context: AppContext, search: DocsSearch): readonly Route[] {
  const { publicPages } = context;
  const waitForTick = createTickLimiter(1);
  return [
    ...assetRoutes(PUBLIC_ASSETS),
    ...docsRoutes({ docs: DOCS, search, pictures: DOCS_PICTURES, publicPages, waitForTick }),
  ];
}

function createApiDocs(context: AppContext, routes: () => readonly Route[]): readonly Route[] {
  const { baseUrl, swagger } = context.config;
  if (swagger === 'off') return [];
  const mayRead = swagger === 'public' ? undefined : createIsSignedIn(context);
  return swaggerRoutes({ baseUrl, version, routes, mayRead, hasDemo: context.publicPages.hasDemo });
}

function createDemo(context: AppContext, send: Fetch): readonly Route[] {
  const { config, demo, bodies } = context;
  if (demo === undefined) return [];
  return demoRoutes({
    ...demo,
    baseUrl: config.baseUrl,
    bodies,
    widget: PINNED_WIDGET,
    languages: LANGUAGES,
    send,
    publicPages: context.publicPages,
    readSolution,
  });
}

/** Reads what the demo shows about a solution. */
function readSolution(solution: string): SolutionFacts | undefined {
  const payload = parsePayload(solution);
  if (payload === undefined) return undefined;
  const { difficulty, solutionCount } = payload.puzzle;
  return { difficulty, solutionCount, elapsedMs: payload.metadata?.elapsedMs };
}

/** The routes of the Platform API. */
function createPlatformApiRoutes(context: AppContext): readonly Route[] {
  const { services, usageRecording, trafficRecording } = context;
  const common = {
    ...context,
    isInMaintenance: services.maintenance.isOn,
    waitForTick: createTickLimiter(1),
  };
  const operation = createOperations({ ...common, ...createPortalKeyGuard(context) });
  const ownKeyOperation = createOperations({ ...common, ...createOwnKeyGuard(context) });
  return [
    ...apiKeyRoutes({ ...services, operation: ownKeyOperation }),
    ...organizationRoutes({ ...services, operation }),
    ...propertyRoutes({ ...services, operation }),
    ...attackModeRoutes({ ...services, ...context, operation }),
    ...ruleRoutes({ ...services, rules: usageRecording.rules, operation }),
    ...statisticsRoutes({ ...services, ...usageRecording, operation }),
    ...useStatisticsRoutes({ ...services, ...usageRecording, operation, ownKeyOperation }),
    ...trafficRoutes({ ...services, ...trafficRecording, operation }),
  ];
}
