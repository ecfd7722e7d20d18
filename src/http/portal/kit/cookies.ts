import { areEqual } from '../../../lib/bytes.ts';

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

const NAMES: readonly Name[] = ['session', 'visitor', 'notice', 'link'];

/** The portal's cookies: `HttpOnly`, `SameSite=Lax`, gone with the browser; on https `Secure` and bound to the host. */
export type Cookies = {
  /** Parses the header at the first call for a request. */
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

/** Lifetimes, in seconds, of cookies that may end before the browser closes. */
const LIFETIMES: Readonly<Partial<Record<Name, number>>> = { notice: 60, link: 3600 };

/** @see Cookies */
export function createCookies({ isHttps, sign }: CookiesDeps): Cookies {
  // The prefix makes browsers reject the cookie from a sibling domain (RFC 6265bis, section 4.1.3.2).
  const prefix = isHttps ? '__Host-postern-' : 'postern-';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;

  /** Parsed once for each request. */
  const carriedBy = new WeakMap<Request, Carried>();

  const macOf = (name: Name, value: string) => sign(`cookie ${name} ${value}`);

  /** What we signed, and nothing else. */
  function opened(name: Name, text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const [value = '', mac = '', more] = text.split('.', 3);
    const isOurs = more === undefined && areEqual(Buffer.from(mac, 'base64url'), macOf(name, value));
    return isOurs ? Buffer.from(value, 'base64url').toString() : undefined;
  }

  return {
    read(request) {
      const known = carriedBy.get(request);
      if (known !== undefined) return known;
      const { session, ...signed } = ownPairs(request.headers.get('cookie') ?? '', prefix);
      const carried = {
        session,
        visitor: opened('visitor', signed.visitor),
        notice: opened('notice', signed.notice),
        link: opened('link', signed.link),
      };
      carriedBy.set(request, carried);
      return carried;
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

/**
 * The values of the cookies with this prefix and one of our names, in one pass over the header. A name that occurs twice is
 * left out, because a sibling domain may have set one of the two, and the header does not show which.
 */
function ownPairs(header: string, prefix: string): Partial<Record<Name, string>> {
  const pairs: Partial<Record<Name, string>> = {};
  const repeated = new Set<Name>();
  for (let start = 0; start < header.length; ) {
    const semicolon = header.indexOf(';', start);
    const end = semicolon < 0 ? header.length : semicolon;
    // Most cookies are not ours: 15,000 empty ones must not cost 15,000 objects.
    const pair = end - start > prefix.length ? header.slice(start, end) : '';
    // In the pair: looking for it in the whole header takes quadratic time on semicolons.
    const equals = pair.indexOf('=');
    const cookie = trimmed(pair, 0, Math.max(equals, 0));
    const name = cookie === '' ? undefined : NAMES.find((one) => cookie === prefix + one);
    if (name !== undefined && pairs[name] !== undefined) repeated.add(name);
    if (name !== undefined) pairs[name] = trimmed(pair, equals + 1, pair.length);
    start = end + 1;
  }
  for (const name of repeated) delete pairs[name];
  return pairs;
}

/**
 * A part of a text without leading and trailing spaces and tabs (RFC 6265, section 5.2). Other white space stays: a name that
 * begins with U+00A0 is not ours, and a sibling domain may have set it. A loop, because `/[ \t]+$/` takes quadratic time.
 */
function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
