import { assetsFace } from './http/assets.ts';
import type { Exchange } from './http/exchange.ts';
import { PORTAL_ASSETS } from './http/portal/assets.ts';
import { createCookies } from './http/portal/cookies.ts';
import { createFormTokens } from './http/portal/csrf.ts';
import { portalFace } from './http/portal/face.ts';
import { createOnce } from './http/portal/once.ts';
import { systemRandom } from './lib/ids.ts';
import type { Clock } from './lib/time.ts';
import type { EffectiveSetting } from './model/system.ts';
import type { Office } from './office.ts';
import { version } from './version.ts';

export type PortalOptions = {
  readonly office: Office;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly baseUrl: string;
  /** As they stand, for administrators. */
  readonly settings: readonly EffectiveSetting[];
  /** Whether `GET /` leads to the portal. */
  readonly hasRoot: boolean;
};

/** The portal's faces, with all that its pages need. */
export function createPortal({ office, exchange, clock, baseUrl, settings, hasRoot }: PortalOptions) {
  const sign = office.derivePortal;
  const newName = () => systemRandom(new Uint8Array(16)).toHex();
  const pages = portalFace({
    ...office,
    clock,
    cookies: createCookies({ isHttps: baseUrl.startsWith('https:'), sign }),
    exchange,
    tokens: createFormTokens(sign),
    baseUrl,
    newVisitor: newName,
    once: createOnce(newName),
    explainAddress: exchange.explainAddress,
    tellSystem: office.systemTeller({ version, settings }),
    hasRoot,
  });
  return [pages, assetsFace(PORTAL_ASSETS)];
}

/** @returns the link that makes the first account; undefined where somebody can sign in already */
export async function beginSetUp({ people }: Office, baseUrl: string): Promise<string | undefined> {
  const token = await people.setUp.begin();
  return token === undefined ? undefined : `${baseUrl}/portal/setup?token=${token}`;
}
