import { Elysia } from 'elysia';
import type { Handle } from '../directRoutes.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import type { SiteverifyRoute } from './siteverify/siteverify.ts';

/** The handlers of the routes for puzzles and verifications. */
export type CaptchaHandlers = {
  readonly puzzle: { readonly handle: Handle; readonly preflight: Handle };
  readonly verify: Handle;
  readonly siteverify: readonly SiteverifyRoute[];
};

/** The routes for puzzles and verifications in the router. */
export function captchaRoutes({ puzzle, verify, siteverify }: CaptchaHandlers) {
  const routes = new Elysia()
    .get('/puzzle', ({ request }) => puzzle.handle(request), { detail: OPERATIONS.getPuzzle })
    .options('/puzzle', ({ request }) => puzzle.preflight(request), { detail: OPERATIONS.preflightPuzzle })
    // The body is the payload, regardless of the Content-Type.
    .post('/verify', ({ request }) => verify(request), { parse: 'none', detail: OPERATIONS.verifySolution });
  siteverify.forEach(({ method, path, handle }, at) => {
    const detail = at === 0 ? OPERATIONS.siteverify : { hide: true };
    const respond = ({ request }: { readonly request: Request }) => handle(request);
    if (method === 'POST') routes.post(path, respond, { parse: 'none', detail });
    else routes.get(path, respond, { detail });
  });
  return routes;
}
