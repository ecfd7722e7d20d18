import { Elysia } from 'elysia';
import { OPERATIONS } from './openapi/operations.ts';

export type HealthDeps = {
  /** Names of the problems that prevent the server from serving requests. */
  readonly readinessProblems: () => readonly string[];
};

/** `GET /livez`: 200 while the process runs. `GET /readyz`: 503 while the server drains or cannot write to its disk. */
export function healthRoutes({ readinessProblems }: HealthDeps) {
  const headers = { 'Cache-Control': 'no-store' };
  return new Elysia()
    .get('/livez', () => Response.json({ status: 'ok' }, { headers }), { detail: OPERATIONS.getLiveness })
    .get(
      '/readyz',
      () => {
        const troubles = readinessProblems();
        const isReady = troubles.length === 0;
        const body = { status: isReady ? 'ok' : 'unavailable', troubles };
        return Response.json(body, { status: isReady ? 200 : 503, headers });
      },
      { detail: OPERATIONS.getReadiness },
    );
}
