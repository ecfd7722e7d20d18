import { expect, test } from 'bun:test';
import { LANGUAGES } from '../../../src/portal/i18n/languages.ts';
import { PORTAL_ROUTES } from '../../../src/portal/portalRoutes.ts';
import { addUser, createBrowserClient, signedIn } from '../../support/portal.ts';
import { useFixture, useServer } from '../../support/useServer.ts';
import { examplePath } from '../kit/examples.ts';

const server = useServer();
const owner = useFixture(() => addUser(server, true));
const pages = PORTAL_ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** Elements whose contents are not translated: code, data of users, and texts that are marked as another language. */
const UNTRANSLATED = [
  /<(code|pre|kbd|samp|bdi|svg|script|style|textarea)\b[^>]*>[\s\S]*?<\/\1>/g,
  /<(\w+)\b[^>]* lang="(?!ja")[\w-]+"[^>]*>[\s\S]*?<\/\1>/g,
];

/** Words that are the same in all languages. */
const SHARED = new Set(
  `API AWS BLAKE2b argon2id HashWX CIDR CSS CSV DNS GPU HTML HTTP HTTPS ID IP IPv4 IPv6 JSON TLS UTC URI URL WebAssembly CSP GB KB MB kB ms px rem
   Postern PostgreSQL SQLite Bun Linux Firefox Chrome Swagger OpenAPI Prometheus
   reCAPTCHA hCaptcha Turnstile Captcha Private ALTCHA Cap HMAC
   curl Node JavaScript TypeScript Python PHP Go Ruby Java React Vue Svelte Angular Next Express Django Flask Laravel Rails
   Ctrl Alt Shift Esc Enter Tab Unicode QR TOTP ASN PIN OK example com www
   localhost Windows Mac macOS Android Deno allow url fopen gem grep SignupForm jsx vue svelte captcha token Example
   BLAKE2b argon2id HashWX hashwx NVIDIA RTX CAPTCHA KiB Platform success true origin byte default invited Mem
   GeoIP MaxMind AS64496 db8 accept language revision rules`
    .split(/\s+/)
    .concat(Object.values(LANGUAGES).flatMap(({ name }) => name.match(/\p{L}+/gu) ?? [])),
);

/** The words of a Japanese page that are neither Japanese nor shared by all languages. */
function foreignWords(html: string): readonly string[] {
  const shown = UNTRANSLATED.reduce((text, pattern) => text.replace(pattern, ' '), html);
  const attributes = [
    ...shown.matchAll(/\s(?:alt|aria-label|placeholder|data-label|data-copied)="([^"]*)"/g),
  ];
  const text = [shown.replace(/<[^>]*>/g, ' '), ...attributes.map(([, value]) => value)].join('\n');
  // Data: addresses, paths, settings, sitekeys, and the last characters of share links.
  const words = text.replace(
    /[\w.+-]+@[\w.-]+|\/[\w/{}:.-]+|POSTERN_\w+|…[\w-]{4}|\b[0-9a-f]{12,}\b|&\w+;/g,
    ' ',
  );
  return [...words.matchAll(/\p{Script=Latin}[\p{Script=Latin}\d]{2,}/gu)]
    .map(([word]) => word)
    .filter((word) => !SHARED.has(word));
}

test.each(pages)('GET %s in Japanese has no English text', async (path) => {
  const client = path === '/portal/login' ? createBrowserClient(server) : await signedIn(server, owner);
  const shown = await client.get(await examplePath(path, server, owner), { 'Accept-Language': 'ja' });
  expect(shown.status).toBeLessThan(500);
  if (!shown.headers.get('content-type')?.startsWith('text/html')) return;
  expect(foreignWords(shown.text)).toEqual([]);
});
