import type { DirectRoute, Handle } from './directRoutes.ts';

export type HealthDeps = {
  /** Names of the problems that prevent the server from serving requests. */
  readonly readinessProblems: () => readonly string[];
};

/** `GET /livez`: 200 while the process runs. `GET /readyz`: 503 while the server drains or cannot write to its disk. */
export type HealthHandlers = { readonly live: Handle; readonly ready: Handle };

/** @see HealthHandlers */
export function createHealthHandlers({ readinessProblems }: HealthDeps): HealthHandlers {
  const headers = { 'Cache-Control': 'no-store' };
  return {
    live: () => Response.json({ status: 'ok' }, { headers }),
    ready() {
      const troubles = readinessProblems();
      const isReady = troubles.length === 0;
      const body = { status: isReady ? 'ok' : 'unavailable', troubles };
      return Response.json(body, { status: isReady ? 200 : 503, headers });
    },
  };
}

/** These routes are direct, so that health checks do not load the router. */
export function toDirectHealthRoutes({ live, ready }: HealthHandlers): readonly DirectRoute[] {
  return [
    { method: 'GET', path: '/readyz', handle: ready, setsHeaders: false },
    { method: 'GET', path: '/livez', handle: live, setsHeaders: false },
  ];
}

/** The paths for monitoring, which have reserved places where other requests are limited. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);
