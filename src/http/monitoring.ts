import { isLoopbackAddress, isLoopbackHost } from '../lib/address.ts';
import { areEqual } from '../lib/signatures.ts';
import { hostOf } from '../lib/target.ts';
import { sha256 } from '../sha256.ts';
import type { DirectRoute, Handle } from './dispatcher.ts';

/** The paths for monitoring, which have reserved places where other requests are limited. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

const NOT_STORED = { 'Cache-Control': 'no-store' };

/**
 * Creates the routes for health checks. `GET /livez`: 200 while the process runs. `GET /readyz`: 503 while the server has a
 * problem that prevents it from serving requests. These routes are direct, so that health checks do not load the router.
 *
 * @param readinessProblems names of the problems that prevent the server from serving requests
 */
export function createHealthRoutes(readinessProblems: () => readonly string[]): readonly DirectRoute[] {
  const common = { method: 'GET', setsHeaders: false, isApi: false } as const;
  return [
    {
      ...common,
      path: '/readyz',
      handle() {
        const problems = readinessProblems();
        const isReady = problems.length === 0;
        const body = { status: isReady ? 'ok' : 'unavailable', problems };
        return Response.json(body, { status: isReady ? 200 : 503, headers: NOT_STORED });
      },
    },
    { ...common, path: '/livez', handle: () => Response.json({ status: 'ok' }, { headers: NOT_STORED }) },
  ];
}

export type MetricsDeps = {
  /** Loads the metrics in the text format of Prometheus. Called for requests that are allowed to read them. */
  readonly loadExposition: () => Promise<Exposition>;
  /** The bearer token; undefined if only requests from this machine can read the metrics. */
  readonly token: string | undefined;
  /** The address of the other end of the connection; undefined if it is closed. */
  readonly peerOf: (request: Request) => string | undefined;
  /** The header in which trusted proxies send the client address. */
  readonly clientIpHeader: string;
};

/** Headers that proxies add. */
const FORWARDING_HEADERS = [
  'Forwarded',
  'Via',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Real-IP',
];

const TEXT = { ...NOT_STORED, 'Content-Type': 'text/plain; charset=utf-8' };

const TOKEN_NEEDED =
  'The token is missing or invalid; send the header "Authorization: Bearer TOKEN" with the value of POSTERN_METRICS_TOKEN.';
const NOT_LOCAL =
  'Only requests from this machine can read the metrics, and they must not pass through a proxy; to allow others, set POSTERN_METRICS_TOKEN.';

type Exposition = { readonly contentType: string; readonly render: () => Promise<string> };

/** `GET /metrics`. Only clients with the token can read the metrics or, if no token is set, only clients on this machine. */
export function createMetricsHandler(deps: MetricsDeps): Handle {
  const rejectionOf = deps.token === undefined ? createLocalCheck(deps) : createTokenCheck(deps.token);
  return async (request) => {
    const rejection = rejectionOf(request);
    if (rejection !== undefined) return rejection;
    const { contentType, render } = await deps.loadExposition();
    const headers = { ...NOT_STORED, 'Content-Type': contentType };
    return new Response(await render(), { headers });
  };
}

/** @returns the response to a rejected request; undefined if the request may read the metrics */
type Check = (request: Request) => Response | undefined;

/** Hashes of equal length are compared in constant time, so the time reveals nothing about the token (RFC 6750, section 3). */
function createTokenCheck(token: string): Check {
  const hash = (text: string) => sha256(new TextEncoder().encode(text));
  const expected = hash(token);
  return ({ headers }) => {
    const given = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
    if (given !== undefined && areEqual(hash(given), expected)) return undefined;
    const challenge = { ...TEXT, 'WWW-Authenticate': 'Bearer realm="metrics"' };
    return new Response(`${TOKEN_NEEDED}\n`, { status: 401, headers: challenge });
  };
}

/**
 * A proxy on this machine connects from a loopback address too, so requests with a forwarding header are rejected. The `Host` header
 * must also be a loopback name: otherwise, a website could read the metrics with a host name that resolves to 127.0.0.1.
 */
function createLocalCheck({ peerOf, clientIpHeader }: MetricsDeps): Check {
  const forwarding = [...FORWARDING_HEADERS, clientIpHeader];
  return (request) => {
    const peer = peerOf(request);
    const isLocal =
      peer !== undefined &&
      isLoopbackAddress(peer) &&
      isLoopbackHost(hostOf(request) ?? '') &&
      !forwarding.some((name) => request.headers.has(name));
    return isLocal ? undefined : new Response(`${NOT_LOCAL}\n`, { status: 403, headers: TEXT });
  };
}
