import { type CaptchaOptions, type Rejection, rejectionOf, verifyForm } from './form.js';
import { checkRequest, type WebOptions } from './web.js';

/** Wraps a route handler of Next.js, which then receives only requests whose form has a valid solution. It can read the form as usual. */
export function withCaptcha<Incoming extends Request, Rest extends readonly unknown[]>(
  handler: (request: Incoming, ...rest: Rest) => Response | Promise<Response>,
  options: WebOptions,
): (request: Incoming, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => (await checkRequest(request, options)) ?? handler(request, ...rest);
}

export interface ActionOptions<Result> extends CaptchaOptions {
  /** Returns the result of the action for a form that is not accepted. */
  readonly onRejected: (rejection: Rejection) => Result | Promise<Result>;
}

/**
 * Wraps a server action, with or without the state of `useActionState`, which then receives only forms with a valid solution.
 */
export function withCaptchaAction<Arguments extends readonly unknown[], Result>(
  action: (...args: Arguments) => Result | Promise<Result>,
  options: ActionOptions<Result>,
): (...args: Arguments) => Promise<Result> {
  return async (...args) => {
    const form = args.findLast((arg) => arg instanceof FormData);
    const rejection = rejectionOf(await verifyForm(form, options), options);
    return rejection ? options.onRejected(rejection) : action(...args);
  };
}
