/**
 * The headers of every response.
 *
 * @param baseUrl `Strict-Transport-Security` is sent only if its scheme is https
 * @param hstsSubdomains whether that header covers the subdomains of the host
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
 * The Content-Security-Policy of Postern's own pages, which load only embedded files. The widget's workers load its script from
 * a URL without a policy, so they can use WebAssembly.
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
