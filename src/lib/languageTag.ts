/** Aliases in lowercase: obsolete tags, closely related languages, and regions that imply a script. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['zh-tw', 'zh-hant'],
  ['zh-hk', 'zh-hant'],
  ['zh-mo', 'zh-hant'],
  ['yue', 'zh-hant'],
  ['no', 'nb'],
  ['nn', 'nb'],
  ['iw', 'he'],
  ['in', 'id'],
  ['tl', 'fil'],
  ['prs', 'fa'],
  ['sh', 'sr-latn'],
  ['cnr', 'sr-latn'],
  ['sr-me', 'sr-latn'],
]);

/**
 * Language lookup according to RFC 4647, section 3.4: the wanted tag is shortened from its end until it matches.
 *
 * @param wanted a BCP 47 tag
 * @param tags available languages
 * @returns the tag of an available language; undefined if none matches
 */
export function languageFor(wanted: string, tags: readonly string[]): string | undefined {
  for (let parts = wanted.toLowerCase().split('-'); parts.length > 0; parts = shortened(parts)) {
    const range = parts.join('-');
    const name = ALIASES.get(range) ?? range;
    const found = tags.find((tag) => tag.toLowerCase() === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Removes the last subtag, and a single-letter subtag before it (RFC 4647, section 3.4). */
function shortened(parts: readonly string[]): string[] {
  const end = parts.length - 1;
  return parts.slice(0, parts[end - 1]?.length === 1 ? end - 1 : end);
}
