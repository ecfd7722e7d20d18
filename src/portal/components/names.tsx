import type { Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';

type User = { readonly name: string; readonly email: string };

/** A link to an object. */
export function NameLink({ path, name }: { readonly path: string; readonly name: string }): Element {
  return (
    <a href={path}>
      <bdi>{name}</bdi>
    </a>
  );
}

/** A user in a sentence: the name and the email address, or only the address if the name is the same. */
export function UserName({ user: { name, email } }: { readonly user: User }): Element {
  if (name === email) return <>{email}</>;
  return (
    <>
      <bdi>{name}</bdi> ({email})
    </>
  );
}

/** A user in a list: the email address is below the name. */
export function UserItem(props: {
  readonly user: User;
  /** Follows the name: `(you)`. */
  readonly note?: string | undefined;
}): Element {
  const { name, email } = props.user;
  return (
    <>
      <bdi>{name}</bdi>
      {props.note !== undefined && ` ${props.note}`}
      {name !== email && <span class="soft">{email}</span>}
    </>
  );
}

/** @returns a client address for display; for IPv6, which is stored as 16 hexadecimal digits, its /64 network */
export function addressName(address: string): string {
  const groups = /^[0-9a-f]{16}$/.test(address) ? (address.match(/..../g) ?? []) : [];
  return groups.length === 0
    ? address
    : `${groups.map((group) => group.replace(/^0{1,3}/, '')).join(':')}::/64`;
}

/** Browsers by pattern of the `User-Agent` header. The order matters, because many browsers also send the names of others. */
const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
] as const;

const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** The browser and its operating system, in the language of the page: `Firefox on Linux`. */
export function browserName(userAgent: string): string {
  const known = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = known ?? t('account.security.unknownBrowser');
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  return system === undefined ? browser : t('account.security.browserOn', { browser, system });
}
