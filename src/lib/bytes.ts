/** Browsers released before 2025 lack these methods, which are ten times faster. */
type NativeBase64 = {
  readonly toBase64?: () => string;
  readonly setFromBase64?: (
    text: string,
    options: { readonly lastChunkHandling: 'strict' },
  ) => { readonly written: number };
};

/** @returns base64 with padding (RFC 4648, section 4) */
export function toBase64(bytes: Uint8Array): string {
  const native = bytes as unknown as NativeBase64;
  if (native.toBase64 !== undefined) return native.toBase64();
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const BASE64_URL = /^[\w-]*$/;
const ONLY_IN_BASE64_URL = /[-_]/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Decodes canonical base64 only: standard alphabet, padding, no whitespace, unused bits zero (RFC 4648, section 3.5). The same
 * bytes therefore have exactly one encoding.
 *
 * @returns undefined if the text is invalid
 */
export function bytesFromBase64(text: string): Uint8Array | undefined {
  const native = Uint8Array.prototype as unknown as NativeBase64;
  if (native.setFromBase64 !== undefined) return decodeNatively(text, native.setFromBase64);
  if (!BASE64.test(text)) return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return isPaddedWithZeroBits(text, bytes) ? bytes : undefined;
}

/**
 * Decodes canonical base64 or canonical base64url without padding (RFC 4648, sections 4 and 5). A text must not mix both alphabets.
 *
 * @returns undefined if the text is invalid
 */
export function bytesFromAnyBase64(text: string): Uint8Array | undefined {
  // An exception of the decoder takes longer than this check.
  const standard = ONLY_IN_BASE64_URL.test(text) ? undefined : bytesFromBase64(text);
  return standard ?? (BASE64_URL.test(text) ? bytesFromBase64(toStandardBase64(text)) : undefined);
}

function toStandardBase64(base64Url: string): string {
  const standard = base64Url.replace(/-/g, '+').replace(/_/g, '/');
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=');
}

function decodeNatively(text: string, setFromBase64: NonNullable<NativeBase64['setFromBase64']>) {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  try {
    const { written } = setFromBase64.call(bytes, text, { lastChunkHandling: 'strict' });
    // The decoder ignores whitespace.
    return written === bytes.length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Only the last character before the padding can contain unused bits. */
function isPaddedWithZeroBits(text: string, bytes: Uint8Array): boolean {
  if (!text.endsWith('=')) return true;
  const tail = bytes.length % 3;
  return toBase64(bytes.subarray(bytes.length - tail)) === text.slice(-4);
}
