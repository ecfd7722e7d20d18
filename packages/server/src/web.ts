import {
  type CaptchaOptions,
  type Rejection,
  readForm,
  rejectionOf,
  UnreadableForm,
  verifyForm,
} from './form.js';

/** Options of the functions for frameworks that use `Request` and `Response`. */
export interface WebOptions extends CaptchaOptions {
  /** Returns the response to a form that is not accepted; a message by default. */
  readonly onRejected?: ((rejection: Rejection) => Response | Promise<Response>) | undefined;
}

/** @returns the response to a form that is not accepted; undefined if it is accepted */
export async function check(form: unknown, options: WebOptions): Promise<Response | undefined> {
  const rejection = rejectionOf(await verifyForm(form, options), options);
  if (!rejection) return undefined;
  return options.onRejected?.(rejection) ?? new Response(rejection.message, { status: rejection.status });
}

/**
 * Checks the form of a request, whose body remains readable.
 *
 * @returns the response to a form that is not accepted or cannot be read; undefined if it is accepted
 */
export async function checkRequest(request: Request, options: WebOptions): Promise<Response | undefined> {
  const { body, headers } = request.clone();
  const stream = body as (ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) | null;
  try {
    const form = await readForm(stream, headers.get('content-type') ?? undefined, options);
    return await check(form, options);
  } catch (error) {
    if (error instanceof UnreadableForm) return new Response(error.message, { status: error.status });
    throw error;
  }
}
