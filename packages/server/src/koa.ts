import {
  type CaptchaOptions,
  type Fields,
  type Rejection,
  readForm,
  rejectionOf,
  verifyForm,
} from './form.js';

/** The part of Koa's context that the middleware uses. */
export interface CaptchaContext {
  readonly req: AsyncIterable<Uint8Array> & {
    readonly headers: { readonly 'content-type'?: string | undefined };
  };
  readonly request: object;
  readonly state: Record<string, unknown>;
  status: number;
  body: unknown;
}

export interface KoaOptions<Context> extends CaptchaOptions {
  /** Responds to a form that is not accepted; by default, with a message. */
  readonly onRejected?: ((rejection: Rejection, context: Context) => unknown) | undefined;
}

/**
 * Creates a middleware for Koa that lets only forms with a valid solution pass. If no middleware has parsed the body, it parses URL-encoded
 * and multipart forms and JSON into `context.request.body`. The result is in `context.state.captcha`.
 */
export function captcha<Context extends CaptchaContext>(
  options: KoaOptions<Context>,
): (context: Context, next: () => Promise<unknown>) => Promise<void> {
  return async (context, next) => {
    const request = context.request as { body?: Fields | undefined };
    request.body ??= await readForm(context.req, context.req.headers['content-type'], options);
    const verdict = await verifyForm(request.body, options);
    context.state.captcha = verdict;
    const rejection = rejectionOf(verdict, options);
    if (!rejection) {
      await next();
    } else if (options.onRejected) {
      await options.onRejected(rejection, context);
    } else {
      context.status = rejection.status;
      context.body = rejection.message;
    }
  };
}
