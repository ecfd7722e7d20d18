import { createDrawPlaygroundPuzzle } from './captcha/playground.ts';
import { PINNED_WIDGET } from './files.ts';
import { assetsFace } from './http/assets.ts';
import type { Bodies } from './http/body.ts';
import type { Exchange } from './http/exchange.ts';
import { createAcceptsHost } from './http/hosts.ts';
import { PORTAL_ASSETS } from './http/portal/assets.ts';
import { createCookies } from './http/portal/cookies.ts';
import { createFormTokens } from './http/portal/csrf.ts';
import { portalFace } from './http/portal/face.ts';
import { linkTo } from './http/portal/link.ts';
import { createOnce } from './http/portal/once.ts';
import type { PortalDeps } from './http/portal/route.ts';
import type { SecurityLog } from './http/securityLog.ts';
import { systemRandom } from './lib/ids.ts';
import { createTickLimiter } from './lib/tickLimiter.ts';
import type { Clock } from './lib/time.ts';
import type { EffectiveSetting } from './model/system.ts';
import type { Office } from './office.ts';
import { version } from './version.ts';

export type PortalOptions = {
  readonly office: Office;
  /** What a running server counts. */
  readonly metering: Pick<PortalDeps, 'statistics'>;
  readonly exchange: Exchange;
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
  office,
  metering,
  exchange,
  noteSecurity,
  bodies,
  clock,
  baseUrl,
  allowedHosts,
  settings,
  hasRoot,
}: PortalOptions) {
  const sign = office.derivePortal;
  const newName = () => systemRandom(new Uint8Array(16)).toHex();
  const pages = portalFace({
    ...office,
    statistics: metering.statistics,
    clock,
    drawPlaygroundPuzzle: createDrawPlaygroundPuzzle({ clock, random: systemRandom }),
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    pinnedWidget: PINNED_WIDGET,
    cookies: createCookies({ isHttps: baseUrl.startsWith('https:'), sign }),
    exchange,
    noteSecurity,
    tokens: createFormTokens(sign),
    bodies,
    waitForTick: createTickLimiter(1),
    acceptsHost: createAcceptsHost(baseUrl, allowedHosts),
    baseUrl,
    newVisitor: newName,
    once: createOnce(newName),
    explainAddress: exchange.explainAddress,
    tellSystem: office.systemTeller({ version, settings }),
    hasRoot,
  });
  return [pages, assetsFace(PORTAL_ASSETS)];
}

/** @returns whether a request comes from a user who is signed in to the portal */
export function createIsSignedIn({
  office,
  exchange,
  baseUrl,
}: Pick<PortalOptions, 'office' | 'exchange' | 'baseUrl'>): (request: Request) => Promise<boolean> {
  const cookies = createCookies({ isHttps: baseUrl.startsWith('https:'), sign: office.derivePortal });
  return async (request) => {
    const { session } = cookies.read(request);
    const browser = request.headers.get('user-agent') ?? '';
    const whence = { address: exchange.addressOf(request), client: exchange.clientOf(request), browser };
    return session !== undefined && (await office.people.sessions.open(session, whence)) !== undefined;
  };
}

/** @returns the link that makes the first account; undefined where somebody can sign in already */
export async function beginSetUp({ people }: Office, baseUrl: string): Promise<string | undefined> {
  const token = await people.setUp.begin();
  return token === undefined ? undefined : linkTo(baseUrl, 'setup', token);
}
