import { isSignatureOf, type Sign, signatureOf } from '../../lib/signatures.ts';
import { type Language, languageOf, negotiateLanguage } from '../i18n/languages.ts';

/** The values of the portal's cookies. */
type CookieValues = {
  /** The secret of a session. */
  readonly session: string | undefined;
  /** A random name for a browser in which no user is signed in. Signed. */
  readonly visitor: string | undefined;
  /** A sentence for the next page. Signed. */
  readonly notice: string | undefined;
  /** The kind and the token of the last link that was opened in this browser. Signed. */
  readonly link: string | undefined;
  /** Language, theme, and time zone. Signed. */
  readonly preferences: string | undefined;
  /** The time zone of the browser, as a script on our pages wrote it. */
  readonly zone: string | undefined;
};

type Name = keyof CookieValues;

const NAMES: readonly Name[] = ['session', 'visitor', 'notice', 'link', 'preferences', 'zone'];

/** The portal's cookies. Those that the server writes are `HttpOnly`, `SameSite=Lax`, end when the browser closes, and on https are also `Secure` and bound to the host. */
export type Cookies = {
  /** Parses the header on the first call for a request. */
  readonly read: (request: Request) => CookieValues;
  /** @returns a `Set-Cookie` header */
  readonly write: (name: Name, value: string) => string;
  /** @returns a `Set-Cookie` header that deletes the cookie */
  readonly clear: (name: Name) => string;
};

type CookiesDeps = {
  readonly isHttps: boolean;
  /** HMAC-SHA-256 with a secret of the installation. */
  readonly sign: Sign;
};

/** Lifetimes, in seconds, of cookies that may end before the browser closes. */
const LIFETIMES: Readonly<Partial<Record<Name, number>>> = {
  notice: 60,
  link: 3600,
  preferences: 365 * 24 * 3600,
};

/** @see Cookies */
export function createCookies({ isHttps, sign }: CookiesDeps): Cookies {
  // The prefix makes browsers reject the cookie from a sibling domain (RFC 6265bis, section 4.1.3.2).
  const prefix = isHttps ? '__Host-postern-' : 'postern-';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;

  const valuesOf = new WeakMap<Request, CookieValues>();

  const signedText = (name: Name, value: string) => `cookie ${name} ${value}`;

  /** @returns undefined unless this installation signed the value */
  function verified(name: Name, text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const [value = '', mac = '', more] = text.split('.', 3);
    const isValid = more === undefined && isSignatureOf(sign, signedText(name, value), mac);
    return isValid ? Buffer.from(value, 'base64url').toString() : undefined;
  }

  return {
    read(request) {
      const known = valuesOf.get(request);
      if (known !== undefined) return known;
      const { session, zone, ...signed } = ownPairs(request.headers.get('cookie') ?? '', prefix);
      const values = {
        session,
        visitor: verified('visitor', signed.visitor),
        notice: verified('notice', signed.notice),
        link: verified('link', signed.link),
        preferences: verified('preferences', signed.preferences),
        zone,
      };
      valuesOf.set(request, values);
      return values;
    },
    write(name, value) {
      // The secret of a session needs no signature.
      if (name === 'session') return `${prefix}session=${value}; ${attributes}`;
      const text = Buffer.from(value).toString('base64url');
      const mac = signatureOf(sign, signedText(name, text));
      const seconds = LIFETIMES[name];
      const maxAge = seconds === undefined ? '' : `; Max-Age=${seconds}`;
      return `${prefix}${name}=${text}.${mac}; ${attributes}${maxAge}`;
    },
    clear: (name) => `${prefix}${name}=; ${attributes}; Max-Age=0`,
  };
}

/**
 * Reads the cookies with this prefix and one of our names in one pass over the header. A name that occurs twice is omitted, because a
 * sibling domain may have set one of the two, and the header does not show which one.
 */
function ownPairs(header: string, prefix: string): Partial<Record<Name, string>> {
  const pairs: Partial<Record<Name, string>> = {};
  const repeated = new Set<Name>();
  for (let start = 0; start < header.length; ) {
    const semicolon = header.indexOf(';', start);
    const end = semicolon < 0 ? header.length : semicolon;
    // Shorter pairs cannot be ours. A header can contain 15,000 empty pairs, which must not create 15,000 strings.
    const pair = end - start > prefix.length ? header.slice(start, end) : '';
    // Searching the whole header instead of the pair would take quadratic time.
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
 * Removes leading and trailing spaces and tabs (RFC 6265, section 5.2). Other whitespace stays: a sibling domain may have set a name
 * that begins with U+00A0. A loop, because `/[ \t]+$/` takes quadratic time.
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

/** Starts a notice that warns, instead of confirming an action. */
export const WARNING_MARK = '! ';

const THEMES = ['auto', 'light', 'dark'] as const;

/** The colors of the pages. `auto` follows the browser. */
export type Theme = (typeof THEMES)[number];

/** The choices of the time zone. */
export const ZONES = ['browser', 'utc'] as const;
type Zone = (typeof ZONES)[number];

export type Preferences = { readonly language: Language; readonly theme: Theme; readonly zone: Zone };

/** @returns the choice with this name; undefined if there is none */
export function zoneChoiceOf(name: string | undefined): Zone | undefined {
  return ZONES.find((zone) => zone === name);
}

/** @returns the theme with this name; undefined if there is none */
export function themeOf(name: string | undefined): Theme | undefined {
  return THEMES.find((theme) => theme === name);
}

/**
 * The preferences for a request.
 *
 * @param stored the value of the cookie: language, theme, and time zone, separated by spaces
 * @param acceptLanguage the header of the request, which decides if the cookie does not
 */
export function preferencesFrom(stored: string | undefined, acceptLanguage: string | null): Preferences {
  const [language, theme, zone] = stored?.split(' ') ?? [];
  return {
    language: languageOf(language) ?? negotiateLanguage(acceptLanguage),
    theme: themeOf(theme) ?? 'auto',
    zone: zoneChoiceOf(zone) ?? 'browser',
  };
}
