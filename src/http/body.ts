/**
 * Reads a body whole, but not more than `limit` bytes, whatever its headers say.
 *
 * @returns undefined for a larger one, of which at most `limit` bytes and one chunk were held
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const declared = request.headers.get('content-length');
  if (declared !== null) return Number(declared) > limit ? undefined : request.bytes();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The same, as UTF-8 text; what is no UTF-8 becomes U+FFFD. */
export async function readText(request: Request, limit: number): Promise<string | undefined> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) <= limit) return request.text();
  const body = await readBody(request, limit);
  return body && new TextDecoder().decode(body);
}

/** How long the body of what changes something may take, in milliseconds: half a minute sends 1 MB over 300 kbit/s. */
const BODY_TIME_MS = 30_000;

/**
 * A reading that does not wait for ever for who sends a byte now and then.
 *
 * @param lapse ends it; by default after 30 seconds
 * @returns `too-slow` where that came first
 */
export async function inTime<T>(
  reading: Promise<T>,
  lapse: AbortSignal = AbortSignal.timeout(BODY_TIME_MS),
): Promise<T | 'too-slow'> {
  const { promise, resolve } = Promise.withResolvers<'too-slow'>();
  const giveUp = () => resolve('too-slow');
  lapse.addEventListener('abort', giveUp);
  try {
    return await Promise.race([reading, promise]);
  } finally {
    // Else the signal would hold what was read until its time has come.
    lapse.removeEventListener('abort', giveUp);
  }
}
