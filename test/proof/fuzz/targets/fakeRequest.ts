/**
 * A request with any URL and any header values, as far as parsers use it. Its values have no line breaks and no zero bytes, as the values
 * that an HTTP server receives, and no whitespace around them.
 *
 * @param headers by lowercase name; absent and empty values are missing
 */
export function requestOf(url: string, headers: Readonly<Record<string, string | undefined>>): Request {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const sent = value?.replace(/[\0\r\n]/g, '').replace(/^[ \t]+/, '') ?? '';
    if (sent.trimEnd() !== '') values.set(name, withoutBlanksAtEnd(sent));
  }
  const get = (name: string) => values.get(name.toLowerCase()) ?? null;
  const has = (name: string) => values.has(name.toLowerCase());
  return { url, headers: { get, has } } as unknown as Request;
}

function withoutBlanksAtEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end--;
  return text.slice(0, end);
}
