import { BenchError } from '../bench/harness/cleanup.ts';
import type { Lab } from '../bench/harness/lab.ts';
import { type Row, toRow } from '../bench/harness/row.ts';
import { openTab, type Tab } from '../support/browser.ts';
import type { Contender } from './contenders.ts';
import type { Page } from './pages.ts';

type Visit = {
  /** Milliseconds from the click to the token. */
  readonly solveMs: number;
  /** Bytes of the files that the page loaded, with gzip, without headers. */
  readonly bytes: number;
  readonly files: number;
  /** Milliseconds from the start of the server to its first answer. */
  readonly startMs: number;
};

/** On a busy machine, some widgets reach their own time limit and give up. */
const TRIES = 4;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  wasm: 'application/wasm',
};

/** Serves a page and its files, and records the paths of the files that were requested. */
function servePage({ html, files }: Page) {
  const requested = new Set<string>();
  const server = Bun.serve({
    hostname: 'localhost',
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url, 'http://localhost');
      if (pathname === '/') return new Response(html, { headers: { 'content-type': 'text/html' } });
      const file = files[pathname];
      if (file === undefined) return new Response(null, { status: 404 });
      requested.add(pathname);
      const type = TYPES[pathname.slice(pathname.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      return new Response(Bun.file(file), { headers: { 'content-type': type } });
    },
  });
  const origin = `http://localhost:${server.port}`;
  return {
    url: `${origin}/`,
    /** Includes the files of workers, which the browser does not report. */
    requested: () => [...requested].map((path) => origin + path),
    stop: () => server.stop(true),
  };
}

/** @throws if the file does not exist @returns its bytes with gzip, without headers */
async function compressedSize(url: string): Promise<number> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return Bun.gzipSync(await response.arrayBuffer(), { level: 12, library: 'libdeflate' }).byteLength;
}

/** @returns the URLs of the files that a page loaded: neither the page itself nor challenges and solutions */
export function downloadsOf(requests: readonly string[], page: string, api: readonly string[]): string[] {
  const files = requests.filter((url) => {
    if (!/^https?:/.test(url) || url === page) return false;
    return !api.includes(new URL(url).pathname);
  });
  return [...new Set(files)];
}

async function solve(tab: Tab, { button }: Page, url: string): Promise<number> {
  await tab.goto(url);
  await tab.until(button);
  await tab.click(button);
  const solveMs = await tab.evaluate<number | null>('solved');
  if (solveMs === null) throw new BenchError(`the widget failed: ${tab.consoleLines.join('; ')}`);
  return solveMs;
}

/** One visitor, with a new server, because Postern's puzzles get harder if one client requests many. */
async function visit(contender: Contender): Promise<Visit> {
  const server = await contender.startForVisitors();
  const page = contender.page(server);
  const website = servePage(page);
  const tab = await openTab();
  try {
    const solveMs = await solve(tab, page, website.url);
    const requests = [...tab.requests.map(({ url }) => url), ...website.requested()];
    const downloads = downloadsOf(requests, website.url, page.api);
    const sizes = await Promise.all(downloads.map(compressedSize));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return { solveMs, bytes, files: downloads.length, startMs: server.startMs };
  } finally {
    tab.close();
    website.stop();
    await server.kill();
  }
}

/** Repeats a visit in which the widget failed. */
async function visitUntilSolved(contender: Contender, progress: Lab['progress']): Promise<Visit> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await visit(contender);
    } catch (cause) {
      if (!(cause instanceof BenchError) || attempt === TRIES) throw cause;
      progress(`${contender.id}, attempt ${attempt}: ${cause.message}`);
    }
  }
}

export type Visits = {
  readonly solving: Row;
  readonly download: Row;
  readonly files: Row;
  readonly start: Row;
};

/** @returns the results by product. The products take turns */
export async function measureVisits(
  contenders: readonly Contender[],
  count: number,
  progress: Lab['progress'],
): Promise<ReadonlyMap<Contender, Visits>> {
  const visits = new Map(contenders.map((contender) => [contender, [] as Visit[]]));
  // The first round warms the browser up.
  for (let round = -1; round < count; round++) {
    for (const [contender, of] of visits) {
      const one = await visitUntilSolved(contender, progress);
      if (round >= 0) of.push(one);
    }
  }
  const rowsOf = (of: readonly Visit[]): Visits => ({
    solving: toRow({ name: 'solving', unit: 'ms', values: of.map(({ solveMs }) => solveMs) }),
    download: toRow({ name: 'download', unit: 'kB', values: of.map(({ bytes }) => bytes / 1000) }),
    files: toRow({ name: 'files', unit: 'files', values: of.map(({ files }) => files) }),
    start: toRow({ name: 'start', unit: 'ms', values: of.map(({ startMs }) => startMs) }),
  });
  return new Map([...visits].map(([contender, of]) => [contender, rowsOf(of)]));
}
