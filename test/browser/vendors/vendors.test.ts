import { afterEach, describe, expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { openTab, type Tab } from '../../support/browser.ts';
import { fastClock, puzzleRequests, type TestPostern, useBrowserCase, usePostern } from '../fixture.ts';

/** Pages written for another vendor, with Postern's script instead of the vendor's. */

const { postern, serve } = useBrowserCase(import.meta.dir);
const shortLived = usePostern({ validitySeconds: 60 });
let tab: Tab | undefined;
afterEach(() => {
  tab?.close();
  tab = undefined;
});

type Page = {
  readonly head?: string;
  readonly body?: string;
  readonly server?: TestPostern;
  readonly prelude?: string;
};

/** Replaces HOST with Postern's URL, and KEY with the sitekey. */
async function open({ head = '', body = '', server = postern, prelude = '' }: Page): Promise<Tab> {
  const fill = (text: string) => text.replaceAll('HOST', server.url).replaceAll('KEY', server.sitekey);
  const log = `<script>
    window.calls = [];
    window.sitekey = 'KEY';
    window.log = (name) => (...values) => void calls.push([name, ...values]);
    for (const name of ['done', 'expired', 'failed', 'loaded']) window[name] = log(name);
  </script>`;
  const site = await serve({ head: fill(log + head), body: fill(body) });
  tab = await openTab();
  await tab.preload(prelude);
  await tab.goto(site.url);
  return tab;
}

const script = (path: string) => `<script src="HOST${path}"></script>`;
const valuesOf = (name: string) =>
  `new FormData(document.forms[0]).getAll(${JSON.stringify(name)}).join('|')`;
const press = (container: string) =>
  `document.querySelector('${container} [data-postern] > div').shadowRoot.querySelector('button').click()`;
const called = (name: string) => `calls.filter(([given]) => given === '${name}')`;
const settle = 'new Promise((resolve) => setTimeout(resolve, 200))';

async function expectAccepted(token: unknown): Promise<void> {
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(await postern.verify(String(token))).toMatchObject({ success: true, code: 0 });
}

/** The vendors that have the behavior below in common. */
const VENDORS = [
  { script: '/recaptcha/api.js', global: 'grecaptcha', css: 'g-recaptcha', name: 'g-recaptcha-response' },
  { script: '/1/api.js', global: 'hcaptcha', css: 'h-captcha', name: 'h-captcha-response' },
  { script: '/turnstile/v0/api.js', global: 'turnstile', css: 'cf-turnstile', name: 'cf-turnstile-response' },
] as const;

describe.each(VENDORS)('$global', ({ script: path, global, css, name }) => {
  const startIt = global === 'turnstile' ? 'undefined' : press('body');
  const attributes =
    'data-sitekey="KEY" data-callback="done" data-expired-callback="expired" data-error-callback="failed"';
  const implicit = `<form method="post"><div class="${css}" ${attributes}></div><button>Send</button></form>`;
  const options = `{ sitekey: 'KEY', callback: log('done'), 'expired-callback': log('expired'), 'error-callback': log('failed'), theme: undefined, size: '', tabindex: null, unknown: () => 0 }`;

  test('renders elements of the class, and fills the field before it calls the callback', async () => {
    const body = `${implicit}<script>
      window.done = (token) => log('done')(token, ${global}.getResponse() === token, ${valuesOf(name)});
    </script>`;
    const page = await open({ head: script(path), body });
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    expect(await page.evaluate<boolean>(`!${global}.getResponse()`)).toBe(true);
    await page.evaluate(startIt);
    await page.until('calls.length > 0');
    const [call] = await page.evaluate<unknown[][]>('calls');
    expect(call?.slice(2)).toEqual([true, call?.[1]]);
    await expectAccepted(call?.[1]);
  });

  test('renders elements that the page adds later or has emptied', async () => {
    const page = await open({ head: script(path), body: '<main></main>' });
    await page.evaluate(
      `document.querySelector('main').innerHTML = '<form><div class="${css}" ${attributes.replace('KEY', postern.sitekey)}></div></form>'`,
    );
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    await page.evaluate(`document.querySelector('.${css}').replaceChildren()`);
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    await page.evaluate(startIt);
    await page.until('calls.length > 0');
  });

  test('calls onload after the load event, even if the script is inserted into a loaded page', async () => {
    const page = await open({ body: implicit });
    const insert = `new Promise((resolve) => {
      const order = [];
      window.loaded = () => { order.push(typeof ${global}.render); resolve(order); };
      const script = document.createElement('script');
      script.src = '${postern.url}${path}?render=explicit&onload=loaded&hl=&sentry=false&unknown=1';
      script.onload = () => order.push('load');
      document.head.append(script);
    })`;
    expect(await page.evaluate<string[]>(insert)).toEqual(['load', 'function']);
    expect(await page.evaluate<number>(`document.querySelectorAll('[data-postern]').length`)).toBe(0);
    // A second script keeps the first one's widgets, and calls onload again.
    const api = `window.first = ${global}`;
    await page.evaluate(`void (${api})`);
    expect(await page.evaluate<string[]>(insert)).toEqual(['load', 'function']);
    expect(await page.evaluate<boolean>(`first === ${global}`)).toBe(true);
  });

  test('renders into a detached element before the page is parsed, with unbound functions', async () => {
    const body = `<form></form><script>
      const { render, getResponse, reset } = ${global};
      const element = document.createElement('div');
      window.id = render(element, ${options});
      document.querySelector('form').append(element);
      reset(); reset(id);
    </script>`;
    const page = await open({ head: script(`${path}?render=explicit`), body });
    expect(await page.evaluate<string>('typeof id')).toBe(global === 'grecaptcha' ? 'number' : 'string');
    expect(await page.evaluate<boolean>(`Object.hasOwn(${global}, 'render')`)).toBe(true);
    await page.until("document.querySelector('form [data-postern]') !== null");
    await page.evaluate(startIt);
    await page.until(`${called('done')}.length === 1`);
    const token = await page.evaluate<string>(`${global}.getResponse(id)`);
    expect(await page.evaluate<string>('calls[0][1]')).toBe(token);
    await page.evaluate(`${global}.reset()`);
    expect(await page.evaluate<boolean>(`!${global}.getResponse(id) || ${global === 'turnstile'}`)).toBe(
      true,
    );
    expect(await page.evaluate<number>(`${called('expired')}.length + ${called('failed')}.length`)).toBe(0);
  });

  test('has functions that never throw if there are no widgets', async () => {
    const page = await open({ head: script(`${path}?render=explicit`) });
    await page.until(`window.${global} !== undefined`);
    await page.evaluate(
      `void (${global}.reset(), ${global}.reset('x'), ${global}.getResponse(), ${global}.execute())`,
    );
    if (global !== 'grecaptcha') await page.evaluate(`(${global}.remove(), ${global}.remove('x'))`);
    await page.evaluate(settle);
  });

  test('reports an expired solution once, and empties the field', async () => {
    const page = await open({
      head: script(path),
      body: implicit,
      server: shortLived,
      prelude: fastClock(20),
    });
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    await page.evaluate(startIt);
    await page.until(`${called('expired')}.length === 1`);
    if (global !== 'turnstile') {
      expect(await page.evaluate<string>(valuesOf(name))).toBe('');
      const before = puzzleRequests(page);
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 90_000))');
      expect(puzzleRequests(page)).toBe(before);
      await page.evaluate(startIt);
    }
    await page.until(`${called('done')}.length >= 2`);
  });

  test('reports an error once', async () => {
    const body = implicit
      .replace('KEY', '00000000000000000000000000000000')
      .replace('<div', '<div data-retry="never"');
    const page = await open({ head: script(path), body });
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    await page.evaluate(startIt);
    await page.until('calls.length > 0');
    const code = { grecaptcha: [], hcaptcha: ['invalid-data'], turnstile: ['110200'] }[global];
    expect(await page.evaluate<unknown[][]>('calls')).toEqual([['failed', ...code]]);
  });

  // The component react-grecaptcha defines such a global.
  test('calls a global whose name contains periods', async () => {
    const body = `${implicit.replace('"done"', '"_form.data-callback"')}<script>
      window['_form.data-callback'] = log('done');
    </script>`;
    const page = await open({ head: script(path), body });
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    await page.evaluate(startIt);
    await page.until(`${called('done')}.length === 1`);
  });

  // After a route change, `execute()` used to start the check of an element that the page had removed.
  test('selects the first widget on the page if there is no id', async () => {
    const page = await open({ head: script(path), body: `<main>${implicit}</main>` });
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    const html = implicit.replaceAll('KEY', postern.sitekey);
    await page.evaluate(`document.querySelector('main').innerHTML = ${JSON.stringify(html)}`);
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    const before = await page.evaluate<number>(`${called('done')}.length`);
    await page.evaluate(`void ${global}.execute()`);
    await page.until(`${called('done')}.length > ${before}`);
    await page.until(`${global}.getResponse() === ${valuesOf(name)}`);
    await page.evaluate(`${global}.reset()`);
    await page.until(`!${valuesOf(name)} || ${global === 'turnstile'}`);
  });

  test('continues after a callback throws', async () => {
    const body = `${implicit}<script>
      window.done = (token) => { calls.push(['done', token]); if (calls.length === 1) throw new Error('of the page'); };
      window.onerror = (text) => { calls.push(['reported', text]); return true; };
    </script>`;
    const page = await open({ head: script(path), body });
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    await page.evaluate(startIt);
    await page.until(`${called('reported')}.length === 1`);
    expect(await page.evaluate<unknown>(called('reported'))).toEqual([
      ['reported', expect.stringContaining('of the page')],
    ]);
    await page.evaluate(`void ${global}.execute()`);
    await page.until(`${called('done')}.length === 2`);
    await expectAccepted(await page.evaluate(`${called('done')}[1][1]`));
  });

  test('holds a submission until the check is done, and submits with the same button', async () => {
    const body = implicit
      .replace('data-callback="done"', '')
      .replace('<button>', '<input name="text"><button name="via" value="1">');
    const page = await open({ head: script(path), body });
    await page.until(`document.querySelector('.${css} [data-postern]') !== null`);
    await page.evaluate("document.querySelector('button[name=via]').click()");
    await page.until("document.title === 'received'");
  });
});

describe('reCAPTCHA', () => {
  const explicit = script('/recaptcha/api.js?render=explicit');

  test('starts the check of an invisible widget at each execute() call, with a new token', async () => {
    const body = `<form><div class="g-recaptcha" data-size="invisible" data-sitekey="KEY" data-callback="done"></div>
      <input name="text"></form>`;
    const page = await open({ head: script('/recaptcha/api.js'), body });
    await page.until("document.querySelector('[data-postern]') !== null");
    await page.evaluate("document.querySelector('input').focus()");
    await page.evaluate(settle);
    expect(puzzleRequests(page)).toBe(0);
    await page.evaluate('void grecaptcha.execute()');
    await page.until('calls.length === 1');
    await page.evaluate('void grecaptcha.execute(0)');
    await page.until('calls.length === 2');
    const tokens = await page.evaluate<string[]>('calls.map(([, token]) => token)');
    for (const token of tokens) await expectAccepted(token);
  });

  test('ignores the result of a check if the container was reset', async () => {
    const page = await open({ head: explicit, body: '<div id="box"></div>' });
    const render = `grecaptcha.render('box', { sitekey: '${postern.sitekey}', size: 'invisible', callback: log('done') })`;
    expect(await page.evaluate<number>(render)).toBe(0);
    expect(
      await page.evaluate<string>(`(() => { try { ${render} } catch (e) { return e.message } })()`),
    ).toContain('already been rendered');
    await page.evaluate('void (grecaptcha.execute(0), grecaptcha.reset(0))');
    await page.evaluate(settle);
    expect(await page.evaluate<number>('calls.length')).toBe(0);
  });

  test('keeps a button, and runs its callback after the check', async () => {
    const body = `<form method="post"><button class="g-recaptcha" data-sitekey="KEY" data-callback="send" data-action="login">Sign <b>in</b></button></form>
      <script>function send(token) { log('done')(token); document.forms[0].submit(); }</script>`;
    const page = await open({ head: script('/recaptcha/api.js'), body });
    await page.until("document.querySelector('[data-postern]') !== null");
    expect(await page.evaluate<string>("document.querySelector('button').innerHTML")).toBe('Sign <b>in</b>');
    await page.evaluate("document.querySelector('button').click()");
    await page.until("document.title === 'received'");
  });

  test('submits the form of a button without a callback', async () => {
    const body =
      '<form method="post"><input type="submit" name="go" value="Go" class="g-recaptcha" data-sitekey="KEY"></form>';
    const page = await open({ head: script('/recaptcha/api.js'), body });
    await page.until("document.querySelector('[data-postern]') !== null");
    await page.evaluate("document.querySelector('[type=submit]').click()");
    await page.until("document.title === 'received'");
  });

  test('submits the form of a button in the state of the click, once, through the listeners of the page', async () => {
    const body = `<form method="post"><button name="go" value="now" class="g-recaptcha" data-sitekey="KEY">Send</button></form>
      <script>
        window.seen = [];
        const [button] = document.getElementsByTagName('button');
        button.addEventListener('click', () => setTimeout(() => { button.disabled = true; }));
        document.addEventListener('submit', (event) => {
          seen.push(event.submitter.value);
          if (seen.length === 1) event.preventDefault();
        }, true);
      </script>`;
    const page = await open({ head: script('/recaptcha/api.js'), body });
    await page.until("document.querySelector('[data-postern]') !== null");
    await page.evaluate('button.click(), button.click()');
    await page.until('seen.length > 0');
    await page.evaluate(settle);
    expect(await page.evaluate<string[]>('seen')).toEqual(['now']);
    await page.evaluate('button.disabled = false, button.click()');
    await page.until("document.title === 'received'");
  });

  describe('v3', () => {
    const v3 = script('/recaptcha/api.js?render=KEY');
    const execute = (action: string) => `grecaptcha.execute(window.sitekey, { action: '${action}' })`;

    test('returns a new token with the action for each execute() call, even for concurrent calls', async () => {
      const body =
        '<form><input type="hidden" class="g-recaptcha" data-sitekey="KEY" data-size="normal"></form>';
      const page = await open({ head: v3, body });
      const tokens = await page.evaluate<string[]>(
        `Promise.all([${execute('login')}, ${execute('pay')}, ${execute('login')}])`,
      );
      expect(new Set(tokens).size).toBe(3);
      for (const token of tokens) await expectAccepted(token);
      expect(tokens.map((token) => parsePayload(token)?.pageData)).toEqual([
        { action: 'login' },
        { action: 'pay' },
        { action: 'login' },
      ]);
      expect(await page.evaluate<number>("document.querySelectorAll('form [data-postern]').length")).toBe(0);
      expect(
        await page.evaluate<boolean>(
          "[...document.querySelectorAll('[data-postern] > div')].every((host) => host.hidden)",
        ),
      ).toBe(true);
    });

    test('runs ready callbacks asynchronously and in order, including those queued before the script was loaded', async () => {
      const head = `<script>
        var grecaptcha = {};
        grecaptcha.ready = (run) => { (window.___grecaptcha_cfg ??= {}).fns = [...(window.___grecaptcha_cfg.fns ?? []), run]; };
        grecaptcha.ready(log('first'));
      </script>${v3}<script>grecaptcha.ready(log('second')); grecaptcha.ready(log('third')); calls.push(['now']);</script>`;
      const page = await open({ head });
      await page.until('calls.length === 4');
      expect(await page.evaluate<string[]>('calls.map(([name]) => name)')).toEqual([
        'first',
        'now',
        'second',
        'third',
      ]);
    });

    test('rejects unknown sitekeys and invalid actions', async () => {
      const page = await open({ head: v3 });
      const messageOf = (call: string) => `${call}.then(() => 'resolved', (error) => error.message)`;
      expect(
        await page.evaluate<string>(messageOf("grecaptcha.execute('unknown', { action: 'a' })")),
      ).toContain('sitekey is unknown');
      expect(await page.evaluate<string>(messageOf(execute('a b')))).toContain('Invalid action');
      expect(puzzleRequests(page)).toBe(0);
    });

    test('reuses a token during change events until the page may have sent it', async () => {
      const body = `<form><input name="a"></form><script>
        window.tokens = [];
        document.addEventListener('change', () => ${execute('form')}.then((token) => tokens.push(token)));
        document.forms[0].addEventListener('submit', (event) => event.preventDefault());
      </script>`;
      const page = await open({ head: v3, body });
      const change = "document.querySelector('input').dispatchEvent(new Event('change', { bubbles: true }))";
      for (let i = 1; i <= 2; i++) {
        await page.evaluate(change);
        await page.until(`tokens.length === ${i}`);
      }
      expect(await page.evaluate<number>('new Set(tokens).size')).toBe(1);
      await page.evaluate('document.forms[0].requestSubmit()');
      await page.evaluate(change);
      await page.until('tokens.length === 3');
      await page.evaluate(`${execute('form')}.then((token) => tokens.push(token))`);
      expect(await page.evaluate<number>('new Set(tokens).size')).toBe(3);
    });

    // The loader recaptcha-v3 calls `render` with its options only.
    test('renders a hidden widget outside all forms if there is no container', async () => {
      const page = await open({ head: explicit, body: '<form></form>' });
      await page.evaluate(`void (window.id = grecaptcha.render({ sitekey: '${postern.sitekey}' }))`);
      const token = await page.evaluate<string>("grecaptcha.execute(id, { action: 'home' })");
      expect(parsePayload(token)?.pageData).toEqual({ action: 'home' });
      await expectAccepted(token);
      const host = "document.querySelector('body > div > [data-postern] > div').hidden";
      expect(await page.evaluate<boolean>(host)).toBe(true);
    });

    test('renders a container for a widget that is executed with an action', async () => {
      const page = await open({ head: explicit, body: '<div id="box"></div>' });
      await page.evaluate(
        `void (window.id = grecaptcha.render('box', { badge: 'inline', size: 'invisible', sitekey: '${postern.sitekey}' }))`,
      );
      const token = await page.evaluate<string>("grecaptcha.execute(id, { action: 'home' })");
      expect(parsePayload(token)?.pageData).toEqual({ action: 'home' });
      await expectAccepted(token);
    });
  });

  test('defines the Enterprise functions only at the Enterprise path', async () => {
    const page = await open({ head: script('/recaptcha/enterprise.js?render=KEY') });
    const token = await page.evaluate<string>(
      `grecaptcha.enterprise.execute('${postern.sitekey}', { action: 'a' })`,
    );
    await expectAccepted(token);
    const plain = await open({ head: explicit });
    expect(await plain.evaluate<string>('typeof grecaptcha.enterprise')).toBe('undefined');
  });
});

describe('hCaptcha', () => {
  const explicit = script('/1/api.js?render=explicit');

  test('also fills the field of reCAPTCHA, unless compatibility is off', async () => {
    const body = '<form><div class="h-captcha" data-sitekey="KEY" data-callback="done"></div></form>';
    const page = await open({ head: script('/1/api.js'), body });
    await page.until("document.querySelector('[data-postern]') !== null");
    await page.evaluate(press('body'));
    await page.until('calls.length === 1');
    const sent = `[${valuesOf('h-captcha-response')}, ${valuesOf('g-recaptcha-response')}, calls[0][1]]`;
    expect(new Set(await page.evaluate<string[]>(sent)).size).toBe(1);
    expect(
      await page.evaluate<boolean>(
        "document.querySelector('textarea[name=h-captcha-response]').closest('.h-captcha') !== null",
      ),
    ).toBe(true);
    expect(await page.evaluate<string>('typeof grecaptcha.ready')).toBe('function');
    const off = await open({ head: script('/1/api.js?recaptchacompat=off'), body });
    await off.until("document.querySelector('[data-postern]') !== null");
    expect(
      await off.evaluate<unknown>("[typeof grecaptcha, document.querySelectorAll('textarea').length]"),
    ).toEqual(['undefined', 1]);
  });

  test('returns a promise of the response and its key, which rejects with an error code', async () => {
    const page = await open({ head: explicit, body: '<div id="box"></div>' });
    await page.evaluate(
      `void (window.id = hcaptcha.render('box', { sitekey: '${postern.sitekey}', size: 'invisible', callback: log('done') }))`,
    );
    const { response, key } = await page.evaluate<{ response: string; key: string }>(
      'hcaptcha.execute(id, { async: true })',
    );
    expect(await page.evaluate<string[]>('[hcaptcha.getResponse(id), hcaptcha.getRespKey(id)]')).toEqual([
      response,
      key,
    ]);
    await expectAccepted(response);
    const rejected =
      '(() => { const p = hcaptcha.execute(id, { async: true }); hcaptcha.reset(id); return p.catch((reason) => reason); })()';
    expect(await page.evaluate<string>(rejected)).toBe('challenge-closed');
    expect(
      await page.evaluate<string>("hcaptcha.execute('none', { async: true }).catch((reason) => reason)"),
    ).toBe('missing-captcha');
    expect(await page.evaluate<string>('typeof hcaptcha.execute(id, null)')).toBe('undefined');
    for (const call of ['execute({ async: true })', 'execute(null, { async: true })'])
      await expectAccepted(await page.evaluate<string>(`hcaptcha.${call}.then(({ response }) => response)`));
  });

  test('allows removing and rendering a widget again, and a removed widget calls no callbacks', async () => {
    const page = await open({ head: explicit, body: '<div id="box"></div>' });
    const render = `hcaptcha.render('box', { sitekey: '${postern.sitekey}', size: 'invisible', callback: log('done') })`;
    await page.evaluate(`void (window.id = ${render}, hcaptcha.execute(id), hcaptcha.remove(id))`);
    for (let i = 0; i < 3; i++)
      await page.evaluate(`void (window.id = ${render}, ${i} < 2 && hcaptcha.remove(id))`);
    await page.evaluate(settle);
    expect(
      await page.evaluate<unknown>("[calls.length, document.querySelectorAll('[data-postern]').length]"),
    ).toEqual([0, 1]);
    await page.evaluate('void hcaptcha.execute(id)');
    await page.until('calls.length === 1');
  });
});

describe('Turnstile', () => {
  const explicit = script('/turnstile/v0/g/0123456789ab/api.js?render=explicit');

  test('adds the action and the customer data to the token, and renames or omits the field', async () => {
    const body = `<form>
      <div class="cf-turnstile" data-sitekey="KEY" data-callback="done" data-action="pay" data-cdata="id-1" data-response-field-name="token"></div>
      <div class="cf-turnstile" data-sitekey="KEY" data-response-field="false"></div></form>`;
    const page = await open({ head: script('/turnstile/v0/api.js'), body });
    await page.until('calls.length === 1');
    const token = await page.evaluate<string>('calls[0][1]');
    expect(parsePayload(token)?.pageData).toEqual({ action: 'pay', cData: 'id-1' });
    await expectAccepted(token);
    expect(await page.evaluate<string[]>('[...new FormData(document.forms[0]).keys()]')).toEqual(['token']);
  });

  // Odoo enables the button of the form with `this.wrapper` in its callback.
  test('calls functions with the wrapper of the widget, an element in the container', async () => {
    const body = `<form id="form"><div id="box" class="cf-turnstile" data-sitekey="KEY" data-callback="enable"></div></form>
      <script>window.enable = function () { calls.push([this.wrapper.parentElement.id, this.wrapper.closest('form').id]); };</script>`;
    const page = await open({ head: script('/turnstile/v0/api.js'), body });
    await page.until('calls.length === 1');
    expect(await page.evaluate<unknown>('calls')).toEqual([['box', 'form']]);
  });

  test('waits for execute() if the page asks for it', async () => {
    const page = await open({ head: explicit, body: '<div id="box"></div>' });
    const render = (options: string) =>
      `turnstile.render('#box', { sitekey: '${postern.sitekey}', callback: log('done'), ${options} })`;
    await page.evaluate(`void (window.id = ${render("execution: 'execute', appearance: 'execute'")})`);
    await page.evaluate(settle);
    expect(puzzleRequests(page)).toBe(0);
    const isHidden = "document.querySelector('#box [data-postern] > div').hidden";
    expect(await page.evaluate<boolean>(isHidden)).toBe(true);
    await page.evaluate("turnstile.execute(document.querySelector('#box'))");
    await page.until('calls.length === 1');
    expect(await page.evaluate<boolean>(isHidden)).toBe(false);
    expect(
      await page.evaluate<unknown>('[turnstile.isExpired(id), turnstile.getResponse(id) === calls[0][1]]'),
    ).toEqual([false, true]);
    await page.evaluate("turnstile.remove('#box')");
    expect(
      await page.evaluate<string>(
        "typeof turnstile.getResponse(id) + document.querySelector('#box').innerHTML",
      ),
    ).toBe('undefined');
  });

  test('starts the check again after an error, unless retry is never', async () => {
    const body =
      '<div class="cf-turnstile" data-sitekey="KEY" data-error-callback="failed" data-retry-interval="300"></div>';
    const page = await open({
      head: script('/turnstile/v0/api.js'),
      body: body.replace('KEY', 'f'.repeat(32)),
    });
    await page.until('calls.length >= 3');
  });

  test.each([
    ['handles the error', 'data-error-callback="handled"', []],
    ['does not handle the error', 'data-error-callback="failed"', ['warning']],
    ['is not defined', 'data-error-callback="missing"', ['warning']],
    ['is missing', '', ['exception']],
  ])('reports an error if the callback %s', async (_title, attribute, expected) => {
    const body = `<div class="cf-turnstile" data-sitekey="2x00000000000000000000AB" data-retry="never" ${attribute}></div><script>
      window.handled = () => true;
      window.reports = [];
      console.warn = (text) => reports.push(['warning', text]);
      // The error event has no message, because the script is on another origin.
      window.reportError = ({ message }) => reports.push(['exception', message]);
    </script>`;
    const page = await open({ head: script('/turnstile/v0/api.js'), body });
    await page.until(
      "document.querySelector('[data-postern] > div')?.shadowRoot.querySelector('.box').dataset.state === 'failed'",
    );
    await page.evaluate(settle);
    const reports = await page.evaluate<string[][]>('reports');
    expect(reports.map(([kind]) => kind)).toEqual(expected);
    for (const [, text] of reports) expect(text).toContain('[Turnstile] Error: 300030');
  });

  test('renders the other elements if one element has invalid options', async () => {
    const body = `<div class="cf-turnstile" data-sitekey="KEY" data-action="a b"></div>
      <div class="cf-turnstile" data-sitekey="KEY" data-callback="done"></div>
      <script>window.addEventListener('error', (event) => { event.preventDefault(); log('reported')(event.message); });</script>`;
    const page = await open({ head: script('/turnstile/v0/api.js'), body });
    await page.until('calls.length === 2');
    await page.evaluate("document.body.append('x')");
    await page.evaluate(settle);
    const calls = await page.evaluate<string[][]>('calls');
    expect(calls.map(([name]) => name).toSorted()).toEqual(['done', 'reported']);
  });

  test('rejects invalid options', async () => {
    const page = await open({ head: explicit, body: '<div id="box"></div>' });
    const message = (call: string) =>
      `(() => { try { return ${call} } catch (error) { return error.message } })()`;
    expect(await page.evaluate<string>(message("turnstile.render('#none', {})"))).toContain(
      'Unable to find a container',
    );
    expect(await page.evaluate<string>(message("turnstile.render('#box', { action: 'a b' })"))).toContain(
      '"action" is invalid',
    );
  });

  test.each([
    ['1x00000000000000000000AA', ['done', 'XXXX.DUMMY.TOKEN.XXXX', false]],
    ['1x00000000000000000000BB', ['done', 'XXXX.DUMMY.TOKEN.XXXX', false]],
    ['2x00000000000000000000AB', ['failed', '300030']],
  ])('supports the test sitekey %s', async (sitekey, call) => {
    const body = `<div class="cf-turnstile" data-sitekey="${sitekey}" data-callback="done" data-error-callback="failed" data-retry="never"></div>`;
    const page = await open({ head: script('/turnstile/v0/api.js'), body });
    await page.until('calls.length === 1');
    expect(await page.evaluate<unknown>('calls[0]')).toEqual(call);
  });
});

describe('Private Captcha', () => {
  test('has its class, field, events, and API', async () => {
    const body = `<form><div class="private-captcha" data-sitekey="KEY" data-store-variable="_privateCaptcha" data-eu="true"
      data-solution-field="solution" data-start-mode="click"></div></form>`;
    const head = `<script>
      for (const name of ['init', 'finish']) document.addEventListener('privatecaptcha:' + name, (event) => {
        log(name)(event.detail.element === event.target, event.detail.widget === event.target._privateCaptcha);
      });
    </script>${script('/widget/js/privatecaptcha.js')}`;
    const page = await open({ head, body });
    await page.until('calls.length === 1');
    await page.evaluate('window.privateCaptcha.autoWidget.execute()');
    await page.until('calls.length === 2');
    expect(await page.evaluate<unknown>('calls')).toEqual([
      ['init', true, true],
      ['finish', true, true],
    ]);
    expect(await postern.verify(await page.evaluate<string>(valuesOf('solution')))).toMatchObject({
      success: true,
      code: 0,
    });
    await page.evaluate("document.querySelector('.private-captcha')._privateCaptcha.reset()");
    expect(await page.evaluate<string>(valuesOf('solution'))).toBe('');
  });
});

test('scripts of several vendors work on one page', async () => {
  const head = [
    '/widget/postern.js',
    '/recaptcha/api.js',
    '/1/api.js?recaptchacompat=off',
    '/turnstile/v0/api.js',
  ]
    .map(script)
    .join('');
  const body = ['postern-captcha', 'g-recaptcha', 'h-captcha', 'cf-turnstile']
    .map((name) => `<form><div class="${name}" data-sitekey="KEY" data-start-mode="load"></div></form>`)
    .join('');
  const page = await open({ head, body });
  await page.until("document.querySelectorAll('[data-postern]').length === 4");
  await page.evaluate(press('.g-recaptcha'));
  await page.evaluate(press('.h-captcha'));
  const filled =
    '[...document.forms].filter((form) => [...new FormData(form).values()].every(Boolean)).length';
  await page.until(`${filled} === 4`);
});
