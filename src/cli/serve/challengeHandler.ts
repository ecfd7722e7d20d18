import { CHALLENGE_PATH, type Challenges } from '../../acme/challenges.ts';
import { exactPathOf, hostOf, searchOf } from '../../lib/target.ts';
import type { App } from '../../server/app.ts';

export type ChallengeHandlerOptions = {
  readonly challenges: Challenges;
  /** The public URL with https. */
  readonly baseUrl: string;
  readonly domains: readonly string[];
  /** Whether https is available. */
  readonly hasHttps: () => boolean;
  /** Handles `/livez` until https is available. */
  readonly fetch: App['fetch'];
};

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

/** The response to a token that does not belong to the current order. `postern doctor` recognizes it. */
export const UNKNOWN_CHALLENGE = 'Postern: unknown challenge\n';

/**
 * Handles requests to the http port. It responds to HTTP-01 challenges and redirects all other requests to https (308). Until https
 * is available, it responds to them with 503, except for `/livez`.
 */
export function createChallengeHandler(options: ChallengeHandlerOptions): App['fetch'] {
  const { challenges, hasHttps, fetch } = options;
  return (request) => {
    if (hostOf(request) === undefined)
      return new Response('The Host header is invalid.\n', { status: 400, headers: PLAIN });
    const path = exactPathOf(request);
    if (path.startsWith(CHALLENGE_PATH)) {
      const response = challenges.find(path.slice(CHALLENGE_PATH.length));
      if (response === undefined) return new Response(UNKNOWN_CHALLENGE, { status: 404, headers: PLAIN });
      return new Response(response, { headers: { ...PLAIN, 'Content-Type': 'application/octet-stream' } });
    }
    if (hasHttps()) return redirect(request, options);
    if (path === '/livez') return fetch(new Request('http://localhost/livez', { method: request.method }));
    return new Response(
      'This server does not have a certificate yet. Try again when the CA has issued it.\n',
      { status: 503, headers: { ...PLAIN, 'Retry-After': '60' } },
    );
  };
}

/** Redirects to the requested domain if it is one of the domains of the certificate. Otherwise, redirects to the public URL. */
function redirect(request: Request, { baseUrl, domains }: ChallengeHandlerOptions): Response {
  const target = new URL(baseUrl);
  const host = hostOf(request);
  if (host !== undefined && domains.includes(host)) target.hostname = host;
  return new Response(null, {
    status: 308,
    headers: { Location: `${target.origin}${exactPathOf(request)}${searchOf(request)}` },
  });
}
