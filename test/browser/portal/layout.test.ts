import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { LANGUAGES, type Language } from '../../../src/portal/i18n/languages.ts';
import { expectOk } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { useEveryPage } from './everyPage.ts';

/** The layout of every page in every language, in windows from a phone to a small laptop. */

setDefaultTimeout(8 * CASE_TIMEOUT_MS);

const WIDTHS = [390, 768, 900, 1024, 1280] as const;

/** Pixels that the name of a row in a table has at least. */
const NAME_MIN_WIDTH = 176;

const world = useEveryPage();

beforeAll(async () => {
  const { services } = world.server.app;
  const { admin } = world;
  const [organization] = await services.organizations.list(INSTALLATION, admin);
  if (organization === undefined) throw new Error('no organization');
  const domain = 'registration.department-of-administration.example.com';
  const draft = { organizationId: organization.id, name: 'Registration and password reset', domain };
  expectOk(await services.properties.create(INSTALLATION, draft));
  const name = 'Offices, monitoring, and the load test of the department';
  const conditions = { networks: ['192.0.2.0/24'], countries: ['DE', 'FR'], user_agents: ['*monitoring*'] };
  const rule = { name, dry_run: true, action: 'block', conditions };
  expectOk(await services.rules.add(INSTALLATION, 'installation', rule));
  const limits = { organizationId: organization.id, isReadOnly: true, expiresAt: undefined };
  const key = {
    account: admin,
    name: 'Backend of the registration form',
    scope: 'portal',
    ...limits,
  } as const;
  expectOk(await services.apiKeys.create(INSTALLATION, key));
  const email = 'alexandra.papadopoulos@department-of-administration.example.com';
  const user = { email, name: 'Alexandra Papadopoulos', isAdmin: true, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  expectOk(await services.members.add(INSTALLATION, organization.id, account));
});

/** Pixels that a choice with texts has at least, such as a level. */
const CHOICE_MIN_WIDTH = 280;

/**
 * What is wrong with the page at the current width: what is wider than the window, tables that are wider than their place, narrow
 * names and choices, fields whose label is not visible, buttons, tabs, and steps in more than one line, and charts that a small laptop
 * does not show without scrolling.
 */
const FAULTS = `(() => {
  const faults = [];
  const show = (element) => element.outerHTML.replace(/\\s+/g, ' ').slice(0, 150);
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    const wide = [...document.querySelectorAll('main *')].filter(
      (element) => isShown(element) && element.getBoundingClientRect().right > clientWidth + 1);
    faults.push((scrollWidth - clientWidth) + ' pixels too wide: ' + wide.slice(-1).map(show));
  }
  for (const table of document.querySelectorAll('main table')) {
    const excess = table.getBoundingClientRect().width - table.parentElement.getBoundingClientRect().width;
    if (isShown(table) && excess > 1) faults.push('table ' + Math.ceil(excess) + ' pixels too wide: ' + table.textContent.slice(0, 100));
  }
  for (const cell of document.querySelectorAll('td.name')) {
    const { width } = cell.getBoundingClientRect();
    if (isShown(cell) && width < ${NAME_MIN_WIDTH}) faults.push('name of ' + Math.floor(width) + ' pixels: ' + show(cell));
  }
  const range = document.createRange();
  for (const button of document.querySelectorAll('button, a.button')) {
    if (!isShown(button)) continue;
    range.selectNodeContents(button);
    const lines = [...range.getClientRects()].filter(({ width }) => width > 0);
    const isBroken = lines.some(({ bottom }) => lines.some(({ top }) => top >= bottom));
    if (isBroken) faults.push('button in two lines: ' + show(button));
  }
  for (const field of document.querySelectorAll('main :is(input, select, textarea)')) {
    const label = field.labels?.[0];
    // A summary can replace the label.
    if (label === undefined || !isShown(field) || field.closest('details') !== null) continue;
    if (label.getBoundingClientRect().width < 2) faults.push('label is not visible: ' + show(field));
  }
  for (const line of document.querySelectorAll('.tab-line, .progress')) {
    const tops = [...line.children].map((part) => part.getBoundingClientRect().top);
    if (tops.some((top) => top !== tops[0])) faults.push('more than one line: ' + show(line));
  }
  for (const plot of document.querySelectorAll('.plot')) {
    const { bottom } = plot.getBoundingClientRect();
    if (innerWidth === 1280 && bottom > innerHeight) faults.push('chart ends at ' + Math.ceil(bottom) + ' pixels');
  }
  for (const choice of document.querySelectorAll('.preset')) {
    const { width } = choice.getBoundingClientRect();
    if (width < ${CHOICE_MIN_WIDTH}) faults.push('choice of ' + Math.floor(width) + ' pixels: ' + show(choice));
  }
  return faults;
})()`;

test.each(Object.keys(LANGUAGES) as readonly Language[])(
  'no page is wider than the window, squeezes names, or breaks the text of a button: %s',
  async (language) => {
    const { tab } = world.at;
    const faults: string[] = [];
    let pages = 0;
    await world.visitAll(async ({ one }) => {
      pages += 1;
      expect([one.path, await tab.evaluate<string>('document.documentElement.lang')]).toEqual([
        one.path,
        language,
      ]);
      for (const width of WIDTHS) {
        await tab.resize({ width, height: 800 }, width < 600);
        for (const fault of await tab.evaluate<string[]>(FAULTS))
          faults.push(`${one.path}, ${width}: ${fault}`);
      }
    }, language);
    expect(faults).toEqual([]);
    expect(pages).toBeGreaterThan(40);
  },
);

test('in a narrow window, tabs are one line, and the current one is visible', async () => {
  const { at, seen } = world;
  await at.tab.resize({ width: 390, height: 800 }, true);
  const settings = '/portal/orgs/:org/properties/:property/settings';
  await at.go(seen.find(({ one }) => one.path === settings)?.path ?? '');
  const [tops, isVisible] = await at.tab.evaluate<[number[], boolean]>(`(() => {
    const tops = [...document.querySelectorAll('nav.tabs a')].map((link) => link.getBoundingClientRect().top);
    const { left, right } = document.querySelector('nav.tabs a[aria-current]').getBoundingClientRect();
    return [tops, left >= 0 && right <= innerWidth];
  })()`);
  expect(tops.length).toBeGreaterThan(3);
  expect(new Set(tops).size).toBe(1);
  expect(isVisible).toBe(true);
});

// The tabs of backend languages had two lines, and the tabs of pages one.
test('in a narrow window, tabs of code scroll to the selected one, which shows its panel only', async () => {
  const { at, seen } = world;
  await at.tab.resize({ width: 390, height: 800 }, true);
  const path = '/portal/orgs/:org/properties/:property/integration';
  await at.go(seen.find(({ one }) => one.path === path)?.path ?? '');
  const count = await at.tab.evaluate<number>("document.querySelectorAll('.panels').length");
  expect(count).toBeGreaterThan(2);
  for (let group = 0; group < count; group++) {
    const faults = await at.tab.evaluate<string[]>(`(() => {
      const panels = document.querySelectorAll('.panels')[${group}];
      const tabs = [...panels.querySelectorAll('[type="radio"]')];
      return tabs.flatMap((tab, index) => {
        tab.focus();
        tab.click();
        const { left, right } = tab.getBoundingClientRect();
        const line = panels.firstElementChild.getBoundingClientRect();
        const shown = [...panels.querySelectorAll('.panel')].map((panel) => panel.checkVisibility());
        const isRight = shown.length === tabs.length && shown.every((isShown, at) => isShown === (at === index));
        return left >= line.left - 1 && right <= line.right + 1 && isRight ? [] : [tab.id + ' ' + shown];
      });
    })()`);
    expect(faults).toEqual([]);
  }
});

// The hint names a key that phones do not have.
test('on a touchscreen, the search field has no hint for the keyboard', async () => {
  const { tab } = world.at;
  const isShown = () =>
    tab.evaluate<boolean>("document.querySelector('.search .shortcut').checkVisibility()");
  await world.at.go('/portal');
  expect(await isShown()).toBe(true);
  await tab.cdp('Emulation.setEmitTouchEventsForMouse', { enabled: true, configuration: 'mobile' });
  await tab.cdp('Emulation.setTouchEmulationEnabled', { enabled: true });
  expect(await isShown()).toBe(false);
});
