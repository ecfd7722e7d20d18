import type { AltchaDeps } from '../../../captcha/dialects/altcha.ts';
import { createWorkCheck } from '../../../captcha/dialects/workCheck.ts';
import type { KeyRing } from '../../../captcha/signature.ts';
import { createHmac } from '../../../sha256.ts';
import type { Route } from '../../router.ts';
import { createIssueToPage, type PuzzleRoutesDeps } from '../puzzle.ts';
import type { SiteverifyRoutesDeps } from '../siteverify/siteverify.ts';
import { altchaRoutes } from './altcha.ts';
import { capRoutes } from './cap.ts';
import { createPageRequests } from './pageRequests.ts';

export type DialectRoutesDeps = PuzzleRoutesDeps &
  SiteverifyRoutesDeps & {
    readonly keyRing: () => KeyRing;
    /** @see AltchaDeps */
    readonly offlineSecretOf: AltchaDeps['offlineSecretOf'];
  };

/**
 * Creates the routes for the unmodified widgets and backends of ALTCHA and Cap. Only their own verification paths accept their solutions,
 * which take less work than those of Postern's widget: a backend that uses `/verify` or `/siteverify` is not affected.
 */
export function dialectRoutes(given: DialectRoutesDeps): readonly Route[] {
  const hmac = createHmac();
  const { hashAddress, limit, requestContext } = given;
  const pages = createPageRequests({
    ...given,
    issueToPage: createIssueToPage(given),
    takeClient: (request) => limit.take(hashAddress(requestContext.clientOf(request) ?? '')),
  });
  const deps = { ...given, hmac, pages, work: createWorkCheck({ ...given, hmac }) };
  return [...capRoutes(deps), ...altchaRoutes(deps)];
}
