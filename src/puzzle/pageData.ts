/**
 * Data that a page adds to its visitors' solutions, as in reCAPTCHA v3 (`action`) and Turnstile (`action`, `cData`). Verification
 * responses return the data. It is not signed, so it proves nothing.
 */
export type PageData = {
  /** At most 100 characters: ASCII letters, digits, `_`, `/`, and `-`. Empty for reCAPTCHA v3 without an action. */
  readonly action?: string;
  /** At most 255 characters: ASCII letters, digits, `_`, and `-`. */
  readonly cData?: string;
};

const ACTION = /^[\w/-]{0,100}$/;
const CDATA = /^[\w-]{0,255}$/;

/** @returns the name of the first invalid field */
export function findInvalidField({ action = '', cData = '' }: PageData): keyof PageData | undefined {
  if (!ACTION.test(action)) return 'action';
  return CDATA.test(cData) ? undefined : 'cData';
}

/** @param pageData must be valid @returns for each field, its length (one byte) and its ASCII characters; empty without fields */
export function encodePageData({ action, cData = '' }: PageData): Uint8Array {
  if (action === undefined && !cData) return new Uint8Array();
  const fields = [action ?? '', cData];
  return Uint8Array.from(fields.flatMap((text) => [text.length, ...[...text].map((c) => c.charCodeAt(0))]));
}

/** @returns undefined unless the bytes are the encoding of valid data */
export function decodePageData(bytes: Uint8Array): PageData | undefined {
  const actionEnd = 1 + (bytes[0] ?? 0);
  const cDataEnd = actionEnd + 1 + (bytes[actionEnd] ?? 0);
  if (cDataEnd !== bytes.length) return undefined;
  const text = String.fromCharCode(...bytes);
  const [action, cData] = [text.slice(1, actionEnd), text.slice(actionEnd + 1)];
  // Two empty fields stand for a solution of reCAPTCHA v3 without an action.
  const pageData = { ...(action || !cData ? { action } : {}), ...(cData ? { cData } : {}) };
  return findInvalidField(pageData) === undefined ? pageData : undefined;
}
