/**
 * Remembers what the page's content security policy forbade.
 *
 * @returns the directive that forbade asking this address, if one did; its event comes a moment after the failure
 */
export function watchPolicy(): (url: string) => string | undefined {
  const forbidden = new Map<string, string>();
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective, disposition }) => {
    if (disposition !== 'report') forbidden.set(blockedURI, effectiveDirective);
  });
  return (url) => forbidden.get(url);
}
