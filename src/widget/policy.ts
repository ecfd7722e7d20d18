/**
 * Records requests that the page's content security policy blocks.
 *
 * @returns a function that returns the directive that blocked a URL, if any; the event arrives shortly after the request has failed
 */
export function watchPolicy(): (url: string) => string | undefined {
  const blocked = new Map<string, string>();
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective, disposition }) => {
    if (disposition !== 'report') blocked.set(blockedURI, effectiveDirective);
  });
  return (url) => blocked.get(url);
}
