/**
 * The baseline: a minimal `Bun.serve` that always responds with `hello world`. Prints its port.
 *
 * Argument: microseconds of computation for each request, 0 by default.
 */
const nanoseconds = 1000 * Number(process.argv[2] ?? 0);

function compute(): void {
  const end = Bun.nanoseconds() + nanoseconds;
  while (Bun.nanoseconds() < end);
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch() {
    if (nanoseconds > 0) compute();
    return new Response('hello world');
  },
});
console.log(server.port);
