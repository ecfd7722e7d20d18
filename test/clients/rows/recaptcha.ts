import { angular, angular17, pages, react, react17, SCRIPTS, vue, vue2 } from './drivers.ts';

/** Components of pages for reCAPTCHA. */

const V2 = SCRIPTS.reCAPTCHA;

const REACT = pages('reCAPTCHA', [
  {
    package: 'reaptcha',
    version: '1.12.1',
    group: 'react-17',
    route: 'script',
    head: V2,
    code: react17(
      "import Reaptcha from 'reaptcha';",
      "h(Reaptcha, { sitekey: window.sitekey, onVerify: log('done') })",
    ),
  },
  {
    package: 'react-recaptcha',
    version: '2.3.10',
    group: 'react-17',
    route: 'script',
    head: V2,
    code: react17(
      "import Recaptcha from 'react-recaptcha';",
      "h(Recaptcha, { sitekey: window.sitekey, render: 'explicit', onloadCallback: log('loaded'), verifyCallback: log('done') })",
    ),
  },
  {
    package: 'react-grecaptcha',
    version: '1.2.5',
    group: 'react-17',
    route: 'host',
    code: react17(
      "import Recaptcha from 'react-grecaptcha';",
      "h(Recaptcha, { sitekey: window.sitekey, callback: log('done'), expiredCallback: log('expired') })",
    ),
  },
  {
    package: 'react-recaptcha-google',
    version: '1.1.1',
    group: 'react-17',
    route: 'host',
    code: react17(
      `import { loadReCaptcha, ReCaptcha } from 'react-recaptcha-google';
       loadReCaptcha();
       const onload = () => window.box.reset();`,
      "h(ReCaptcha, { ref: (box) => { window.box = box; }, size: 'normal', render: 'explicit', sitekey: window.sitekey, onloadCallback: onload, verifyCallback: log('done') })",
    ),
  },
  {
    package: 'react-recaptcha-v3',
    version: '2.0.1',
    group: 'react-17',
    route: 'host',
    code: react17(
      `import { loadReCaptcha, ReCaptcha } from 'react-recaptcha-v3';
       loadReCaptcha(window.sitekey, log('loaded'));`,
      "h(ReCaptcha, { sitekey: window.sitekey, action: 'login', verifyCallback: log('done') })",
    ),
  },
  {
    package: '@wojtekmaj/react-recaptcha-v3',
    version: '0.1.4',
    group: 'react-19',
    route: 'host',
    code: react(
      `import { GoogleReCaptcha, GoogleReCaptchaProvider } from '@wojtekmaj/react-recaptcha-v3';
       const verify = log('done');`,
      'h(GoogleReCaptchaProvider, { reCaptchaKey: window.sitekey }, h(GoogleReCaptcha, { onVerify: verify }))',
    ),
  },
  {
    package: '@google-recaptcha/react',
    version: '2.5.3',
    variant: 'v2',
    group: 'react-19',
    route: 'host',
    code: react(
      "import { GoogleReCaptchaCheckbox, GoogleReCaptchaProvider } from '@google-recaptcha/react';",
      "h(GoogleReCaptchaProvider, { type: 'v2-checkbox', siteKey: window.sitekey }, h(GoogleReCaptchaCheckbox, { onChange: log('done') }))",
    ),
  },
  {
    package: '@google-recaptcha/react',
    version: '2.5.3',
    variant: 'v3',
    group: 'react-19',
    route: 'host',
    code: react(
      `import { GoogleReCaptchaProvider, useGoogleReCaptcha } from '@google-recaptcha/react';
       function Form() { window.component = useGoogleReCaptcha(); return null; }`,
      "h(GoogleReCaptchaProvider, { type: 'v3', siteKey: window.sitekey }, h(Form))",
    ),
    start: "component.executeV3('login').then(log('done'))",
  },
  {
    package: 'react-google-recaptcha-enterprise',
    version: '1.0.3',
    group: 'react-17',
    route: 'host',
    code: react17(
      "import ReCAPTCHA from 'react-google-recaptcha-enterprise';",
      "h(ReCAPTCHA, { sitekey: window.sitekey, onChange: log('done') })",
    ),
  },
  {
    package: 'react-google-invisible-recaptcha',
    version: '0.2.12',
    group: 'react-17',
    route: 'host',
    code: react17(
      "import Recaptcha from 'react-google-invisible-recaptcha';",
      "h(Recaptcha, { ref: (ref) => { window.component = ref; }, sitekey: window.sitekey, onResolved: () => log('done')(component.getResponse()) })",
    ),
    start: 'component.execute()',
  },
  {
    package: 'react-hook-recaptcha',
    version: '2.0.1',
    group: 'react-18',
    route: 'host',
    code: react(
      `import { useRecaptcha } from 'react-hook-recaptcha';
       function Form() {
         const { recaptchaLoaded, recaptchaWidget } = useRecaptcha({ containerId: 'box', successCallback: log('done'), sitekey: window.sitekey, size: 'invisible' });
         if (recaptchaLoaded && recaptchaWidget !== null) window.component = recaptchaWidget;
         return h('div', { id: 'box' });
       }`,
      'h(Form)',
    ),
    start: 'grecaptcha.execute(component)',
  },
  {
    package: 'react-recaptcha-x',
    version: '1.1.16',
    group: 'react-17',
    route: 'host',
    code: react17(
      "import { ReCaptchaProvider, ReCaptchaV2 } from 'react-recaptcha-x';",
      "h(ReCaptchaProvider, { siteKeyV2: window.sitekey, langCode: 'en', hideV3Badge: false }, h(ReCaptchaV2, { callback: log('done'), theme: 'light', size: 'normal', tabindex: 0, callback: (token) => typeof token === 'string' && log('done')(token) }))",
    ),
  },
  {
    package: '@matt-block/react-recaptcha-v2',
    version: '2.2.1',
    group: 'react-17',
    route: 'host',
    code: react17(
      "import ReCaptcha from '@matt-block/react-recaptcha-v2';",
      "h(ReCaptcha, { siteKey: window.sitekey, theme: 'light', size: 'normal', onSuccess: log('done'), onExpire: log('expired'), onError: log('failed') })",
    ),
  },
  {
    package: 'next-recaptcha-v3',
    version: '1.5.3',
    group: 'next',
    route: 'setting',
    configuration: '`src`',
    code: react(
      `import { ReCaptchaProvider, useReCaptcha } from 'next-recaptcha-v3';
       function Form() {
         const recaptcha = useReCaptcha();
         if (recaptcha.loaded) window.component = recaptcha;
         return null;
       }`,
      "h(ReCaptchaProvider, { reCaptchaKey: window.sitekey, src: 'HOST/recaptcha/api.js?render=KEY' }, h(Form))",
    ),
    start: "component.executeRecaptcha('login').then(log('done'))",
  },
  {
    package: 'react-google-recaptcha-hook',
    version: '1.1.3',
    group: 'react-19',
    route: 'host',
    code: react(
      `import { useGoogleReCaptcha } from 'react-google-recaptcha-hook';
       function Form() { window.component = useGoogleReCaptcha(window.sitekey); return null; }`,
      'h(Form)',
    ),
    start: "component.executeGoogleReCaptcha('login').then(log('done'))",
  },
  {
    package: 'react-google-recaptcha3',
    version: '1.0.4',
    group: 'react-17',
    route: 'host',
    code: react17(
      `import recaptchas from 'react-google-recaptcha3';
       const recaptcha = recaptchas.default ?? recaptchas;
       recaptcha.init(window.sitekey).then(() => { window.component = recaptcha; });`,
      "h('p')",
    ),
    start: "component.getToken().then(log('done'))",
  },
  {
    package: 'react-gcaptcha',
    version: '4.3.0',
    group: 'react-17',
    route: 'script',
    configuration: '`?onload=recaptchaLoaded`',
    head: V2.replace('explicit', 'explicit&onload=recaptchaLoaded'),
    code: react17(
      "import Recaptcha from 'react-gcaptcha';",
      "h(Recaptcha, { sitekey: window.sitekey, verifyCallback: log('done'), onloadCallback: log('loaded') })",
    ),
  },
  {
    package: 'google-recaptcha-v3',
    version: '1.1.3',
    group: 'react-19',
    route: 'host',
    code: react(
      `import { useGoogleRecaptcha } from 'google-recaptcha-v3';
       function Form() {
         const { token } = useGoogleRecaptcha(window.sitekey, 'login');
         if (token) log('done')(token);
         return null;
       }`,
      'h(Form)',
    ),
  },
  {
    package: '@better-captcha/react',
    version: '0.3.0',
    variant: 'reCAPTCHA',
    group: 'react-19',
    route: 'script',
    configuration: '`autoLoad` is `false`',
    head: V2,
    code: react(
      `import { ReCaptcha } from '@better-captcha/react/provider/recaptcha';
       const scriptOptions = { autoLoad: false };
       const done = log('done');`,
      'h(ReCaptcha, { sitekey: window.sitekey, scriptOptions, onSolve: done })',
    ),
  },
]);

const VUE = pages('reCAPTCHA', [
  {
    package: 'vue-recaptcha',
    version: '2.0.3',
    variant: 'recaptchaHost',
    group: 'vue-3.5',
    route: 'setting',
    configuration: '`recaptchaHost`',
    code: vue(
      "import { VueRecaptcha } from 'vue-recaptcha';",
      'VueRecaptcha',
      "{ sitekey: window.sitekey, recaptchaHost: 'captcha.example.com', onVerify: log('done') }",
    ),
  },
  {
    package: 'vue-recaptcha-v3',
    version: '2.0.1',
    group: 'vue-3.5',
    route: 'setting',
    configuration: '`customUrl` in `loaderOptions`',
    code: `
      // The plugin is a CommonJS module, whose Vue is another one than that of modules.
      import { useReCaptcha, VueReCaptcha } from 'vue-recaptcha-v3';
      const { createApp, h } = require('vue');
      const app = createApp({ setup() { window.component = useReCaptcha(); return () => h('p'); } });
      app.use(VueReCaptcha, { siteKey: window.sitekey, loaderOptions: { customUrl: 'HOST/recaptcha/api.js' } });
      app.mount('main');`,
    start: "component.recaptchaLoaded().then(() => component.executeRecaptcha('login')).then(log('done'))",
  },
  {
    package: 'vue3-recaptcha-v2',
    version: '2.1.0',
    group: 'vue-3.5',
    route: 'host',
    code: `
      import { createApp, h } from 'vue';
      import { install, RecaptchaV2 } from 'vue3-recaptcha-v2';
      const app = createApp({ render: () => h('form', [h(RecaptchaV2, { onLoadCallback: log('done'), onVerify: log('done') })]) });
      app.use(install, { sitekey: window.sitekey });
      app.mount('main');`,
  },
  {
    package: 'vue-recaptcha',
    version: '1.3.0',
    variant: '1.3.0',
    group: 'vue-2.7',
    route: 'script',
    head: V2,
    code: vue2(
      "import VueRecaptcha from 'vue-recaptcha';",
      'VueRecaptcha',
      "{ props: { sitekey: window.sitekey }, on: { verify: log('done') } }",
    ),
  },
]);

const ANGULAR = pages('reCAPTCHA', [
  {
    package: 'ng-recaptcha',
    version: '13.2.1',
    variant: 'v2',
    group: 'angular-17',
    route: 'setting',
    configuration: '`RECAPTCHA_BASE_URL`',
    code: angular17(
      "import { RECAPTCHA_BASE_URL, RecaptchaModule } from 'ng-recaptcha';",
      'RecaptchaModule',
      '<form ngNoForm><re-captcha [siteKey]="sitekey" (resolved)="done($event)"></re-captcha></form>',
      "{ provide: RECAPTCHA_BASE_URL, useValue: 'HOST/recaptcha/api.js' }",
    ),
  },
  {
    package: 'ng-recaptcha',
    version: '13.2.1',
    variant: 'v3',
    group: 'angular-17',
    route: 'setting',
    configuration: '`RECAPTCHA_BASE_URL`',
    code: angular17(
      `import { inject } from '@angular/core';
       import { RECAPTCHA_BASE_URL, RECAPTCHA_V3_SITE_KEY, ReCaptchaV3Service, RecaptchaV3Module } from 'ng-recaptcha';`,
      '',
      '<p>v3</p>',
      `{ provide: RECAPTCHA_BASE_URL, useValue: 'HOST/recaptcha/api.js' },
       { provide: RECAPTCHA_V3_SITE_KEY, useValue: window.sitekey }, importProvidersFrom(RecaptchaV3Module)`,
      'service = (window.component = inject(ReCaptchaV3Service));',
    ),
    start: "component.execute('login').subscribe(log('done'))",
  },
  {
    package: 'ng-recaptcha-2',
    version: '21.0.1',
    group: 'angular-22',
    route: 'setting',
    configuration: '`RECAPTCHA_BASE_URL`',
    code: angular(
      "import { RECAPTCHA_BASE_URL, RecaptchaModule } from 'ng-recaptcha-2';",
      'RecaptchaModule',
      '<form ngNoForm><re-captcha [siteKey]="sitekey" (resolved)="done($event)"></re-captcha></form>',
      "{ provide: RECAPTCHA_BASE_URL, useValue: 'HOST/recaptcha/api.js' }",
    ),
  },
  {
    package: 'ngx-captcha',
    version: '14.0.0',
    group: 'angular-17',
    route: 'script',
    configuration: '`window.ngx_captcha_onload_callback` before the bundle',
    head: `<script>window.ngx_captcha_onload_callback = () => {};</script>${V2}`,
    code: angular17(
      "import { NgxCaptchaModule } from 'ngx-captcha';",
      'NgxCaptchaModule',
      '<form ngNoForm><ngx-recaptcha2 [siteKey]="sitekey" (success)="done($event)" [(ngModel)]="token" name="token"></ngx-recaptcha2></form>',
    ),
  },
]);

const PLAIN = pages('reCAPTCHA', [
  {
    package: '@google-recaptcha/core',
    version: '1.1.3',
    group: 'plain',
    route: 'host',
    code: `
      import { injectGoogleReCaptchaScript } from '@google-recaptcha/core';
      const onload = () => { window.component = grecaptcha; };
      injectGoogleReCaptchaScript({ render: window.sitekey, onload });`,
    start: "component.execute(window.sitekey, { action: 'login' }).then(log('done'))",
  },
  {
    package: 'invisible-grecaptcha',
    version: '0.1.3',
    group: 'plain',
    route: 'host',
    code: `
      import { createInvisibleGrecaptcha, execute } from 'invisible-grecaptcha';
      createInvisibleGrecaptcha({ sitekey: window.sitekey, locale: 'en', callback: log('done') }).then((id) => {
        window.component = () => execute(id);
      });`,
    start: 'component()',
  },
]);

/** Components that were chosen after the others worked, without changes to Postern. */
const OTHERS = pages('reCAPTCHA', [
  {
    package: 'react-captcha',
    version: '2.0.9',
    group: 'react-15',
    route: 'host',
    code: react17(
      "import Captcha from 'react-captcha';",
      "h(Captcha, { sitekey: window.sitekey, lang: 'en', theme: 'light', type: 'image', callback: log('done') })",
    ),
  },
  {
    package: 'recaptcha-v3-react',
    version: '3.0.3',
    group: 'react-17',
    route: 'host',
    code: react17(
      `import { loadReCaptcha, ReCaptcha } from 'recaptcha-v3-react';
       loadReCaptcha({ key: window.sitekey, id: 'loader' });`,
      "h(ReCaptcha, { action: 'login', sitekey: window.sitekey, verifyCallback: log('done') })",
    ),
  },
  {
    package: 'react-google-recaptcha-ultimate',
    version: '1.2.2',
    group: 'react-18',
    route: 'host',
    code: react(
      `import { GoogleReCaptchaProvider, useGoogleReCaptcha } from 'react-google-recaptcha-ultimate';
       function Form() { window.component = useGoogleReCaptcha(); return null; }`,
      "h(GoogleReCaptchaProvider, { type: 'v3', siteKey: window.sitekey }, h(Form))",
    ),
    start: "component.executeV3('login').then(log('done'))",
  },
  {
    package: 'react-recaptcha-that-works',
    version: '1.0.0',
    group: 'react-17',
    route: 'script',
    head: V2,
    code: react17(
      "import Recaptcha from 'react-recaptcha-that-works';",
      "h(Recaptcha, { siteKey: window.sitekey, onVerify: log('done') })",
    ),
  },
  {
    package: 'react-recaptcha-hook',
    version: '1.2.3',
    group: 'react-18',
    route: 'host',
    code: react(
      `import { useRecaptcha } from 'react-recaptcha-hook';
       function Form() {
         window.component = { execute: useRecaptcha({ sitekey: window.sitekey, hideDefaultBadge: true }) };
         return null;
       }`,
      'h(Form)',
    ),
    // The function rejects until the script is loaded.
    start: "grecaptcha.ready(() => component.execute('login').then(log('done')))",
  },
  {
    package: 'react-grecaptcha-v3',
    version: '0.7.0',
    group: 'react-18',
    route: 'host',
    code: react(
      `import { ReCaptchaProvider, useExecuteReCaptcha } from 'react-grecaptcha-v3';
       function Form() { window.component = { execute: useExecuteReCaptcha() }; return null; }`,
      'h(ReCaptchaProvider, { siteKey: window.sitekey, injectionDelay: 0 }, h(Form))',
    ),
    start: "component.execute('login').then(log('done'))",
  },
  {
    package: 'react-google-recaptcha-hooks',
    version: '1.0.2',
    group: 'react-17',
    route: 'host',
    code: react17(
      `import { useGoogleReCaptchaV2 } from 'react-google-recaptcha-hooks';
       function Form() {
         window.component = useGoogleReCaptchaV2({ siteKey: window.sitekey, language: 'en' });
         return component.ReCaptchaBadge;
       }`,
      'h(Form)',
    ),
    start: "component.executeReCaptcha().then(log('done'))",
  },
  {
    package: 'angular-recaptcha',
    version: '4.2.0',
    needs: { angular: '1.8.3' },
    group: 'plain',
    route: 'script',
    configuration: '`?onload=vcRecaptchaApiLoaded`',
    head: V2.replace('explicit', 'explicit&onload=vcRecaptchaApiLoaded'),
    code: `
      import angular from 'angular';
      window.angular = angular;
      require('angular-recaptcha');
      const main = document.querySelector('main');
      main.innerHTML = '<form><div vc-recaptcha key="sitekey" on-success="done(response)"></div></form>';
      angular.module('page', ['vcRecaptcha']).run(['$rootScope', (scope) => {
        Object.assign(scope, { sitekey: window.sitekey, done: log('done') });
      }]);
      angular.bootstrap(main, ['page']);`,
  },
  {
    package: 'ng-recaptcha3',
    version: '1.4.0',
    group: 'angular-17',
    route: 'host',
    code: angular17(
      `import { inject } from '@angular/core';
       import { NgRecaptcha3Service } from 'ng-recaptcha3';`,
      '',
      '<p>v3</p>',
      'NgRecaptcha3Service',
      'service = ((found) => found.init(window.sitekey).then(() => { window.component = found; }))(inject(NgRecaptcha3Service));',
    ),
    start: "component.getToken({ action: 'login' }).then(log('done'))",
  },
]);

export const RECAPTCHA_PAGES = [...REACT, ...VUE, ...ANGULAR, ...PLAIN, ...OTHERS];
