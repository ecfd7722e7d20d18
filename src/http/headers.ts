/** Headers that every answer carries. `Strict-Transport-Security` only where the world comes by https. */
export function houseHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(isHttps ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/**
 * For pages of ours: everything from the binary. The widget's workers run its script as a file, so its WebAssembly goes by
 * the file's policy, which is none.
 */
export const PAGE_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
