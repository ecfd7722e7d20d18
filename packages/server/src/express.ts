import { type CaptchaOptions, type Rejection, readForm, rejectionOf, verifyForm } from './form.js';
import type { Verdict } from './verify.js';

/** The part of a request of Express that the middleware uses. */
export interface CaptchaRequest extends AsyncIterable<Uint8Array> {
  readonly headers: { readonly 'content-type'?: string | undefined };
  /** The form, if another middleware has parsed it. */
  body?: unknown;
  /** The result, for the handlers that follow. */
  captcha?: Verdict;
}

interface CaptchaResponse {
  statusCode: number;
  end(text: string): unknown;
}

export interface ExpressOptions<Request, Response> extends CaptchaOptions {
  /** Responds to a form that is not accepted; by default, with a message. */
  readonly onRejected?: ((rejection: Rejection, request: Request, response: Response) => unknown) | undefined;
}

/**
 * Creates a middleware for Express 4 and 5 that lets only forms with a valid solution pass. If no middleware has parsed the body, it parses
 * URL-encoded and multipart forms and JSON into `request.body`. Errors, such as a body that is too large, go to Express.
 */
export function captcha<Request extends CaptchaRequest, Response extends CaptchaResponse>(
  options: ExpressOptions<Request, Response>,
): (request: Request, response: Response, next: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      request.body ??= await readForm(request, request.headers['content-type'], options);
      request.captcha = await verifyForm(request.body, options);
      const rejection = rejectionOf(request.captcha, options);
      if (!rejection) return next();
      if (options.onRejected) {
        await options.onRejected(rejection, request, response);
        return;
      }
      response.statusCode = rejection.status;
      response.end(rejection.message);
    } catch (error) {
      next(error);
    }
  };
}
