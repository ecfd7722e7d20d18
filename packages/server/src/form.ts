import { type Verdict, type VerifyOptions, verify } from './verify.js';

/** Options of the middleware. */
export interface CaptchaOptions extends VerifyOptions {
  /** The name of the form's field; `postern-captcha-solution` by default. */
  readonly field?: string | undefined;
  /** Whether forms are accepted if the server did not decide; false by default. */
  readonly failOpen?: boolean | undefined;
  /** The maximum size of a form that the middleware reads itself, in bytes; 1 MiB by default. */
  readonly maxBodyBytes?: number | undefined;
}

/** Why a form is not accepted, as an HTTP response. */
export interface Rejection {
  /** 403 if the solution is rejected, 503 if the server did not decide. */
  readonly status: 403 | 503;
  readonly message: string;
  readonly verdict: Verdict;
}

/** A parsed form: a repeated field is an array. */
export type Fields = Readonly<Record<string, unknown>>;

const FIELD = 'postern-captcha-solution';
const MAX_BODY_BYTES = 1024 * 1024;

/** The body of a request cannot be read. */
export class UnreadableForm extends Error {
  /** 400 if the body is malformed, 413 if it is too large; Express, Fastify, and Koa use this property. */
  readonly status: 400 | 413;
  readonly statusCode: 400 | 413;

  constructor(status: 400 | 413, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableForm';
    this.status = this.statusCode = status;
  }
}

/**
 * Verifies the solution in a form.
 *
 * @param form a `FormData`, `URLSearchParams`, or an object with the fields
 * @returns the verdict; `rejected` with code 4 if the field is missing, repeated, or not a string
 */
export function verifyForm(form: unknown, options: CaptchaOptions): Promise<Verdict> {
  return verify(solutionIn(form, options.field ?? FIELD), options);
}

function solutionIn(form: unknown, field: string): string {
  if (typeof form !== 'object' || form === null) return '';
  const value =
    form instanceof FormData || form instanceof URLSearchParams
      ? form.getAll(field)
      : [Object.hasOwn(form, field) ? (form as Fields)[field] : undefined].flat();
  const [solution] = value;
  return value.length === 1 && typeof solution === 'string' ? solution : '';
}

/** @returns why a form with this verdict is not accepted; undefined if it is */
export function rejectionOf(verdict: Verdict, options: CaptchaOptions): Rejection | undefined {
  if (verdict.outcome === 'accepted') return undefined;
  if (verdict.outcome === 'rejected') {
    return { status: 403, message: 'Please repeat the check and send the form again.', verdict };
  }
  if (options.failOpen) return undefined;
  return { status: 503, message: 'The check is not available. Please try again later.', verdict };
}

/**
 * Parses a form or a JSON object.
 *
 * @returns undefined if the type is neither of them
 * @throws UnreadableForm
 */
export async function parseForm(body: Uint8Array, type: string | undefined): Promise<Fields | undefined> {
  const [essence = ''] = (type ?? '').toLowerCase().split(';');
  try {
    if (essence.trim() === 'application/json') return JSON.parse(new TextDecoder().decode(body)) as Fields;
    if (!/^(multipart\/form-data|application\/x-www-form-urlencoded)$/.test(essence.trim())) return undefined;
    const headers = { 'Content-Type': type ?? '' };
    return toFields(await new Response(new Uint8Array(body), { headers }).formData());
  } catch (cause) {
    throw new UnreadableForm(400, 'the form is malformed', { cause });
  }
}

/** Reads the form once: `getAll` for each name would take minutes for a form of 1 MiB with many names. */
function toFields(form: FormData): Fields {
  const fields = new Map<string, unknown[]>();
  form.forEach((value, name) => {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  });
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/**
 * Reads and parses the body of a request.
 *
 * @param stream a request of Node, or the body of a `Request`
 * @throws UnreadableForm
 */
export async function readForm(
  stream: AsyncIterable<Uint8Array> | null,
  type: string | undefined,
  { maxBodyBytes = MAX_BODY_BYTES }: CaptchaOptions,
): Promise<Fields | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new UnreadableForm(413, `the form is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return parseForm(body, type);
}
