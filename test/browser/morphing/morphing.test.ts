import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openTab, type Tab } from '../../support/browser.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { BOX, FIELD, isIn, useBrowserCase, type Website } from '../fixture.ts';

/** Libraries and scripts that change the elements of a page to those of new markup remove what the widget has added. */

const { postern, serve } = useBrowserCase(import.meta.dir);
let tab: Tab | undefined;
afterEach(() => {
  tab?.close();
  tab = undefined;
});

const PACKAGES = join(import.meta.dir, '../../../node_modules');
const scriptOf = async (path: string, attributes = '') =>
  `<script ${attributes}>${(await Bun.file(join(PACKAGES, path)).text()).replaceAll('</script', '<\\/script')}</script>`;

type Morpher = { readonly scripts: readonly string[]; readonly morph: string };

/** `morph` is the body of a function that changes the page to its original markup. */
const MORPHERS: Readonly<Record<string, Morpher>> = {
  idiomorph: {
    scripts: ['idiomorph/dist/idiomorph.min.js'],
    morph: "Idiomorph.morph(document.querySelector('main'), original, { morphStyle: 'innerHTML' })",
  },
  'htmx with idiomorph': {
    scripts: ['htmx.org/dist/htmx.min.js', 'idiomorph/dist/idiomorph-ext.min.js'],
    morph: "htmx.ajax('GET', '/', { target: 'main', swap: 'morph:outerHTML', select: 'main' })",
  },
  Turbo: {
    scripts: ['@hotwired/turbo/dist/turbo.es2017-umd.js'],
    morph: `new Promise((resolve) => {
      document.addEventListener('turbo:render', ({ detail }) => resolve(detail.renderMethod), { once: true });
      Turbo.visit(location.href, { action: 'replace' });
    })`,
  },
  // Livewire's morph is this plugin.
  Alpine: {
    scripts: ['@alpinejs/morph/dist/cdn.min.js', 'alpinejs/dist/cdn.min.js'],
    morph: "Alpine.morph(document.querySelector('main'), '<main>' + original + '</main>')",
  },
  morphdom: {
    scripts: ['morphdom/dist/morphdom-umd.min.js'],
    morph: "morphdom(document.querySelector('main'), '<main>' + original + '</main>')",
  },
  "innerHTML = ''": { scripts: [], morph: "document.querySelector('.postern-captcha').innerHTML = ''" },
  'replaceChildren()': {
    scripts: [],
    morph: "document.querySelector('.postern-captcha').replaceChildren()",
  },
  'removing the element and adding it again later': {
    scripts: [],
    morph: `(async () => {
      const element = document.querySelector('.postern-captcha');
      const { parentNode } = element;
      element.remove();
      await new Promise((resolve) => setTimeout(resolve, 20));
      parentNode.prepend(element);
    })()`,
  },
  'replacing the element by a new one': {
    scripts: [],
    morph: `document.querySelector('main').firstElementChild.innerHTML = original.replace(/<[/]?form.*?>/g, '')`,
  },
};
const KEEPING = Object.keys(MORPHERS).filter((name) => !name.startsWith('replacing'));

const CLICK = "document.querySelector('#send').click()";
const FORM =
  '<form method="post" action="/"><input name="text" value="x">WIDGET<button id="send">Send</button></form>';

async function open(name: string, widget: string, script = 'postern.js'): Promise<Website> {
  const { scripts } = MORPHERS[name] as Morpher;
  const head = await Promise.all(
    scripts.map((path) => scriptOf(path, path.startsWith('alpine') ? 'type="module"' : '')),
  );
  const website = await serve({ head: head.join('\n'), main: FORM.replace('WIDGET', widget), script });
  tab = await openTab();
  await tab.goto(website.url);
  return website;
}

async function openOwn(
  name: string,
  attributes = '',
  sitekey = postern.sitekey,
): Promise<readonly [Tab, Website, string]> {
  const website = await open(
    name,
    `<div class="postern-captcha" data-sitekey="${sitekey}" ${attributes}></div>`,
  );
  const page = tab as Tab;
  await page.until('window.postern?.autoWidget !== undefined');
  return [
    page,
    website,
    `Promise.resolve(${MORPHERS[name]?.morph}).then(() => new Promise((resolve) => setTimeout(resolve)))`,
  ];
}

const SHOWN = `${BOX}?.getClientRects().length === 1`;

describe.each(KEEPING)('%s', (name) => {
  test('keeps a solution', async () => {
    const [page, website, morph] = await openOwn(name);
    await page.evaluate('postern.autoWidget.execute()');
    await page.until(isIn('verified'));
    const solution = await page.evaluate<string>(FIELD);
    for (let i = 0; i < 3; i++) await page.evaluate(morph);
    await page.until(SHOWN);
    expect(await page.evaluate<string>(FIELD)).toBe(solution);
    await page.evaluate(CLICK);
    await waitUntil('the submission', () => website.submissions.length > 0);
    expect(website.submissions.map((form) => form.get('postern-captcha-solution'))).toEqual([solution]);
    expect(await postern.verify(solution)).toMatchObject({ success: true });
  });

  test('starts over if the page has read the form', async () => {
    const [page, , morph] = await openOwn(name);
    await page.evaluate('postern.autoWidget.execute()');
    await page.until(isIn('verified'));
    await page.evaluate("void new FormData(document.querySelector('form'))");
    await page.evaluate(morph);
    await page.until(`${SHOWN} && ${isIn('idle')}`);
    expect(await page.evaluate<string>(FIELD)).toBe('');
  });
});

test.each(Object.keys(MORPHERS))('%s does not lose a held submission', async (name) => {
  const [page, website, morph] = await openOwn(name);
  await page.evaluate(`void (${CLICK}, ${morph})`);
  await waitUntil('the submission', () => website.submissions.length > 0);
  const [solution = ''] = website.submissions.map((form) => form.get('postern-captcha-solution') ?? '');
  expect(await postern.verify(solution)).toMatchObject({ success: true });
  expect(website.submissions.length).toBe(1);
});

/** Removes an element and, in a later task, inserts it again. */
const detachAndAttach = (selector: string) => `(async () => {
  const element = document.querySelector('${selector}');
  const { parentNode } = element;
  element.remove();
  await new Promise((resolve) => setTimeout(resolve, 20));
  parentNode.prepend(element);
  await new Promise((resolve) => setTimeout(resolve, 20));
})()`;

// The widget's mark was lost, so the widget was not found when the page added it again.
test('a widget that was morphed works after the page has removed it and added it again', async () => {
  const [page, website, morph] = await openOwn('morphdom');
  await page.evaluate(morph);
  await page.until(SHOWN);
  await page.evaluate(detachAndAttach('.postern-captcha'));
  await page.evaluate(CLICK);
  await waitUntil('the submission', () => website.submissions.length > 0);
  const solution = website.submissions[0]?.get('postern-captcha-solution') ?? '';
  expect(await postern.verify(solution)).toMatchObject({ success: true });
});

test.each(['setup()', "reset(document.querySelector('.postern-captcha'))"])(
  '%s restores a widget',
  async (call) => {
    const [page] = await openOwn("innerHTML = ''");
    await page.evaluate(`(() => {
    const element = postern.autoWidget.element();
    element.innerHTML = '';
    postern.${call};
    window.parts = element.childNodes.length;
  })()`);
    expect(await page.evaluate<number>('parts')).toBe(2);
  },
);

test('options of scripts survive a library that removes attributes', async () => {
  await open('morphdom', '<div id="box"></div>', 'postern.js?render=explicit');
  const page = tab as Tab;
  await page.until('window.postern !== undefined');
  await page.evaluate(`void (window.w = postern.render(document.querySelector('#box'),
    { sitekey: '${postern.sitekey}', solutionField: 'proof', theme: 'dark' }))`);
  await page.evaluate(MORPHERS.morphdom?.morph ?? '');
  await page.evaluate('w.execute()');
  await page.until("w.state() === 'verified'");
  expect(
    await page.evaluate<string>(
      "document.querySelector('[name=proof]').value + w.element().firstElementChild.dataset.theme",
    ),
  ).toMatch(/^A.*dark$/);
});

test('a widget’s parts that a library reuses for other elements are restored', async () => {
  const [page] = await openOwn('morphdom');
  await page.evaluate('postern.autoWidget.execute()');
  await page.until(isIn('verified'));
  const solution = await page.evaluate<string>(FIELD);
  await page.evaluate(`void morphdom(document.querySelector('main'),
    '<main>' + original.replace('></div>', '><div>Loading</div></div>') + '</main>')`);
  await page.until(`${SHOWN} && document.querySelector('.postern-captcha > div').dataset.theme !== ''`);
  expect(await page.evaluate<string>(FIELD)).toBe(solution);
});

test.each([
  ['empties the element', "document.querySelector('.postern-captcha')?.replaceChildren()"],
  ['replaces the element', "document.querySelector('main').innerHTML = original"],
])('a script that %s after each change does not keep the page busy', async (_, change) => {
  const [page] = await openOwn("innerHTML = ''");
  await page.evaluate(`(() => {
    window.changes = 0;
    window.ticks = 0;
    setInterval(() => { ticks += 1; }, 10);
    const observer = new MutationObserver((records) => {
      if (!records.some(({ addedNodes }) => addedNodes.length > 0)) return;
      changes += 1;
      ${change};
      if (${change.includes('original')}) observer.takeRecords();
    });
    observer.observe(document.querySelector('main'), { childList: true, subtree: true });
    ${change};
  })()`);
  await page.until('ticks > 50');
  expect(await page.evaluate<number>('changes')).toBeGreaterThan(100);
});

const VENDORS = [
  ['hcaptcha', '1/api.js', 'h-captcha'],
  ['turnstile', 'turnstile/v0/api.js', 'cf-turnstile'],
  ['grecaptcha', 'recaptcha/api.js', 'g-recaptcha'],
] as const;

describe.each(VENDORS)('%s', (global, path, css) => {
  async function openVendor(query: string, attributes: string): Promise<Tab> {
    const { scripts } = MORPHERS.morphdom as Morpher;
    const head = await Promise.all([
      ...scripts.map((script) => scriptOf(script)),
      `<script src="${postern.url}/${path}${query}" defer></script>`,
    ]);
    const main = FORM.replace('WIDGET', `<div id="box" ${attributes}></div>`);
    const website = await serve({ head: head.join('\n'), main, script: 'none.js' });
    tab = await openTab();
    await tab.goto(website.url);
    await tab.until(`window.${global}?.render !== undefined`);
    return tab;
  }
  const response = `${global}.getResponse()`;

  test('keeps a token', async () => {
    const page = await openVendor('', `class="${css}" data-sitekey="${postern.sitekey}"`);
    await page.until("document.querySelector('#box > div') !== null");
    await page.evaluate(`void ${global}.execute()`);
    await page.until(`Boolean(${response})`);
    const token = await page.evaluate<string>(response);
    await page.evaluate(MORPHERS.morphdom?.morph ?? '');
    await page.until("document.querySelector('#box > div > div')?.shadowRoot !== undefined");
    expect(
      await page.evaluate<string>(`new FormData(document.querySelector('form')).get('${css}-response')`),
    ).toBe(token);
  });

  test('keeps a token of a container that a script has rendered, which the script can render again', async () => {
    const page = await openVendor('?render=explicit', '');
    const render = `${global}.render(document.querySelector('#box'), { sitekey: '${postern.sitekey}' })`;
    await page.evaluate(`void (window.id = ${render}, ${global}.execute(id))`);
    await page.until(`Boolean(${global}.getResponse(id))`);
    const token = await page.evaluate<string>(`${global}.getResponse(id)`);
    await page.evaluate(MORPHERS.morphdom?.morph ?? '');
    await page.until("document.querySelector('#box > div > div')?.shadowRoot !== undefined");
    expect(await page.evaluate<string>(`${global}.getResponse(id)`)).toBe(token);
    await page.evaluate(`void (window.second = ${render})`);
    expect(await page.evaluate<number>("document.querySelectorAll('#box > div').length")).toBe(1);
    expect(await page.evaluate<boolean>('second === id')).toBe(false);
  });

  // A container that was removed once was not restored anymore.
  test.each([
    ['is removed, added again, and morphed', `await ${detachAndAttach('#box')}; MORPH`],
    ['is morphed and removed in one task, and added again', `MORPH; await ${detachAndAttach('#box')}`],
    ['is morphed, removed, and added again', `MORPH; await null; await ${detachAndAttach('#box')}`],
  ])('keeps a token of a container that %s', async (_, change) => {
    const page = await openVendor('?render=explicit', '');
    const render = `${global}.render(document.querySelector('#box'), { sitekey: '${postern.sitekey}' })`;
    await page.evaluate(`void (window.id = ${render}, ${global}.execute(id))`);
    await page.until(`Boolean(${global}.getResponse(id))`);
    const token = await page.evaluate<string>(`${global}.getResponse(id)`);
    await page.evaluate(`(async () => { ${change.replace('MORPH', MORPHERS.morphdom?.morph ?? '')} })()`);
    await page.until(`new FormData(document.querySelector('form')).get('${css}-response') === '${token}'`);
    await page.evaluate(`void ${global}.execute(id)`);
    await page.until(`Boolean(${global}.getResponse(id)) && ${global}.getResponse(id) !== '${token}'`);
  });
});

test.each([
  ['hcaptcha', '1/api.js', 'h-captcha'],
  ['turnstile', 'turnstile/v0/api.js?compat=recaptcha', 'cf-turnstile'],
] as const)('%s keeps the field for backends of reCAPTCHA', async (global, path, css) => {
  const main = FORM.replace(
    'WIDGET',
    `<div id="box" class="${css}" data-sitekey="${postern.sitekey}"></div>`,
  );
  const head = [
    await scriptOf('morphdom/dist/morphdom-umd.min.js'),
    `<script src="${postern.url}/${path}" defer></script>`,
  ];
  const website = await serve({ head: head.join('\n'), main, script: 'none.js' });
  tab = await openTab();
  await tab.goto(website.url);
  // Reading the form would make the restored widget start over.
  const values =
    "[...document.querySelectorAll('form [name=g-recaptcha-response]')].map(({ value }) => value).join()";
  await tab.until("document.querySelector('#box > div') !== null");
  await tab.evaluate(`void ${global}.execute()`);
  await tab.until(`Boolean(${global}.getResponse())`);
  const token = await tab.evaluate<string>(`${global}.getResponse()`);
  for (const change of [
    MORPHERS.morphdom?.morph ?? '',
    "document.querySelector('#box > div').innerHTML = ''",
  ]) {
    await tab.evaluate(`void (${change})`);
    await tab.until(`${values} === '${token}'`);
  }
});
