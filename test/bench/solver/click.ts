import { join } from 'node:path';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { BOX, BUTTON, isIn, serveWebsite, startPostern, visit } from '../../browser/fixture.ts';

/** Uses the page's clock, from the event to the state change. */
const WATCH = `new MutationObserver(() => {
  if (${BOX}.dataset.state === 'verified') window.verifiedAt = performance.now();
}).observe(${BOX}, { attributes: true });
document.addEventListener('click', (event) => { window.clickedAt = event.timeStamp; }, true)`;

/** What a visitor to a page with the widget experiences at the default level. */
export type Visit = {
  /** Milliseconds from the click to the verified state. */
  readonly clickMs: number;
  /** Bytes of the scripts and kernels that the page fetched, with gzip, without headers. */
  readonly downloaded: number;
  /** Requests for these files. */
  readonly requests: number;
};

/** Clicks the checkbox of the widget in Chromium, each time on a new page. @param defer stops the servers */
export async function visitPages(
  count: number,
  defer: (step: () => unknown) => void,
): Promise<readonly Visit[]> {
  const postern = await startPostern({ level: DEFAULT_SETTINGS.level });
  defer(postern.stop);
  const values = { postern: postern.url, sitekey: postern.sitekey };
  const website = await serveWebsite(join(import.meta.dir, '../../browser/solve'), values);
  defer(website.stop);
  const visits: Visit[] = [];
  for (let i = 0; i < count; i++) {
    const tab = await visit(website);
    await tab.evaluate(`(() => { ${WATCH} })()`);
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    const clickMs = await tab.evaluate<number>('verifiedAt - clickedAt');
    const files = new Set(tab.requests.map(({ url }) => url).filter((url) => isFile(url, postern.url)));
    tab.close();
    const sizes = await Promise.all([...files].map(compressedSize));
    visits.push({ clickMs, downloaded: sizes.reduce((sum, size) => sum + size, 0), requests: files.size });
  }
  return visits;
}

function isFile(url: string, origin: string): boolean {
  return url.startsWith(`${origin}/`) && !url.startsWith(`${origin}/puzzle`);
}

/** @returns the bytes that a browser receives with gzip, without headers */
async function compressedSize(url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' }, decompress: false });
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return (await response.arrayBuffer()).byteLength;
}
