import { expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { BUTTON, isIn, visit } from '../fixture.ts';
import { KINDS, OWN, usePuzzleKind } from '../puzzleKinds.ts';

/** Slows down the thread of the page, on which the widget runs. The DevTools protocol cannot slow down workers. */
const THROTTLED = { rate: 6 };

const cases = KINDS.map((kind) => ({ ...kind, ...usePuzzleKind(kind.challenge, kind.level) }));

test.each(cases)(
  'a form with a $challenge puzzle is sent from a page whose own thread is six times slower',
  async ({ challenge, version, serve, postern }) => {
    const site = await serve(OWN);
    const tab = await visit(site);
    await tab.cdp('Emulation.setCPUThrottlingRate', THROTTLED);
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    await tab.click("document.querySelector('#send')");
    await tab.until("document.title === 'received'");
    const payload = site.submissions.at(-1)?.get('postern-captcha-solution') ?? '';
    expect(parsePayload(payload)?.puzzle).toMatchObject({ version, challenge });
    expect(await postern.verify(payload)).toMatchObject({ success: true, code: 0 });
    tab.close();
  },
);
