/**
 * A bare server that does part of the work of `GET /puzzle`, without any of Postern's code. The argument is one of STEPS; each step includes the
 * earlier ones. Prints the port.
 */

/** What the handler does, in this order. */
export const STEPS = ['bare', 'address', 'request', 'text', 'headers', 'cryptography'] as const;

/** The size of a puzzle and of its signature for a short host, in bytes. */
const [PUZZLE_BYTES, SIGNATURE_BYTES] = [47, 54];
const SECRET = crypto.getRandomValues(new Uint8Array(32));

/** The headers that the widget's requests need, which are the same in every response. */
const HEADERS = new Headers({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Type': 'text/plain; charset=utf-8',
  'Access-Control-Allow-Origin': 'https://example.com',
  'Access-Control-Expose-Headers': 'Date, Retry-After, X-Request-Id',
  'Cache-Control': 'no-store',
  Vary: 'Origin',
});

const FIXED_TEXT = `${'A'.repeat(64)}.${'B'.repeat(72)}`;
let issued = 0;

/** A different text for each request, as long as a signed puzzle. */
const newText = () => FIXED_TEXT.slice(String(issued).length) + issued++;

const puzzle = crypto.getRandomValues(new Uint8Array(PUZZLE_BYTES));
const signature = new Uint8Array(SIGNATURE_BYTES);
const keyed = new Bun.CryptoHasher('sha256', SECRET);
const mac = new Uint8Array(64);

/** The hash of the address, the MAC that seals it, the signature, and both texts. */
function newPuzzle(address: string): string {
  Bun.SHA256.hash(address, mac.subarray(0, 32));
  for (let i = 0; i < 2; i++) keyed.copy().update(puzzle).digest(mac);
  signature.set(mac.subarray(0, SIGNATURE_BYTES));
  puzzle[0] = issued++;
  return `${puzzle.toBase64()}.${signature.toBase64()}`;
}

function serve(steps: number): number {
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch(request) {
      const address = steps >= 1 ? server.requestIP(request)?.address : '';
      if (steps >= 2 && (request.url === '' || request.headers.get('origin') === null))
        return new Response(null, { status: 400 });
      const text = steps < 3 ? 'hello world' : steps < 5 ? newText() : newPuzzle(address ?? '');
      return steps < 4 ? new Response(text) : new Response(text, { headers: HEADERS });
    },
  });
  return server.port ?? 0;
}

if (import.meta.main) console.log(serve((STEPS as readonly string[]).indexOf(process.argv[2] ?? '')));
