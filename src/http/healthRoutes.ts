import { Elysia } from 'elysia';
import type { HealthHandlers } from './health.ts';
import { OPERATIONS } from './openapi/operations.ts';

/** The routes for health checks in the router. */
export function healthRoutes({ live, ready }: HealthHandlers) {
  return new Elysia()
    .get('/livez', ({ request }) => live(request), { detail: OPERATIONS.getLiveness })
    .get('/readyz', ({ request }) => ready(request), { detail: OPERATIONS.getReadiness });
}
