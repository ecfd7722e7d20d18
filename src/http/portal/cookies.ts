import { areEqual } from '../../lib/bytes.ts';

/** What the portal's cookies say. */
type Carried = {
  /** The secret of a session. */
  readonly session: string | undefined;
  /** A random name for a browser in which nobody is signed in, which we gave. */
  readonly visitor: string | undefined;
  /** A sentence for the next page, which we wrote. */
  readonly notice: string | undefined;
  /** The token of the link that was opened last in this browser. */
  readonly link: string | undefined;
};

type Name = keyof Carried;

/** The portal's cookies: `HttpOnly`, `SameSite=Lax`, gone with the browser; on https `Secure` and bound to the host. */
export type Cookies = {
  readonly read: (request: Request) => Carried;
  /** @returns a `Set-Cookie` */
  readonly write: (name: Name, value: string) => string;
  /** @returns a `Set-Cookie` that removes it */
  readonly clear: (name: Name) => string;
};

export type CookiesDeps = {
  readonly isHttps: boolean;
  /** HMAC-SHA-256 with a secret of the installation. */
  readonly sign: (text: string) => Uint8Array;
};

/** Lifetimes of cookies that do not last as long as the browser, in seconds: a notice is shown soon or never. */
const LIFETIMES: Readonly<Partial<Record<Name, number>>> = { notice: 60, link: 3600 };

/** @see Cookies */
export function createCookies({ isHttps, sign }: CookiesDeps): Cookies {
  // The prefix makes browsers refuse the cookie from a sister host (RFC 6265bis, section 4.1.3.2).
  const prefix = isHttps ? '__Host-postern-' : 'postern-';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;

  const macOf = (name: Name, value: string) => sign(`cookie ${name} ${value}`);

  /** What we signed, and nothing else. */
  function opened(name: Name, text: string | undefined): string | undefined {
    const [value = '', mac = '', ...more] = text?.split('.') ?? [];
    const isOurs = more.length === 0 && areEqual(Buffer.from(mac, 'base64url'), macOf(name, value));
    return isOurs ? Buffer.from(value, 'base64url').toString() : undefined;
  }

  return {
    read(request) {
      const all = pairsOf(request.headers.get('cookie') ?? '');
      return {
        session: all.get(`${prefix}session`),
        visitor: opened('visitor', all.get(`${prefix}visitor`)),
        notice: opened('notice', all.get(`${prefix}notice`)),
        link: opened('link', all.get(`${prefix}link`)),
      };
    },
    write(name, value) {
      // A session's secret says by itself that it is ours.
      if (name === 'session') return `${prefix}session=${value}; ${attributes}`;
      const text = Buffer.from(value).toString('base64url');
      const mac = Buffer.from(macOf(name, text)).toString('base64url');
      const seconds = LIFETIMES[name];
      const life = seconds === undefined ? '' : `; Max-Age=${seconds}`;
      return `${prefix}${name}=${text}.${mac}; ${attributes}${life}`;
    },
    clear: (name) => `${prefix}${name}=; ${attributes}; Max-Age=0`,
  };
}

/** Without what comes twice under one name: a sister host may have set the one, and nothing tells which. */
function pairsOf(header: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  const twice = new Set<string>();
  for (const pair of header.split(';')) {
    const [name = '', ...value] = pair.split('=').map(trimmed);
    if (pairs.has(name)) twice.add(name);
    pairs.set(name, value.join('='));
  }
  for (const name of twice) pairs.delete(name);
  return pairs;
}

/** Of space and tab alone (RFC 6265, section 5.2): a name that begins with U+00A0 is another one, which may come from a sister host. */
function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}
