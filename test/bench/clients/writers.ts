/** The client of `parts/writers.ts`: sends one rename at a time for each organization, until SIGTERM. */
type Options = { readonly url: string; readonly ids: readonly string[]; readonly secret: string };

const { url, ids, secret } = JSON.parse(process.argv[2] ?? '{}') as Options;
const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
const counts = { done: 0, limited: 0 };
let isStopped = false;
process.on('SIGTERM', () => {
  isStopped = true;
});

async function write(id: string, number: number): Promise<void> {
  for (let n = 0; !isStopped; n++) {
    const body = JSON.stringify({ id, name: `Organization ${number}, ${n}` });
    const response = await fetch(`${url}/org`, { method: 'PUT', headers, body });
    await response.arrayBuffer();
    if (response.status === 200) counts.done++;
    else if (response.status !== 429) throw new Error(`status ${response.status}`);
    else {
      counts.limited++;
      await Bun.sleep(Number(response.headers.get('retry-after')) * 1000);
    }
  }
}

await Promise.all(ids.map(write));
console.log(JSON.stringify(counts));
process.exit();

export {};
