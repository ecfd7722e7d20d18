import type { SnippetFacts } from './snippetTemplates.ts';

/** The code with which a page and a backend for another vendor use Postern. */
export type VendorSnippet = {
  readonly id: string;
  readonly title: string;
  /** The page's script and element. */
  readonly page: string;
  /** The backend's URL for verification. The backend's secret is an API key. */
  readonly verifyUrl: string;
  /** The name of the form's field. */
  readonly field: string;
};

const VENDORS = [
  ['recaptcha', 'reCAPTCHA v2', '/recaptcha/api.js', 'g-recaptcha', '/recaptcha/api/siteverify'],
  ['hcaptcha', 'hCaptcha', '/1/api.js', 'h-captcha', '/hcaptcha/siteverify'],
  ['turnstile', 'Turnstile', '/turnstile/v0/api.js', 'cf-turnstile', '/turnstile/v0/siteverify'],
] as const;

/** The snippets for pages and backends written for another vendor. */
export function vendorSnippets({ baseUrl, property }: SnippetFacts): readonly VendorSnippet[] {
  const { sitekey } = property;
  const automatic = VENDORS.map(([id, title, path, name, verifyPath]) => ({
    id,
    title,
    page: `<script src="${baseUrl}${path}" async defer></script>
<div class="${name}" data-sitekey="${sitekey}"></div>`,
    verifyUrl: `${baseUrl}${verifyPath}`,
    field: `${name}-response`,
  }));
  const v3 = {
    id: 'recaptcha-v3',
    title: 'reCAPTCHA v3',
    page: `<script src="${baseUrl}/recaptcha/api.js?render=${sitekey}"></script>
<script>
  grecaptcha.ready(async () => {
    const token = await grecaptcha.execute('${sitekey}', { action: 'submit' });
  });
</script>`,
    verifyUrl: `${baseUrl}/recaptcha/api/siteverify`,
    field: 'g-recaptcha-response',
  };
  const privateCaptcha = {
    id: 'private-captcha',
    title: 'Private Captcha',
    page: `<script src="${baseUrl}/widget/js/privatecaptcha.js" defer></script>
<div class="private-captcha" data-sitekey="${sitekey}"></div>`,
    verifyUrl: `${baseUrl}/verify`,
    field: 'private-captcha-solution',
  };
  return [...automatic.slice(0, 1), v3, ...automatic.slice(1), privateCaptcha];
}
