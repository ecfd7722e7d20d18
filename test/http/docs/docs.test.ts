import { describe, expect, test } from 'bun:test';
import { HELP_TOPICS, helpPath } from '../../../src/http/help.ts';
import { useServer } from '../../support/useServer.ts';
import { runScenarios, send } from '../scenario.ts';

const server = useServer({ settings: { POSTERN_DEMO: 'on' } });

const PAGE = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy':
    /^(?=.*default-src 'none')(?=.*frame-ancestors 'none')(?!.*unsafe-inline)(?!.*'unsafe-eval')/,
};
const GZIP = { 'Accept-Encoding': 'gzip' };
/** Bytes. */
const PAGE_LIMIT = 150_000;

const get = (path: string, headers: Record<string, string> = {}) => send(server.url, { path, headers });

/** @returns the bytes that a response transfers */
async function sizeOf(path: string): Promise<number> {
  const response = await fetch(`${server.url}${path}`, { headers: GZIP, decompress: false });
  return (await response.bytes()).length;
}

const valuesOf = (html: string, attribute: string) =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  );

type Pages = ReadonlyMap<string, string>;

/** All pages that links lead to, starting at the first page. */
async function readPages(): Promise<Pages> {
  const pages = new Map<string, string>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const response = await get(path);
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    const html = await response.text();
    pages.set(path, html);
    for (const link of valuesOf(html, 'href')) {
      const [target = ''] = link.split('#');
      if (/^\/docs(\/|$)/.test(target) && !pages.has(target)) waiting.push(target);
    }
  }
  return pages;
}

let reading: Promise<Pages> | undefined;
function allPages(): Promise<Pages> {
  reading ??= readPages();
  return reading;
}

describe('the documentation', () => {
  test('has a page for every page of the repository, except those for contributors', async () => {
    const found = [...(await allPages()).keys()];
    expect(found.length).toBeGreaterThan(40);
    const files = [...new Bun.Glob('docs/**/*.md').scanSync({ cwd: `${import.meta.dir}/../../..` })];
    const paths = files
      .filter((file) => !file.startsWith('docs/project/'))
      .map((file) => `/${file.replace(/(?:\/README)?\.md$/, '')}`);
    const others = ['/docs/changelog', '/docs/security-policy'];
    expect(found.toSorted()).toEqual([...paths, ...others].toSorted());
  });

  test('names pages that only the repository has, without a link', async () => {
    const html = (await allPages()).get('/docs/explanation/security') ?? '';
    expect(html).toContain('<span title="docs/project/asvs.md in the repository">the ASVS reference</span>');
  });

  test('contains no link to a missing page, heading, file, or picture, and none to another server', async () => {
    const all = await allPages();
    const statuses = new Map<string, number>();
    const wrong: string[] = [];
    for (const [path, html] of all) {
      const loaded = [...valuesOf(html, 'src'), ...valuesOf(html, 'srcset')];
      for (const target of [...valuesOf(html, 'href'), ...loaded]) {
        if (/^https?:/.test(target) && !loaded.includes(target)) continue;
        const [file = '', anchor] = target.split('#');
        const place = file === '' ? path : file;
        if (!statuses.has(place)) statuses.set(place, (await get(place)).status);
        const isKnown = [200, 302, 303].includes(statuses.get(place) ?? 0);
        const hasAnchor = anchor === undefined || valuesOf(all.get(place) ?? '', 'id').includes(anchor);
        if (!isKnown || !hasAnchor) wrong.push(`${path}: ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('transfers at most 150 KB for each page', async () => {
    const large: string[] = [];
    for (const [path, html] of await allPages()) {
      // A browser loads one of the pictures for light and dark.
      const files = [
        ...valuesOf(html, 'src'),
        ...valuesOf(html, 'href').filter((link) => /\.css$/.test(link)),
      ];
      const sizes = await Promise.all([path, ...files].map(sizeOf));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      if (total > PAGE_LIMIT) large.push(`${path}: ${total}`);
    }
    expect(large).toEqual([]);
  }, 120_000);

  test('has unique anchors and one heading of the first level on each page', async () => {
    for (const [path, html] of await allPages()) {
      const ids = valuesOf(html, 'id');
      expect([path, ids.length]).toEqual([path, new Set(ids).size]);
      expect([path, html.match(/<h1>/g)?.length]).toEqual([path, 1]);
    }
  });

  test('contains every section that the portal links to', async () => {
    const all = await allPages();
    const missing = HELP_TOPICS.filter((topic) => {
      const [path = '', anchor] = helpPath(topic).split('#');
      const html = all.get(path);
      return html === undefined || (anchor !== undefined && !valuesOf(html, 'id').includes(anchor));
    });
    expect(missing).toEqual([]);
  });
});

describe('a page of the documentation', () => {
  runScenarios(server, [
    {
      title: 'is served with a strict policy, its navigation, and its table of contents',
      mayNameInternals: true,
      ask: { path: '/docs/how-to/install' },
      status: 200,
      headers: PAGE,
      has: [
        /<title>Install[^<]* · Postern docs<\/title>/,
        /<a href="\/docs\/how-to\/install" aria-current="page">/,
        /<nav class="toc"/,
        /rel="next"/,
      ],
      hasNot: [/<script>/, /\son\w+="/, /\sstyle="/],
    },
    {
      title: 'with a slash at the end is the same page',
      mayNameInternals: true,
      ask: { path: '/docs/how-to/install/' },
      status: 200,
      headers: PAGE,
    },
    {
      title: 'with the name of its file redirects',
      mayNameInternals: true,
      ask: { path: '/docs/how-to/install.md' },
      status: 308,
      headers: { Location: '/docs/how-to/install' },
    },
    {
      title: 'redirects if its folder is missing or wrong',
      mayNameInternals: true,
      ask: { path: '/docs/security' },
      status: 308,
      headers: { Location: '/docs/explanation/security' },
    },
    {
      title: 'that does not exist is HTML with the status 404',
      mayNameInternals: true,
      ask: { path: '/docs/how-to/nothing' },
      status: 404,
      headers: { ...PAGE, 'Cache-Control': 'no-store' },
      has: ['Page not found', 'action="/docs/search"'],
    },
    {
      title: 'outside of the documentation is HTML with the status 404',
      mayNameInternals: true,
      ask: { path: '/docs/..%2f..%2fpackage.json' },
      status: 404,
      has: ['Page not found'],
    },
  ]);

  test('is not transferred again if the browser has it', async () => {
    const tag = (await get('/docs/configuration')).headers.get('etag') ?? '';
    const again = await get('/docs/configuration', { 'If-None-Match': tag });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('is compressed, and HEAD has the same headers without a body', async () => {
    const path = '/docs/configuration';
    const page = await fetch(server.url + path, { headers: GZIP, decompress: false });
    const bytes = new Uint8Array(await page.arrayBuffer());
    expect(page.headers.get('content-encoding')).toBe('gzip');
    const plain = await fetch(server.url + path, { headers: { 'Accept-Encoding': 'identity' } });
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(await plain.text());
    const head = await fetch(server.url + path, { method: 'HEAD', headers: GZIP });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([
      200,
      page.headers.get('etag'),
      '',
    ]);
  });

  test('shares its files, which have the right types', async () => {
    const types = async (path: string) => (await get(path)).headers.get('content-type');
    expect(await types('/docs/deploy/caddy/Caddyfile')).toBe('text/plain; charset=utf-8');
    expect(await types('/docs/reference/export.schema.json')).toBe('application/json');
    expect(await types('/docs/images/widget-light.png')).toBe('image/png');
  });
});

/** What readers search for, in their own words, and the page that answers it. */
const QUESTIONS: readonly (readonly [string, string])[] = [
  ['sso', '/docs/reference/not-supported'],
  ['csp', '/docs/reference/widget'],
  ['gdpr', '/docs/explanation/privacy'],
  ['k8s', '/docs/how-to/kubernetes'],
  ['2fa', '/docs/how-to/portal'],
  ['docker', '/docs/how-to/install'],
  ['nginx', '/docs/how-to/reverse-proxy'],
  ['letsencrypt', '/docs/how-to/automatic-https'],
  ['back up', '/docs/how-to/back-up'],
  ['how do I restore a backup', '/docs/how-to/back-up'],
  ['create api key', '/docs/how-to/portal#create-api-keys'],
  ['rotate an api key', '/docs/explanation/api-keys'],
  ['POSTERN_TRUSTED_PROXIES', '/docs/configuration'],
  ['environment variables', '/docs/configuration'],
  ['siteverify', '/docs/reference/api'],
  ['recovery codes', '/docs/how-to/portal'],
  ['reset a forgotten password', '/docs/faq'],
  ['text for my privacy policy', '/docs/explanation/privacy'],
  ['do I need a cookie banner', '/docs/faq'],
  ['CF-Connecting-IP', '/docs/how-to/cloudflare'],
  ['testing with playwright', '/docs/how-to/test-in-ci'],
  ['cypress', '/docs/how-to/test-in-ci'],
  ['remove postern', '/docs/how-to/uninstall'],
  ['next.js', '/docs/how-to/server-frameworks'],
  ['htmx', '/docs/how-to/server-frameworks'],
  ['typescript', '/docs/how-to/frameworks'],
  ['angular', '/docs/how-to/frameworks'],
  ['single sign-on', '/docs/reference/not-supported'],
  ['privacy policy', '/docs/explanation/privacy'],
  ['web view', '/docs/how-to/mobile-web-views'],
  ['laravel', '/docs/how-to/server-frameworks'],
  ['use the widget in react', '/docs/how-to/frameworks'],
  ['android app', '/docs/how-to/mobile-web-views'],
  ['definitions of terms', '/docs/reference/glossary'],
  ['how much memory does it need', '/docs/reference/limits'],
  ['prometheus alerts', '/docs/how-to/monitor'],
  ['block a country', '/docs/how-to/rules'],
  ['whitelist an ip address', '/docs/how-to/rules'],
  ['high availability', '/docs/how-to/cluster'],
  ['migrate from recaptcha', '/docs/migrate/recaptcha'],
  ['replace turnstile', '/docs/migrate/turnstile'],
  ['wordpress', '/docs/migrate/applications'],
  ['which level should I choose', '/docs/explanation/proof-of-work'],
  ['widget dark mode', '/docs/reference/widget'],
  ['change the language of the widget', '/docs/reference/widget'],
  ['screen reader', '/docs/reference/accessibility'],
  ['too many requests', '/docs/how-to/troubleshoot'],
  ['all visitors have the same ip address', '/docs/how-to/troubleshoot'],
  ['update to a new version', '/docs/how-to/upgrade'],
  ['does it work offline', '/docs/faq'],
  ['verify in python', '/docs/how-to/verify-on-your-backend'],
  ['test on localhost', '/docs/how-to/verify-on-your-backend'],
  ['can bots pass', '/docs/faq'],
  ['audit log export', '/docs/how-to/portal'],
  ['disk full', '/docs/how-to/operate'],
  ['supported browsers', '/docs/reference/browsers'],
];

describe('the search', () => {
  const search = async (query: string) => (await get(`/docs/search?q=${encodeURIComponent(query)}`)).text();

  runScenarios(server, [
    {
      title: 'without a query shows the field',
      mayNameInternals: true,
      ask: { path: '/docs/search' },
      status: 200,
      headers: { ...PAGE, 'Cache-Control': 'no-store' },
      has: ['type="search"'],
      hasNot: ['class="results"'],
    },
    {
      title: 'shows excerpts with marked words and links to headings',
      mayNameInternals: true,
      ask: { path: '/docs/search?q=trusted+proxies' },
      status: 200,
      has: [/<a href="\/docs\/[\w/-]+#[\w-]+">/, /<mark>proxies<\/mark>/i],
    },
    {
      title: 'for a word that no page contains says so, and what to try',
      mayNameInternals: true,
      ask: { path: '/docs/search?q=xylophone' },
      status: 200,
      has: [
        'No results for “xylophone”',
        'Check the spelling',
        'href="/docs/how-to/troubleshoot"',
        'href="/docs/reference/not-supported"',
      ],
      hasNot: ['class="results"'],
    },
    {
      title: 'shows markup as text',
      mayNameInternals: true,
      ask: { path: `/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}` },
      status: 200,
      hasNot: [/<script>/],
      has: ['&lt;script&gt;alert(1)&lt;/script&gt;'],
    },
    {
      title: 'rejects a long text',
      mayNameInternals: true,
      ask: { path: `/docs/search?q=${'x'.repeat(101)}` },
      status: 400,
      has: ['longer than 100 characters'],
    },
    {
      title: 'rejects many words',
      mayNameInternals: true,
      ask: { path: `/docs/search?q=${Array.from({ length: 11 }, (_, at) => `w${at}`).join('+')}` },
      status: 400,
      has: ['more than 10 words'],
    },
  ]);

  /** @returns the links of the first results */
  async function linksFor(query: string): Promise<readonly string[]> {
    const [, list = ''] = /<ol class="results">(.*?)<\/ol>/s.exec(await search(query)) ?? [];
    return valuesOf(list, 'href');
  }
  const isOn = (path: string) => (link: string) => link === path || link.startsWith(`${path}#`);

  test.each(QUESTIONS)('for %p has %p among the first three results', async (query, path) => {
    const first = (await linksFor(query)).slice(0, 3);
    expect([first, first.some(isOn(path))]).toEqual([first, true]);
  });

  test('has a page first if the query is its title', async () => {
    const wrong: string[] = [];
    for (const [path, html] of await allPages()) {
      const [, title = ''] = /<h1>([^<]*)<\/h1>/.exec(html) ?? [];
      if (path === '/docs' || title === '') continue;
      const [first = ''] = await linksFor(title);
      if (!isOn(path)(first)) wrong.push(`${title}: ${first}`);
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['verifying', 'verification'],
    ['certificates', 'certificate'],
    ['policies', 'policy'],
    ['kuberntes', 'Kubernetes'],
    ['k8s', 'Kubernetes'],
  ])('for %p marks %p', async (query, word) => {
    expect(await search(query)).toContain(`<mark>${word}</mark>`);
  });

  // The list of words for the same subject was an object, whose constructor was found.
  test('accepts the names of the members of every object', async () => {
    for (const query of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
      expect((await get(`/docs/search?q=${query}`)).status).toBe(200);
  });

  test('of words that occur everywhere has results', async () => {
    expect(await search('how does it work')).toContain('class="results"');
  });

  test('advises only pages that exist', async () => {
    const html = await search('xylophone');
    const [, advice = ''] = /<ul class="advice">(.*?)<\/ul>/s.exec(html) ?? [];
    const pages = await allPages();
    expect(valuesOf(advice, 'href').filter((link) => !pages.has(link))).toEqual([]);
  });

  test('shows at most 20 results', async () => {
    const html = await search('the');
    expect(html.match(/class="excerpt"/g)?.length).toBe(20);
  });
});
