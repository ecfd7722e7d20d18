import { expect, setDefaultTimeout, test } from 'bun:test';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { type Faults, tabThrough, wcagFaults } from '../wcag.ts';
import { useEveryPage } from './everyPage.ts';
import { look, violationsInThemes } from './screens.ts';

/** Success criteria of WCAG 2.2 on every page of the portal; the conformance report refers to these tests. */

setDefaultTimeout(8 * CASE_TIMEOUT_MS);

const world = useEveryPage();

/** What a page says about itself, and where the links are that each page has. */
type Frame = {
  readonly title: string;
  readonly language: string;
  /** The parts of the heading. */
  readonly heading: readonly string[];
  readonly navigation: readonly string[];
  /** Whether the link to the help is the last one next to the heading. */
  readonly hasHelp: boolean;
};

type Page = {
  readonly path: string;
  readonly isPublic: boolean;
  readonly frame: Frame;
  readonly faults: Faults;
  readonly violations: readonly string[];
};

const FRAME = `(() => {
  const parts = [...document.querySelector('h1').childNodes].map(({ textContent }) => textContent.trim());
  return {
    title: document.title,
    language: document.documentElement.lang,
    heading: parts.filter((part) => part !== ''),
    navigation: [...document.querySelectorAll('#navigation a')].map((link) => link.pathname),
    hasHelp: document.querySelector('.heading-actions').lastElementChild.matches('a.help'),
  };
})()`;

let examining: Promise<readonly Page[]> | undefined;

/** Opens each page only once, for all tests. */
function examined(): Promise<readonly Page[]> {
  examining ??= examine();
  return examining;
}

async function examine(): Promise<readonly Page[]> {
  const { tab } = world.at;
  const pages: Page[] = [];
  await world.visitAll(async ({ one }) => {
    const frame = await tab.evaluate<Frame>(FRAME);
    const violations = await violationsInThemes(tab);
    const faults = await wcagFaults(tab);
    pages.push({ path: one.path, isPublic: one.guard === 'public', frame, faults, violations });
  });
  expect(pages.length).toBeGreaterThan(40);
  return pages;
}

async function faultsIn(check: keyof Faults): Promise<readonly string[]> {
  return (await examined()).flatMap(({ path, faults }) => faults[check].map((fault) => `${path}: ${fault}`));
}

test('the title of every page contains its heading, and its language is marked', async () => {
  for (const { path, frame } of await examined()) {
    const { title, language, heading } = frame;
    expect([path, language]).toEqual([path, 'en']);
    expect(heading.length).toBeGreaterThan(0);
    for (const part of heading) expect([path, title.split(' · ').includes(part)]).toEqual([path, true]);
    expect(title).toEndWith(' · Postern');
  }
});

test('the navigation has the same order on every page, and the help is in the same place', async () => {
  const pages = await examined();
  expect(pages.filter(({ frame }) => !frame.hasHelp)).toEqual([]);
  const [first, ...others] = pages.filter(({ isPublic }) => !isPublic).map(({ frame }) => frame.navigation);
  expect(first?.length).toBeGreaterThan(5);
  for (const other of others) expect(other).toEqual(first ?? []);
});

test('axe-core finds no violations on any page in both themes', async () => {
  const found = (await examined()).flatMap(({ path, violations }) =>
    violations.map((one) => `${path}: ${one}`),
  );
  expect(found).toEqual([]);
});

test('no page cuts off text with the text spacing of WCAG 2.2', async () => {
  expect(await faultsIn('spacing')).toEqual([]);
});

test('no page cuts off text of twice the size, or is too wide at 200% zoom', async () => {
  expect(await faultsIn('enlarged')).toEqual([]);
});

test('every control of every page shows the focus, and no other element covers it, also at 400% zoom', async () => {
  expect(await faultsIn('focus')).toEqual([]);
});

test('the borders of fields have a contrast of 3:1 on every page in both themes', async () => {
  expect(await faultsIn('fields')).toEqual([]);
});

test('Tab reaches every control of a page in the order of the document', async () => {
  const { at, seen } = world;
  await examined();
  for (const route of [
    '/portal',
    '/portal/settings/security',
    '/portal/activity',
    '/portal/orgs/:org/properties/:property',
    '/portal/orgs/:org/properties/:property/settings',
    '/portal/system/users',
  ]) {
    await at.go(seen.find(({ one }) => one.path === route)?.path ?? route);
    const { reached, count } = await tabThrough(at.tab);
    expect(count).toBeGreaterThan(15);
    expect([route, reached]).toEqual([route, [...Array(count).keys()]]);
  }
});

// The focus moved to the field for the level as soon as an arrow key reached the last option.
test('selecting the custom level with the keyboard opens its field and does not move the focus', async () => {
  const { at, seen } = world;
  await examined();
  const settings = '/portal/orgs/:org/properties/:property/settings';
  await at.go(seen.find(({ one }) => one.path === settings)?.path ?? '');
  await at.tab.evaluate(`void (() => {
    const levels = [...document.querySelectorAll('input[name="level"]')];
    levels.at(-2).click();
    levels.at(-2).focus();
  })()`);
  await at.tab.press('ArrowDown');
  await at.tab.until(`document.querySelector('input[name="level"]:checked').value === 'custom'`);
  expect(await at.shownOf('custom_level')).toEqual(['custom_level']);
  await at.isOn('input[name="level"][value="custom"]');
});

// The transparent borders of the other tabs were visible.
test('with forced colors, only the current tab is underlined', async () => {
  const { at, seen } = world;
  await examined();
  await at.go(seen.find(({ one }) => one.path === '/portal/orgs/:org/properties/:property')?.path ?? '');
  await at.tab.cdp('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
  const lines = await at.tab.evaluate<boolean[]>(`(() => {
    const colorOf = (link) => getComputedStyle(link).borderBottomColor;
    const ground = getComputedStyle(document.body).backgroundColor;
    return [...document.querySelectorAll('nav.tabs a')].map((link) => colorOf(link) !== ground);
  })()`);
  await look(at.tab, 'light', 1280);
  expect(lines).toEqual([true, ...lines.slice(1).map(() => false)]);
  expect(lines.length).toBeGreaterThan(3);
});

test('copying a text is announced', async () => {
  const { at, url } = world;
  const permissions = ['clipboardReadWrite', 'clipboardSanitizedWrite'];
  await at.tab.cdp('Browser.grantPermissions', { origin: url, permissions });
  await at.go('/portal/forgot-password');
  await at.tab.evaluate(`void (() => {
    window.announced = [];
    const region = document.querySelector('[role="status"].visually-hidden');
    new MutationObserver(() => announced.push(region.textContent)).observe(region, { childList: true });
  })()`);
  await at.tab.click("document.querySelector('[data-copy]')");
  await at.tab.until("announced.includes('Copied')");
});
