import { expect, setDefaultTimeout, test } from 'bun:test';
import { BINARY, withFolder } from '../../e2e/support.ts';
import { startBinary } from '../../support/binary.ts';
import { openTab, type Tab } from '../../support/browser.ts';
import { BOX, BUTTON, CASE_TIMEOUT_MS, isIn } from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

const SEND = "document.querySelector('#form > button')";

async function verdictIn(tab: Tab): Promise<unknown> {
  await tab.until("document.querySelector('#verdict') !== null");
  return JSON.parse(await tab.evaluate<string>("document.querySelector('#verdict').textContent"));
}

test('the demo page shows the verdict of the form, and the command and a second submission result in code 8', () =>
  withFolder(async (dataDir) => {
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, POSTERN_DEMO: 'on' });
    const page = /Demo page:\s+(\S+)/.exec(server.output())?.[1] ?? '';
    const tab = await openTab();
    await tab.goto(page);
    await tab.until(`${BOX}?.dataset.state === 'idle'`);
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    await tab.click(SEND);
    expect(await verdictIn(tab)).toMatchObject({ success: true, code: 0, origin: 'localhost' });

    const command = await tab.evaluate<string>(
      "document.querySelector('#curl').closest('[data-copy]').dataset.copy",
    );
    const curl = Bun.spawnSync(['bash', '-c', command.replace('curl', 'curl -s')]).stdout.toString();
    expect(JSON.parse(curl)).toMatchObject({ success: false, code: 8 });

    await tab.evaluate("document.querySelector('#verdict').remove()");
    await tab.click(SEND);
    expect(await verdictIn(tab)).toMatchObject({ success: false, code: 8 });
    tab.close();
    expect(await server.end('SIGTERM')).toBe(0);
  }));
