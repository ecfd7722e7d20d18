import { check, type WebOptions } from './web.js';

/** Creates a `beforeHandle` for Elysia that lets only forms with a valid solution pass. */
export function captcha(
  options: WebOptions,
): (context: { readonly body: unknown }) => Promise<Response | undefined> {
  return async ({ body }) => check(body, options);
}
