/** The bare server that the libraries run behind. It listens on the port in the environment variable `PORT`. */

type Handler = (request: Request) => Promise<unknown>;

const HEADERS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'content-type' };

/** @param handlers by path, for all methods. The response is the result as JSON; 400 if it is undefined */
export function serve(handlers: Readonly<Record<string, Handler>>): void {
  Bun.serve({
    hostname: '127.0.0.1',
    port: Number(process.env.PORT),
    async fetch(request) {
      if (request.method === 'OPTIONS') return new Response(null, { headers: HEADERS });
      const handler = handlers[pathOf(request.url)];
      if (handler === undefined) return new Response(null, { status: 404 });
      const result = await handler(request);
      if (result === undefined) return new Response('false', { status: 400, headers: HEADERS });
      return Response.json(result, { headers: HEADERS });
    },
  });
}

/** Faster than `new URL`. */
function pathOf(url: string): string {
  const path = url.slice(url.indexOf('/', 8));
  const query = path.indexOf('?');
  return query < 0 ? path : path.slice(0, query);
}
