import { type CaptchaOptions, parseForm, type Rejection, rejectionOf, verifyForm } from './form.js';
import type { Verdict } from './verify.js';

interface CaptchaRequest {
  readonly body: unknown;
  readonly headers: { readonly 'content-type'?: string | undefined };
  /** The result, for the handlers that follow. */
  captcha?: Verdict;
}

interface CaptchaReply {
  code(status: number): CaptchaReply;
  send(body: unknown): CaptchaReply;
}

interface FastifyServer {
  addContentTypeParser(
    types: string[],
    options: { parseAs: 'buffer' },
    parser: (request: CaptchaRequest, body: Buffer) => Promise<unknown>,
  ): unknown;
}

/** The subset of Node's `Buffer` that is used. */
type Buffer = Uint8Array;

export interface FastifyOptions extends CaptchaOptions {
  /** Responds to a form that is not accepted; by default, with a message. */
  onRejected?(rejection: Rejection, request: CaptchaRequest, reply: CaptchaReply): unknown;
}

/** A plugin that parses URL-encoded and multipart forms, which Fastify rejects without a plugin. Fastify's `bodyLimit` applies. */
export async function formParser(server: FastifyServer): Promise<void> {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data'];
  server.addContentTypeParser(types, { parseAs: 'buffer' }, (request, body) =>
    parseForm(body, request.headers['content-type']),
  );
}

// Fastify would limit the parsers to the plugin itself.
Object.assign(formParser, { [Symbol.for('skip-override')]: true });

/** Creates a `preHandler` for Fastify 4 and 5 that lets only forms with a valid solution pass. */
export function captcha(
  options: FastifyOptions,
): (request: CaptchaRequest, reply: CaptchaReply) => Promise<unknown> {
  return async (request, reply) => {
    request.captcha = await verifyForm(request.body, options);
    const rejection = rejectionOf(request.captcha, options);
    if (!rejection) return undefined;
    if (options.onRejected) return options.onRejected(rejection, request, reply);
    return reply.code(rejection.status).send(rejection.message);
  };
}
