import { checkRequest, type WebOptions } from './web.js';

/** Creates a middleware for Hono 4 that lets only forms with a valid solution pass. Handlers can read the form again. */
export function captcha(
  options: WebOptions,
): (
  context: { readonly req: { readonly raw: Request } },
  next: () => Promise<void>,
) => Promise<Response | undefined> {
  return async (context, next) => {
    const response = await checkRequest(context.req.raw, options);
    if (!response) await next();
    return response;
  };
}
