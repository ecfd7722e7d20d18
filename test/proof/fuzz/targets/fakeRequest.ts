/**
 * The parts of a request that parsers use, with any URL and any header values. Like the values that an HTTP server receives, they
 * contain neither line breaks nor zero bytes, and no whitespace surrounds them.
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
