/**
 * Families of browsers and programs by parts of the `User-Agent` header. The first family with one of its parts in the header counts,
 * because many browsers also send the names of others. Clients can send any header.
 */
const FAMILIES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Edge', ['Edg/', 'Edge/', 'EdgA/', 'EdgiOS/']],
  ['Opera', ['OPR/']],
  ['Firefox', ['Firefox/', 'FxiOS/']],
  ['Headless Chrome', ['HeadlessChrome/']],
  ['Chrome', ['Chrome/', 'CriOS/']],
  ['Safari', ['Safari/']],
  ['curl', ['curl/']],
  ['Wget', ['Wget/']],
  ['Python', ['python-requests/', 'python-httpx/', 'Python-urllib/', 'aiohttp/']],
  ['Go', ['Go-http-client/']],
  ['Java', ['Java/', 'Java-http-client/', 'okhttp/']],
  ['JavaScript', ['axios/', 'node-fetch', 'undici']],
]);

const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** @returns the operating system in the header: `Linux`; undefined for an unknown system */
export function systemOf(userAgent: string): string | undefined {
  return SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
}

/** @returns `Firefox`; undefined for an unknown or empty header */
export function browserFamilyOf(userAgent: string): string | undefined {
  for (const [family, parts] of FAMILIES) {
    if (parts.some((part) => userAgent.includes(part))) return family;
  }
  return undefined;
}

/**
 * Returns the patterns of a rule for a family: `*Firefox/*`. They also match browsers that send its name, as Edge sends that of Chrome.
 * Empty for an unknown family.
 */
export function patternsOfFamily(family: string): readonly string[] {
  return FAMILIES.get(family)?.map((part) => `*${part}*`) ?? [];
}
