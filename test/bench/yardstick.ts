/** The yardstick: a bare `Bun.serve` that answers `hello world` to everything. Prints its port. */
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('hello world') });
console.log(server.port);
