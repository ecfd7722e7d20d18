/** The baseline: a minimal `Bun.serve` that always responds with `hello world`. Prints its port. */
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('hello world') });
console.log(server.port);
