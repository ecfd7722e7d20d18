import { curl, go, java, javascript, php, python, ruby, type SnippetFacts } from './snippetTemplates.ts';

/** Names in the templates that stand for values of a property, so that the build can highlight the templates. */
export const PLACEHOLDERS = {
  baseUrl: '__BASE_URL__',
  sitekey: '__SITEKEY__',
  domain: '__DOMAIN__',
  /** The domain in a regular expression. */
  domainPattern: '__DOMAIN_PATTERN__',
  key: '__KEY__',
  pinnedPath: '__PINNED_PATH__',
  integrity: '__INTEGRITY__',
} as const;

const BACKENDS = { javascript, python, php, ruby, java, go, curl } as const;

/** The languages for backends, in the order of the page. */
export const BACKEND_IDS = Object.keys(BACKENDS) as readonly (keyof typeof BACKENDS)[];

export type BackendId = keyof typeof BACKENDS;

/** The settings of a property that change the code of a backend. */
type Hosts = { readonly allowsSubdomains: boolean; readonly allowsLocalhost: boolean };

/** @returns the id of a backend's code */
export function backendKey(id: BackendId, { allowsSubdomains, allowsLocalhost }: Hosts): string {
  return [id, ...(allowsSubdomains ? ['subdomains'] : []), ...(allowsLocalhost ? ['localhost'] : [])].join(
    ' ',
  );
}

/** A code sample with its language. */
type Template = {
  readonly language: 'bash' | 'go' | 'java' | 'javascript' | 'php' | 'python' | 'ruby' | 'xml';
  readonly code: string;
};

const WIDGET = `<div class="postern-captcha" data-sitekey="${PLACEHOLDERS.sitekey}" data-theme="auto"></div>`;
const SCRIPT = `<script src="${PLACEHOLDERS.baseUrl}/widget/postern.js" defer></script>`;

const PAGES: Readonly<Record<string, string>> = {
  page: `<!-- In the head of the page -->
${SCRIPT}

<!-- In the form, where the widget should appear -->
${WIDGET}
<noscript>This form is protected against bots. Please enable JavaScript to submit it.</noscript>`,
  pinned: `<script src="${PLACEHOLDERS.baseUrl}${PLACEHOLDERS.pinnedPath}"
  integrity="${PLACEHOLDERS.integrity}"
  crossorigin="anonymous" defer></script>`,
};

/** Vendors with the script, the class of the element, and the path for verification that Postern replaces. */
// biome-ignore format: a table is easier to read with one row per line
const VENDORS = [
  { id: 'recaptcha', title: 'reCAPTCHA v2', script: '/recaptcha/api.js', name: 'g-recaptcha', verify: '/recaptcha/api/siteverify' },
  { id: 'recaptcha-v3', title: 'reCAPTCHA v3', script: '', name: 'g-recaptcha', verify: '/recaptcha/api/siteverify' },
  { id: 'hcaptcha', title: 'hCaptcha', script: '/1/api.js', name: 'h-captcha', verify: '/hcaptcha/siteverify' },
  { id: 'turnstile', title: 'Turnstile', script: '/turnstile/v0/api.js', name: 'cf-turnstile', verify: '/turnstile/v0/siteverify' },
  { id: 'altcha', title: 'ALTCHA', script: '', name: 'altcha-widget', verify: '/v1/verify/signature' },
  { id: 'cap', title: 'Cap', script: '', name: 'cap-widget', verify: `/cap/${PLACEHOLDERS.sitekey}/siteverify` },
  { id: 'private-captcha', title: 'Private Captcha', script: '', name: 'private-captcha', verify: '/verify' },
] as const;

/** Names of fields that do not consist of the element's class and `-response`. */
const FIELDS: Readonly<Record<string, string>> = {
  'private-captcha': 'private-captcha-solution',
  altcha: 'altcha',
  cap: 'cap-token',
};

/** Vendors whose scripts and requests Postern accepts. */
export const VENDOR_SNIPPETS = VENDORS.map(({ id, title, name, verify }) => ({
  id,
  title,
  /** The path that the backend calls to verify solutions, with an API key as its secret; may contain the placeholder of the sitekey. */
  verifyPath: verify,
  /** The name of the form's field. */
  field: FIELDS[id] ?? `${name}-response`,
}));

function vendorPage({ id, script, name }: (typeof VENDORS)[number]): string {
  const { baseUrl, sitekey } = PLACEHOLDERS;
  if (id === 'recaptcha-v3')
    return `<script src="${baseUrl}/recaptcha/api.js?render=${sitekey}"></script>
<script>
  grecaptcha.ready(async () => {
    const token = await grecaptcha.execute('${sitekey}', { action: 'submit' });
  });
</script>`;
  if (id === 'private-captcha')
    return `<script src="${baseUrl}/widget/js/privatecaptcha.js" defer></script>
<div class="private-captcha" data-sitekey="${sitekey}"></div>`;
  if (id === 'altcha')
    return `<script src="${baseUrl}/altcha/altcha.js" async defer></script>
<altcha-widget challenge="${baseUrl}/altcha/v1/challenge?apiKey=${sitekey}"></altcha-widget>`;
  if (id === 'cap')
    return `<script src="${baseUrl}/cap/widget.js" async defer></script>
<cap-widget data-cap-api-endpoint="${baseUrl}/cap/${sitekey}/"></cap-widget>`;
  return `<script src="${baseUrl}${script}" async defer></script>
<div class="${name}" data-sitekey="${sitekey}"></div>`;
}

/** The languages of the backends, as the highlighter names them. */
const LANGUAGE_OF = {
  curl: 'bash',
  go: 'go',
  java: 'java',
  javascript: 'javascript',
  php: 'php',
  python: 'python',
  ruby: 'ruby',
} as const;

/** Every code sample of the integration page with placeholders, by its id. */
export function snippetTemplates(): Readonly<Record<string, Template>> {
  const templates: Record<string, Template> = {};
  for (const [id, code] of Object.entries(PAGES)) templates[id] = { language: 'xml', code };
  for (const vendor of VENDORS)
    templates[`${vendor.id}-page`] = { language: 'xml', code: vendorPage(vendor) };
  for (const id of BACKEND_IDS) {
    for (const allowsSubdomains of [false, true]) {
      for (const allowsLocalhost of [false, true]) {
        const hosts = { allowsSubdomains, allowsLocalhost };
        const code = BACKENDS[id](factsOf(id, hosts));
        templates[backendKey(id, hosts)] = { language: LANGUAGE_OF[id], code };
      }
    }
  }
  return templates;
}

function factsOf(id: BackendId, hosts: Hosts): SnippetFacts {
  const { baseUrl, sitekey, key, domainPattern } = PLACEHOLDERS;
  // Only the code for curl compares the domain with a regular expression.
  const domain = id === 'curl' ? domainPattern : PLACEHOLDERS.domain;
  return { baseUrl, key, property: { ...hosts, sitekey, domain } };
}
