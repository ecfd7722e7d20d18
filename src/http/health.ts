import { Elysia } from 'elysia';
import { OPERATIONS } from './openapi/operations.ts';

export type HealthDeps = {
  /** What is wrong, by name; empty when requests can be served. */
  readonly troubles: () => readonly string[];
};

/** `GET /livez`: the process answers. `GET /readyz`: it can serve; 503 while it drains or has lost its disk. */
export function healthRoutes({ troubles }: HealthDeps) {
  const headers = { 'Cache-Control': 'no-store' };
  return new Elysia()
    .get('/livez', () => Response.json({ status: 'ok' }, { headers }), { detail: OPERATIONS.getLiveness })
    .get(
      '/readyz',
      () => {
        const found = troubles();
        const isReady = found.length === 0;
        const body = { status: isReady ? 'ok' : 'unavailable', troubles: found };
        return Response.json(body, { status: isReady ? 200 : 503, headers });
      },
      { detail: OPERATIONS.getReadiness },
    );
}
