import { angular17, pages, react, react17, SCRIPTS, solid, vue, vue2 } from './drivers.ts';

/** Components of pages for hCaptcha. */

export const HCAPTCHA_PAGES = pages('hCaptcha', [
  {
    package: '@hcaptcha/react-hcaptcha',
    version: '2.2.0',
    variant: 'apihost',
    group: 'react-19',
    route: 'setting',
    configuration: '`apihost`',
    code: react(
      "import HCaptcha from '@hcaptcha/react-hcaptcha';",
      "h(HCaptcha, { sitekey: window.sitekey, apihost: 'HOST', onVerify: log('done') })",
    ),
  },
  {
    package: '@hcaptcha/react-hcaptcha',
    version: '2.2.0',
    variant: 'HCaptchaProvider and useHCaptcha',
    group: 'react-19',
    route: 'script',
    head: SCRIPTS.hCaptcha,
    code: react(
      `import { HCaptchaProvider, useHCaptcha } from '@hcaptcha/react-hcaptcha/hooks';
       function Form() {
         const { ready, executeInstance } = useHCaptcha();
         if (ready) window.component = executeInstance;
         return null;
       }`,
      'h(HCaptchaProvider, { sitekey: window.sitekey }, h(Form))',
    ),
    start: "component().then(log('done'))",
  },
  {
    package: 'react-hcaptcha',
    version: '0.1.1',
    group: 'react-17',
    route: 'script',
    head: SCRIPTS.hCaptcha,
    code: react17(
      "import HCaptcha from 'react-hcaptcha';",
      "h(HCaptcha, { sitekey: window.sitekey, onVerify: log('done') })",
    ),
  },
  {
    package: '@hcaptcha/vue3-hcaptcha',
    version: '1.3.0',
    group: 'vue-3.5',
    route: 'setting',
    configuration: '`apiEndpoint`',
    code: vue(
      "import VueHcaptcha from '@hcaptcha/vue3-hcaptcha';",
      'VueHcaptcha',
      "{ sitekey: window.sitekey, apiEndpoint: 'HOST/1/api.js', onVerify: log('done') }",
    ),
  },
  {
    package: '@hcaptcha/vue-hcaptcha',
    version: '1.3.0',
    group: 'vue-2.7',
    route: 'setting',
    configuration: '`apiEndpoint`',
    code: vue2(
      "import VueHcaptcha from '@hcaptcha/vue-hcaptcha';",
      'VueHcaptcha',
      "{ props: { sitekey: window.sitekey, apiEndpoint: 'HOST/1/api.js' }, on: { verify: log('done') } }",
    ),
  },
  {
    package: 'svelte-hcaptcha',
    version: '0.1.1',
    group: 'svelte-4',
    route: 'setting',
    configuration: '`apihost`',
    code: `
      import HCaptcha from 'svelte-hcaptcha';
      const props = { sitekey: window.sitekey, apihost: 'HOST/1/api.js' };
      const box = new HCaptcha({ target: document.querySelector('main'), props });
      box.$on('success', ({ detail }) => log('done')(detail.token));`,
  },
  {
    package: 'solid-hcaptcha',
    version: '1.1.0',
    group: 'solid',
    route: 'setting',
    configuration: '`apihost`',
    code: solid(
      "import HCaptcha from 'solid-hcaptcha';",
      'HCaptcha',
      "{ sitekey: window.sitekey, apihost: 'HOST', onVerify: log('done') }",
    ),
  },
  {
    package: 'ng-hcaptcha',
    version: '2.7.0',
    group: 'angular-17',
    route: 'script',
    head: SCRIPTS.hCaptcha,
    code: angular17(
      "import { NgHcaptchaModule } from 'ng-hcaptcha';",
      'NgHcaptchaModule',
      '<form ngNoForm><ng-hcaptcha [siteKey]="sitekey" (verify)="done($event)"></ng-hcaptcha></form>',
      'importProvidersFrom(NgHcaptchaModule.forRoot({ siteKey: window.sitekey }))',
    ),
  },
  {
    package: '@hcaptcha/vanilla-hcaptcha',
    version: '1.1.4',
    group: 'plain',
    route: 'setting',
    configuration: '`jsapi`',
    code: `
      import '@hcaptcha/vanilla-hcaptcha';
      const element = document.createElement('h-captcha');
      element.setAttribute('site-key', window.sitekey);
      element.setAttribute('jsapi', 'HOST/1/api.js');
      element.addEventListener('verified', ({ token, detail }) => log('done')(token ?? detail));
      document.querySelector('main').append(element);`,
  },
  {
    package: 'vanilla-hcaptcha',
    version: '1.0.3',
    group: 'plain',
    route: 'setting',
    configuration: '`jsapi`',
    code: `
      import 'vanilla-hcaptcha';
      const element = document.createElement('h-captcha');
      element.setAttribute('site-key', window.sitekey);
      element.setAttribute('jsapi', 'HOST/1/api.js');
      element.addEventListener('verified', ({ token, detail }) => log('done')(token ?? detail));
      document.querySelector('main').append(element);`,
  },
  {
    package: '@better-captcha/react',
    version: '0.3.0',
    variant: 'hCaptcha',
    group: 'react-19',
    route: 'script',
    configuration: '`autoLoad` is `false`',
    head: SCRIPTS.hCaptcha,
    code: react(
      `import { HCaptcha } from '@better-captcha/react/provider/hcaptcha';
       const scriptOptions = { autoLoad: false };
       const done = log('done');`,
      'h(HCaptcha, { sitekey: window.sitekey, scriptOptions, onSolve: done })',
    ),
  },
]);
