import { Elysia } from 'elysia';
import { HIDDEN } from './assets.ts';
import type { Handle } from './directRoutes.ts';

/** The route for metrics in the router. */
export function metricsRoutes(handle: Handle) {
  return new Elysia().get('/metrics', ({ request }) => handle(request), HIDDEN);
}
