import { t } from '../i18n/t.ts';

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
