import { createIssuePlaygroundPuzzle } from '../captcha/unsignedPuzzles.ts';
import { createPageRateLimit } from '../http/rateLimit.ts';
import { createAcceptsHost } from '../http/requestContext.ts';
import { systemRandom } from '../lib/ids.ts';
import { createTickLimiter } from '../lib/tickLimiter.ts';
import { timer } from '../lib/timer.ts';
import { createDescribeBackground } from '../platform/installation/background.ts';
import { createSeal } from '../platform/opaqueId.ts';
import { createCookies } from '../portal/kit/cookies.ts';
import { createExportLimit } from '../portal/kit/download.ts';
import { createHeldForms } from '../portal/kit/heldForms.ts';
import { createFormTokens, createOneTimeTokens, createTrialTokens } from '../portal/kit/tokens.ts';
import type { PortalRoutesDeps } from '../portal/portalRoutes.ts';
import { version } from '../version.ts';
import { createAddressHash } from './addressHashes.ts';
import { RECORD_CAPACITY } from './caches.ts';
import { createVerificationTest } from './captchaHandlers.ts';
import type { AppContext } from './context.ts';
import { LANGUAGES, PINNED_WIDGET } from './embeddedFiles.ts';

/** A lower limit of the Platform API does not apply to pages, because a person opens several pages at once. Rate: requests per second. */
const PAGES_MIN = { rate: 20, burst: 100 } as const;

/** Creates what the pages of the portal use, except the search of the documentation. */
export function createPortalDependencies(context: AppContext): Omit<PortalRoutesDeps, 'findInDocs'> {
  const { config, settings, clock, services, usageRecording, requestContext, countSharing } = context;
  const { rules, statistics, overview, useOverTime } = usageRecording;
  const { baseUrl, allowedHosts } = config;
  const takePage = createPageRateLimit({
    rate: Math.max(config.portalRate, PAGES_MIN.rate),
    burst: Math.max(config.portalBurst, PAGES_MIN.burst),
    capacity: RECORD_CAPACITY,
    clock,
    onRejected: () => context.meters.rateLimits.add('portal'),
    hashAddress: createAddressHash(countSharing.addressSecrets, clock),
  });
  const newName = () => systemRandom(new Uint8Array(16)).toHex();
  return {
    ...services,
    ...context,
    rules,
    statistics,
    overview,
    useOverTime,
    recentTraffic: context.trafficRecording.recentTraffic,
    baseUrl,
    facts: {
      checksDns: config.dnsCheck,
      auditDays: config.auditDays,
      keepsSetupLink: services.shared.isClustered,
    },
    exports: createExportLimit(timer),
    takePage,
    issuePlaygroundPuzzle: createIssuePlaygroundPuzzle({ clock, random: systemRandom }),
    pinnedWidget: PINNED_WIDGET,
    verificationTest: createVerificationTest(context),
    trialTokens: createTrialTokens({ sign: services.derivePortal, clock }),
    cookies: createPortalCookies(context),
    recordSecurityEvent: context.securityLog.record,
    tokens: createFormTokens({ sign: services.derivePortal, ids: services.ids }),
    heldForms: createHeldForms({
      ...services.shared,
      seal: createSeal(services.derivePortal('held forms'), systemRandom),
      newToken: newName,
      clock,
    }),
    waitForTick: createTickLimiter(1),
    acceptsHost: createAcceptsHost(baseUrl, allowedHosts),
    newVisitor: newName,
    oneTimeTokens: createOneTimeTokens({ ...services.shared, newToken: newName, clock }),
    explainAddress: requestContext.explainAddress,
    describeSystem: services.systemDescriber({ version, settings }),
    describeBackground: createDescribeBackground({
      jobs: context.meters.jobs.describe,
      lastBackupAt: config.database === undefined ? services.stores.installation.lastBackupAt : undefined,
      backupSchedule: config.backupSchedule,
    }),
    widgetLanguages: languageNames(LANGUAGES),
  };
}

/** @param languages the text of `static/languages.json` @returns the names of the widget's languages by their tags */
function languageNames(languages: string): Readonly<Record<string, string>> {
  const table: Readonly<Record<string, { readonly name: string }>> = JSON.parse(languages);
  return Object.fromEntries(Object.entries(table).map(([tag, { name }]) => [tag, name]));
}

/** @returns whether a request comes from a user who is signed in to the portal */
export function createIsSignedIn(context: AppContext): (request: Request) => Promise<boolean> {
  const { requestContext, services } = context;
  const { sessions } = services.authentication;
  const cookies = createPortalCookies(context);
  return async (request) => {
    const { session } = cookies.read(request);
    if (session === undefined) return false;
    const clientInfo = {
      address: requestContext.addressOf(request),
      client: requestContext.clientOf(request),
      browser: request.headers.get('user-agent') ?? '',
    };
    return (await sessions.open(session, clientInfo)) !== undefined;
  };
}

function createPortalCookies({ config, services }: AppContext) {
  return createCookies({ isHttps: config.baseUrl.startsWith('https:'), sign: services.derivePortal });
}
