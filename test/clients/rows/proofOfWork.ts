import { pages, react } from './drivers.ts';

/** Components of pages for ALTCHA, Cap, and Private Captcha. */

/** @param attributes of the element, for example the URL of the challenge */
const altcha = (attributes: Readonly<Record<string, string>>) => `
  import 'altcha';
  const element = document.createElement('altcha-widget');
  for (const [name, value] of Object.entries(${JSON.stringify(attributes)})) element.setAttribute(name, value);
  element.addEventListener('verified', ({ detail }) => log('done')(detail.payload));
  const form = document.createElement('form');
  form.append(element);
  document.querySelector('main').append(form);`;

const URL = 'HOST/altcha/v1/challenge?apiKey=KEY';

const ALTCHA = pages('ALTCHA', [
  {
    package: 'altcha',
    version: '3.2.2',
    variant: 'version 1 of the challenge',
    group: 'plain',
    route: 'setting',
    configuration: '`challenge`',
    code: altcha({ challenge: URL, auto: 'onload' }),
  },
  {
    package: 'altcha',
    version: '3.2.2',
    variant: 'version 2 of the challenge',
    group: 'plain',
    route: 'setting',
    configuration: '`challenge` with `&version=2`',
    code: altcha({ challenge: `${URL}&version=2`, auto: 'onload' }),
  },
  {
    package: 'altcha',
    version: '2.3.0',
    variant: '2.3.0',
    group: 'altcha-2',
    route: 'setting',
    configuration: '`challengeurl`',
    code: altcha({ challengeurl: URL, auto: 'onload' }),
  },
  {
    package: 'altcha',
    version: '1.5.1',
    variant: '1.5.1',
    group: 'altcha-1',
    route: 'setting',
    configuration: '`challengeurl`',
    code: altcha({ challengeurl: URL, auto: 'onload' }),
  },
]);

const cap = (before: string) => `
  ${before}
  import '@cap.js/widget';
  const element = document.createElement('cap-widget');
  element.setAttribute('data-cap-api-endpoint', 'HOST/cap/KEY/');
  element.addEventListener('solve', ({ detail }) => log('done')(detail.token));
  document.querySelector('main').append(element);
  window.component = element;`;

const CAP = pages('Cap', [
  {
    package: '@cap.js/widget',
    version: '0.1.57',
    variant: 'with its solver in JavaScript',
    group: 'plain',
    route: 'setting',
    configuration: '`data-cap-api-endpoint`',
    head: "<script>window.CAP_CUSTOM_WASM_URL = 'data:,';</script>",
    code: cap(''),
    start: 'component.solve()',
  },
  {
    package: '@better-captcha/react',
    version: '0.3.0',
    variant: 'Cap',
    group: 'react-19',
    route: 'script',
    configuration: '`autoLoad` is `false`, `endpoint`',
    head: '<script src="HOST/cap/widget.js"></script>',
    code: react(
      `import { CapWidget } from '@better-captcha/react/provider/cap-widget';
       const scriptOptions = { autoLoad: false };
       const done = log('done');`,
      "h(CapWidget, { ref: (ref) => { window.component = ref; }, endpoint: 'HOST/cap/KEY/', scriptOptions, onSolve: done })",
    ),
    start: 'component.execute()',
  },
]);

const PRIVATE_CAPTCHA = pages('Private Captcha', [
  {
    package: '@better-captcha/react',
    version: '0.3.0',
    variant: 'Private Captcha',
    group: 'react-19',
    route: 'script',
    configuration: '`autoLoad` is `false`',
    head: '<script src="HOST/widget/js/privatecaptcha.js?render=explicit"></script>',
    code: react(
      `import { PrivateCaptcha } from '@better-captcha/react/provider/private-captcha';
       const scriptOptions = { autoLoad: false };
       const done = log('done');`,
      'h(PrivateCaptcha, { sitekey: window.sitekey, scriptOptions, onSolve: done })',
    ),
  },
  {
    package: '@private-captcha/private-captcha-js-core',
    version: '0.0.15',
    group: 'plain',
    route: 'setting',
    configuration: '`puzzleEndpoint`',
    code: `
      import { CaptchaWidget } from '@private-captcha/private-captcha-js-core';
      const form = document.createElement('form');
      form.innerHTML = '<div class="private-captcha"></div>';
      document.querySelector('main').append(form);
      const options = { sitekey: window.sitekey, puzzleEndpoint: 'HOST/puzzle' };
      window.component = new CaptchaWidget(form.firstElementChild, options);`,
    start: 'void component.execute()',
    field: 'private-captcha-solution',
  },
]);

export const PROOF_OF_WORK_PAGES = [...ALTCHA, ...CAP, ...PRIVATE_CAPTCHA];
