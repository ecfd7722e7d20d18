import type { Account } from '../../src/model/account.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { StartedSession } from '../../src/platform/authentication/sessions.ts';
import { TOKEN_FIELD } from '../../src/portal/components/form.tsx';
import { createFormTokens } from '../../src/portal/kit/tokens.ts';
import { expectOk, type TestServer } from './server.ts';

/** A response with its body. */
export type PageResponse = {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The `Location` header, without its query. */
  readonly redirectPath: string | undefined;
};

/**
 * A browser without scripts: it keeps cookies, fills forms in, and sends what browsers send. It opens links with a token in
 * the fragment as the page's script does.
 */
export type BrowserClient = {
  readonly get: (path: string, headers?: Record<string, string>) => Promise<PageResponse>;
  /** Sends fields unchanged, with the origin of the server. */
  readonly post: (path: string, fields: Fields, headers?: Record<string, string>) => Promise<PageResponse>;
  /** Sends a form with files (multipart/form-data), with the origin of the server. */
  readonly upload: (path: string, form: FormData) => Promise<PageResponse>;
  /** Opens a page, fills in the form with this action, or the first form, and sends it. */
  readonly fill: (path: string, fields: Fields, action?: string) => Promise<PageResponse>;
  /** Fills in the form with this action, or the first form, of a page that was shown, and sends it. */
  readonly submit: (shown: PageResponse, fields: Fields, action?: string) => Promise<PageResponse>;
  /** Follows a redirect. */
  readonly follow: (shown: PageResponse) => Promise<PageResponse>;
  readonly cookies: Map<string, string>;
};

type Fields = Readonly<Record<string, string>>;

/** @param userAgent the `User-Agent` header */
export function createBrowserClient(
  { url }: Pick<TestServer, 'url'>,
  userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
): BrowserClient {
  const cookies = new Map<string, string>();

  async function ask(
    path: string,
    init: RequestInit,
    headers: Record<string, string>,
  ): Promise<PageResponse> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = { 'User-Agent': userAgent, ...(cookie === '' ? {} : { Cookie: cookie }), ...headers };
    const response = await fetch(`${url}${path}`, { redirect: 'manual', ...init, headers: all });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const redirectPath = response.headers.get('location')?.split('?')[0];
    return { status: response.status, text: await response.text(), headers: response.headers, redirectPath };
  }

  const get: BrowserClient['get'] = async (path, headers = {}) => {
    const [address = '', fragment] = path.split('#');
    const shown = await ask(address, {}, headers);
    return fragment === undefined ? shown : openLink(address, fragment, shown);
  };

  /** Does the same as the page's script with a token in the fragment. */
  async function openLink(address: string, fragment: string, shown: PageResponse): Promise<PageResponse> {
    const link = new URLSearchParams(fragment).get('token') ?? '';
    if (!shown.text.includes(`action="${address}/open" id="open-link"`)) return shown;
    const opened = await post(`${address}/open`, { link, [TOKEN_FIELD]: tokenIn(shown) });
    const to = opened.headers.get('location');
    return to === null ? opened : ask(to, {}, {});
  }
  const post: BrowserClient['post'] = (path, fields, headers = {}) =>
    ask(path, { method: 'POST', body: new URLSearchParams(fields) }, { Origin: url, ...headers });

  const submit: BrowserClient['submit'] = async (shown, fields, action) => {
    const form = formIn(shown.text, action);
    if (form === undefined) throw new Error(`no form ${action ?? ''}: ${shown.status} ${shown.text}`);
    return post(form.action, { ...form.hidden, ...fields });
  };

  return {
    get,
    post,
    upload: (path, form) => ask(path, { method: 'POST', body: form }, { Origin: url }),
    fill: async (path, fields, action) => submit(await get(path), fields, action),
    submit,
    async follow(shown) {
      const to = shown.headers.get('location');
      if (to === null) throw new Error(`no redirect: ${shown.status} ${shown.text}`);
      return get(to);
    },
    cookies,
  };
}

/** The action and the hidden fields of a form. */
function formIn(text: string, wanted?: string) {
  const [, content = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(text) ?? [];
  for (const [, action = '', inside = ''] of content.matchAll(
    /<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/g,
  )) {
    if (wanted !== undefined && action !== wanted) continue;
    const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    return {
      action,
      hidden: Object.fromEntries(hidden.map(([, name, value]) => [name ?? '', plain(value ?? '')])),
    };
  }
  return undefined;
}

function plain(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

export const PASSWORD = 'correct horse battery';

let authentication = 0;

/** A user with the password PASSWORD. */
export async function addUser({ app }: TestServer, isAdmin = false): Promise<Account> {
  const email = `person${++authentication}@example.com`;
  const draft = { email, name: `Person ${authentication}`, isAdmin, password: PASSWORD };
  return expectOk(await app.services.users.create(INSTALLATION, draft));
}

/** Starts a session without the sign-in page. */
export async function beginSession({ app }: TestServer, account: Account): Promise<StartedSession> {
  const clientInfo = { address: '127.0.0.1', browser: 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0' };
  return app.services.authentication.sessions.start(account, clientInfo);
}

/** Starts a session in a new browser. */
export async function signedIn(
  server: TestServer,
  account: Account,
): Promise<BrowserClient & StartedSession> {
  const browser = createBrowserClient(server);
  const begun = await beginSession(server, account);
  browser.cookies.set('postern-session', begun.secret);
  return { ...browser, ...begun };
}

/** The token of the forms of a user who is signed in. */
export function formTokenOf({ app }: TestServer, { session }: Pick<StartedSession, 'session'>): string {
  const { derivePortal, ids } = app.services;
  return createFormTokens({ sign: derivePortal, ids }).forSession(session);
}

/** The token in the forms of a page. */
export function tokenIn({ text }: PageResponse): string {
  return new RegExp(`name="${TOKEN_FIELD}" value="([^"]*)"`).exec(text)?.[1] ?? '';
}
