import { expect, test } from 'bun:test';
import type { Tab } from '../../support/browser.ts';
import { isIn } from '../fixture.ts';
import { STATES, useStates } from './states.ts';

/** The roles and names that the browser computes for assistive technology. The expectation is the same for all browsers. */

const states = useStates();

const PARTS = "document.querySelector('.postern-captcha > div').shadowRoot.querySelectorAll('*')";

/** Roles of elements that only group others, or that are ignored. */
const MEANINGLESS = ['', 'none', 'presentation', 'generic'];

/** The parts of the widget that have a meaning, in the order of the document. */
async function treeOf(page: Tab): Promise<readonly string[]> {
  const tree: string[] = [];
  const count = await page.evaluate<number>(`${PARTS}.length`);
  for (let index = 0; index < count; index++) {
    const { role, name } = await page.accessible(`${PARTS}[${index}]`);
    if (!MEANINGLESS.includes(role)) tree.push(`${role} ${JSON.stringify(name)}`);
  }
  return tree;
}

const CONTROL = 'checkbox "I am human"';
const LINK = 'link "Privacy"';
const TREES: Readonly<Record<(typeof STATES)[number], readonly string[]>> = {
  idle: [CONTROL, 'status ""', LINK],
  solving: [CONTROL, 'status ""', LINK, 'progressbar "Progress of the check"'],
  verified: [CONTROL, 'status ""', LINK],
  expired: [CONTROL, 'status ""', LINK],
  failed: [CONTROL, 'status ""', LINK],
};

test.each(STATES)('a widget in the state %s has a control, a status, and a link', async (state) => {
  const page = await states[state]({});
  // The link is in a file that the widget loads.
  await page.until(`[...${PARTS}].some(({ localName }) => localName === 'a')`);
  expect(await treeOf(page)).toEqual(TREES[state]);
  // The state did not change meanwhile.
  expect(await page.evaluate<boolean>(isIn(state))).toBe(true);
});
