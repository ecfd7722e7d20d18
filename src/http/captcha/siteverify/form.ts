/** The fields of a verification request. */
export type Form = {
  readonly secret: string | null;
  readonly response: string | null;
  readonly sitekey: string | undefined;
  /** Turnstile's `idempotency_key`; empty if there is none. */
  readonly idempotencyKey: string;
};

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Keeps a byte-order mark, so that a payload with such a mark is invalid. */
const RAW = new TextDecoder('utf-8', { ignoreBOM: true });

/** The type of a text that a program passes to `fetch` as a body. Backends send forms with it. */
const isPlainText = (type: string) => /^text\/plain\b/i.test(type);

/**
 * Parses a form, multipart, or JSON body. If the key is in `X-API-Key`, a body of any other type is the solution; otherwise, plain text is
 * a form.
 *
 * @returns undefined if the body is invalid for its type
 */
export async function parseForm(body: Uint8Array, request: Request): Promise<Form | undefined> {
  const header = request.headers.get('x-api-key');
  const given = request.headers.get('content-type') ?? '';
  const type = header === null && isPlainText(given) ? FORM_TYPE : given;
  // The same headers as `/verify`: ignoring an expected sitekey would be unsafe.
  const headerSitekey = request.headers.get('x-pc-sitekey') || request.headers.get('x-sitekey') || undefined;
  const read = fieldReader(body, type);
  if (read === undefined) {
    // An empty body is valid, but has no secret.
    return header === null && body.length > 0
      ? undefined
      : { secret: header, response: RAW.decode(body), sitekey: headerSitekey, idempotencyKey: '' };
  }
  try {
    const fields = await read();
    // curl sends any body as a form. A form without these two fields is the solution.
    const isRaw = header !== null && fields('secret') === null && fields('response') === null;
    return {
      secret: fields('secret') ?? header,
      response: isRaw && !type.includes('json') ? RAW.decode(body) : fields('response'),
      sitekey: fields('sitekey') || headerSitekey,
      idempotencyKey: '',
    };
  } catch {
    return undefined;
  }
}

/**
 * Parses a request to a vendor's path. A body without a content type is a form, and so is plain text.
 *
 * @param query supplies the fields that the body lacks
 * @returns undefined if the body is invalid for its type
 */
export async function parseVendorForm(
  body: Uint8Array,
  type: string | null,
  query: URLSearchParams,
): Promise<Form | undefined> {
  const isForm = !type || isPlainText(type);
  const read = body.length === 0 ? async () => () => null : fieldReader(body, isForm ? FORM_TYPE : type);
  if (read === undefined) return undefined;
  try {
    const fields = await read();
    const field = (name: string) => fields(name) ?? query.get(name);
    return {
      secret: field('secret'),
      response: field('response'),
      sitekey: field('sitekey') || undefined,
      idempotencyKey: field('idempotency_key') ?? '',
    };
  } catch {
    return undefined;
  }
}

/**
 * Restores a payload from a form. Other vendors' tokens need no URL encoding, so some backends do not encode form values. The form
 * parser then reads each plus sign as a space. A payload contains no spaces.
 */
export function payloadIn(response: string): string {
  return trimLineBreaks(response).replaceAll(' ', '+');
}

/** Removes tabs and line breaks around a text. `trim()` would also remove a byte-order mark. */
function trimLineBreaks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBreak(text.charCodeAt(start))) start++;
  while (end > start && isBreak(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBreak(code: number): boolean {
  return code === 0x09 || code === 0x0a || code === 0x0d;
}

type Fields = (name: string) => string | null;

function fieldReader(body: Uint8Array, type: string): (() => Promise<Fields>) | undefined {
  if (/^application\/json\b|\+json\b/i.test(type))
    return async () => jsonFields(JSON.parse(new TextDecoder().decode(body)));
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
    const parameters = new URLSearchParams(new TextDecoder().decode(body));
    return async () => (name) => parameters.get(name);
  }
  if (!/^multipart\/form-data\b/i.test(type)) return undefined;
  return async () => {
    const form = await new Response(body as Uint8Array<ArrayBuffer>, {
      headers: { 'Content-Type': type },
    }).formData();
    return (name) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : null;
    };
  };
}

function jsonFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('not an object');
  const object = value as Readonly<Record<string, unknown>>;
  return (name) => {
    const field = Object.hasOwn(object, name) ? (object[name] ?? null) : null;
    if (field !== null && typeof field !== 'string') throw new TypeError(`${name} is not a string`);
    return field;
  };
}
