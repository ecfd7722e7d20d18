import { join } from 'node:path';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { BOX, BUTTON, isIn, serveWebsite, startPostern, visit } from '../browser/fixture.ts';

const CLICKS = 9;

/** Uses the page's clock, from the event to the state change. */
const WATCH = `new MutationObserver(() => {
  if (${BOX}.dataset.state === 'verified') window.verifiedAt = performance.now();
}).observe(${BOX}, { attributes: true });
document.addEventListener('click', (event) => { window.clickedAt = event.timeStamp; }, true)`;

/** Measures the time from a click in Chromium to the verified state at the default level, each time on a new page. @returns milliseconds */
export async function timeClicks(): Promise<number[]> {
  const postern = await startPostern({ level: DEFAULT_SETTINGS.level });
  const values = { postern: postern.url, sitekey: postern.sitekey };
  const website = await serveWebsite(join(import.meta.dir, '../browser/solve'), values);
  const times: number[] = [];
  for (let click = 0; click < CLICKS; click++) {
    const tab = await visit(website);
    await tab.evaluate(`(() => { ${WATCH} })()`);
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    times.push(await tab.evaluate<number>('verifiedAt - clickedAt'));
    tab.close();
  }
  await website.stop();
  await postern.stop();
  return times;
}
