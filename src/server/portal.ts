import { createIssuePlaygroundPuzzle } from '../captcha/playground.ts';
import { createAcceptsHost } from '../http/allowedHosts.ts';
import { assetRoutes } from '../http/assets.ts';
import type { Bodies } from '../http/body.ts';
import { PORTAL_ASSETS } from '../http/portal/kit/assets.tsx';
import { createCookies } from '../http/portal/kit/cookies.ts';
import { createFormTokens } from '../http/portal/kit/csrf.ts';
import { portalRoutes } from '../http/portal/kit/portalRoutes.tsx';
import type { PortalDeps } from '../http/portal/kit/route.ts';
import { linkTo } from '../http/portal/kit/secretLink.tsx';
import { createOnce } from '../http/portal/kit/singleUse.ts';
import type { RequestContext } from '../http/requestContext.ts';
import type { SecurityLog } from '../http/securityLog.ts';
import { systemRandom } from '../lib/ids.ts';
import { createTickLimiter } from '../lib/tickLimiter.ts';
import type { Clock } from '../lib/time.ts';
import type { EffectiveSetting } from '../model/system.ts';
import { version } from '../version.ts';
import { PINNED_WIDGET } from './embeddedFiles.ts';
import type { Services } from './services.ts';

export type PortalOptions = {
  readonly services: Services;
  /** What a running server counts. */
  readonly usageRecording: Pick<PortalDeps, 'statistics'>;
  readonly taskFinished: PortalDeps['taskFinished'];
  readonly requestContext: RequestContext;
  readonly noteSecurity: SecurityLog['note'];
  readonly bodies: Bodies;
  readonly clock: Clock;
  readonly baseUrl: string;
  /** Hosts under which the portal answers besides that of the base URL, as `URL.hostname` has them. */
  readonly allowedHosts: readonly string[];
  /** As they stand, for administrators. */
  readonly settings: readonly EffectiveSetting[];
  /** Whether `GET /` leads to the portal. */
  readonly hasRoot: boolean;
};

/** The portal's faces, with all that its pages need. */
export function createPortal({
  services,
  usageRecording,
  taskFinished,
  requestContext,
  noteSecurity,
  bodies,
  clock,
  baseUrl,
  allowedHosts,
  settings,
  hasRoot,
}: PortalOptions) {
  const sign = services.derivePortal;
  const newName = () => systemRandom(new Uint8Array(16)).toHex();
  const pages = portalRoutes({
    ...services,
    statistics: usageRecording.statistics,
    clock,
    issuePlaygroundPuzzle: createIssuePlaygroundPuzzle({ clock, random: systemRandom }),
    taskFinished,
    pinnedWidget: PINNED_WIDGET,
    cookies: createCookies({ isHttps: baseUrl.startsWith('https:'), sign }),
    requestContext,
    noteSecurity,
    tokens: createFormTokens(sign),
    bodies,
    waitForTick: createTickLimiter(1),
    acceptsHost: createAcceptsHost(baseUrl, allowedHosts),
    baseUrl,
    newVisitor: newName,
    once: createOnce(newName),
    explainAddress: requestContext.explainAddress,
    describeSystem: services.systemDescriber({ version, settings }),
    hasRoot,
  });
  return [pages, assetRoutes(PORTAL_ASSETS)];
}

/** @returns whether a request comes from a user who is signed in to the portal */
export function createIsSignedIn({
  services,
  requestContext,
  baseUrl,
}: Pick<PortalOptions, 'services' | 'requestContext' | 'baseUrl'>): (request: Request) => Promise<boolean> {
  const cookies = createCookies({ isHttps: baseUrl.startsWith('https:'), sign: services.derivePortal });
  return async (request) => {
    const { session } = cookies.read(request);
    const browser = request.headers.get('user-agent') ?? '';
    const clientInfo = {
      address: requestContext.addressOf(request),
      client: requestContext.clientOf(request),
      browser,
    };
    return (
      session !== undefined &&
      (await services.authentication.sessions.open(session, clientInfo)) !== undefined
    );
  };
}

/** @returns the link that makes the first account; undefined where somebody can sign in already */
export async function beginSetup({ authentication }: Services, baseUrl: string): Promise<string | undefined> {
  const token = await authentication.setup.begin();
  return token === undefined ? undefined : linkTo(baseUrl, 'setup', token);
}
