/**
 * Headers that every answer carries.
 *
 * @param baseUrl `Strict-Transport-Security` is sent only if it is https
 * @param hstsSubdomains whether that header covers the subdomains of the host too
 */
export function commonHeaders({
  baseUrl,
  hstsSubdomains,
}: {
  readonly baseUrl: string;
  readonly hstsSubdomains: boolean;
}): Readonly<Record<string, string>> {
  const hsts = `max-age=31536000${hstsSubdomains ? '; includeSubDomains' : ''}`;
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': hsts } : {}),
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
