import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { createCollector } from '../../src/http/collector.ts';

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

test('garbage is collected once every three requests, after their responses', async () => {
  let collections = 0;
  const collect = createCollector(() => void collections++, 3);
  collect();
  collect();
  await nextIteration();
  expect(collections).toBe(0);
  collect();
  expect(collections).toBe(0);
  await nextIteration();
  expect(collections).toBe(1);
  for (let i = 0; i < 6; i++) collect();
  await nextIteration();
  expect(collections).toBe(3);
});

test('the garbage of many requests does not accumulate alongside large tables', async () => {
  // Without the collector, the engine would wait until the heap has doubled.
  const table = new Uint8Array(256 * 1024 * 1024);
  Bun.gc(true);
  const collect = createCollector();
  const server = Bun.serve({
    port: 0,
    fetch() {
      collect();
      return new Response('text');
    },
  });
  const send = () => fetch(server.url).then((response) => response.text());
  for (let i = 0; i < 1000; i++) await Promise.all(Array.from({ length: 20 }, send));
  expect(heapStats().objectTypeCounts.Request ?? 0).toBeLessThan(8192);
  expect(table[0]).toBe(0);
  await server.stop(true);
});
