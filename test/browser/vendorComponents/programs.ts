import { join } from 'node:path';
import type { BunPlugin } from 'bun';

/** A component for another vendor, on a page that uses Postern. */
export type Program = {
  readonly title: string;
  /** The page's head. HOST and KEY stand for Postern's URL and the sitekey. */
  readonly head: string;
  /** The origin of a script that the component always loads from its vendor. */
  readonly origin?: string;
  /** Defines `render(props)`, which renders a form with the component, and `unmount()`. */
  readonly code: string;
  /** An expression that starts the check; undefined if the check starts automatically. */
  readonly start?: string;
  /** The name of the field; undefined if the component has none. */
  readonly field?: string;
};

/** A program with React 18 or newer. @param element in a form */
export const react = (imports: string, element: string) => `
  import { createElement as h, StrictMode, useRef, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  ${imports}
  let root;
  window.render = (props = {}) => {
    root ??= createRoot(document.querySelector('main'));
    root.render(h(StrictMode, null, h('form', null, ${element})));
  };
  window.unmount = () => { root.unmount(); root = undefined; };`;

/** A program with Vue 3. @param name of the component @param props of it */
export const vue = (imports: string, name: string, props: string) => `
  import { createApp, h, reactive } from 'vue';
  ${imports}
  let app;
  let state;
  window.render = (props = {}) => {
    if (app) return void Object.assign(state, props);
    state = reactive({ ...props });
    app = createApp({ render: () => h('form', [h(${name}, { ...${props}, ...state })]) });
    app.mount('main');
  };
  window.unmount = () => { app.unmount(); app = undefined; };`;

const press = "document.querySelector('[data-postern] > div').shadowRoot.querySelector('button').click()";

export const PROGRAMS: readonly Program[] = [
  {
    title: 'react-google-recaptcha',
    head: '<script src="HOST/recaptcha/api.js?render=explicit"></script>',
    code: react(
      "import ReCAPTCHA from 'react-google-recaptcha';",
      "h(ReCAPTCHA, { sitekey: window.sitekey, onChange: log('done'), onErrored: log('failed'), ref: (ref) => { window.component = ref; }, ...props })",
    ),
    start: press,
    field: 'g-recaptcha-response',
  },
  {
    title: 'react-google-recaptcha, invisible',
    head: '<script src="HOST/recaptcha/api.js?render=explicit"></script>',
    code: react(
      "import ReCAPTCHA from 'react-google-recaptcha';",
      "h(ReCAPTCHA, { sitekey: window.sitekey, size: 'invisible', ref: (ref) => { window.component = ref; }, ...props })",
    ),
    start: "component.executeAsync().then(log('done'))",
    field: 'g-recaptcha-response',
  },
  {
    title: 'react-google-recaptcha-v3',
    head: '',
    origin: 'https://www.google.com',
    code: react(
      "import { GoogleReCaptchaProvider, useGoogleReCaptcha } from 'react-google-recaptcha-v3';\nfunction Form() { window.component = useGoogleReCaptcha(); return null; }",
      'h(GoogleReCaptchaProvider, { reCaptchaKey: window.sitekey, ...props }, h(Form))',
    ),
    start: "component.executeRecaptcha('login').then(log('done'))",
  },
  {
    title: 'vue-recaptcha',
    head: '<script src="HOST/recaptcha/api.js?render=explicit"></script>',
    code: vue(
      "import { VueRecaptcha } from 'vue-recaptcha';",
      'VueRecaptcha',
      "{ sitekey: window.sitekey, loadRecaptchaScript: false, onVerify: log('done'), onError: log('failed') }",
    ),
    start: press,
    field: 'g-recaptcha-response',
  },
  {
    title: 'vue3-recaptcha2',
    head: '<script src="HOST/recaptcha/api.js?render=explicit"></script>',
    code: vue(
      "import VueRecaptcha from 'vue3-recaptcha2';",
      'VueRecaptcha',
      "{ sitekey: window.sitekey, onVerify: log('done'), onFail: log('failed') }",
    ),
    start: press,
    field: 'g-recaptcha-response',
  },
  {
    title: 'recaptcha-v3',
    head: '',
    code: `
      import { load } from 'recaptcha-v3';
      window.render = async () => {
        const recaptcha = await load(window.sitekey, { customUrl: window.host + '/recaptcha/api.js' });
        window.component = { executeRecaptcha: (action) => recaptcha.execute(action) };
      };
      window.unmount = () => { window.component = undefined; };`,
    start: "component.executeRecaptcha('login').then(log('done'))",
  },
  {
    title: '@hcaptcha/react-hcaptcha',
    head: '',
    code: react(
      "import HCaptcha from '@hcaptcha/react-hcaptcha';",
      "h(HCaptcha, { sitekey: window.sitekey, scriptSource: window.host + '/1/api.js', onVerify: log('done'), onError: log('failed'), ...props })",
    ),
    start: press,
    field: 'h-captcha-response',
  },
  {
    title: '@hcaptcha/react-hcaptcha, invisible',
    head: '',
    code: react(
      "import HCaptcha from '@hcaptcha/react-hcaptcha';",
      "h(HCaptcha, { sitekey: window.sitekey, size: 'invisible', scriptSource: window.host + '/1/api.js', ref: (ref) => { window.component = ref; }, ...props })",
    ),
    start:
      "component.execute({ async: true }).then(({ response }) => log('done')(response), () => undefined)",
    field: 'h-captcha-response',
  },
  {
    title: '@hcaptcha/loader',
    head: '',
    code: `
      import { hCaptchaLoader } from '@hcaptcha/loader';
      window.render = async () => {
        document.querySelector('main').innerHTML = '<form><div id="box"></div></form>';
        const hcaptcha = await hCaptchaLoader({ scriptSource: window.host + '/1/api.js', cleanup: true });
        window.id = hcaptcha.render('box', { sitekey: window.sitekey, callback: log('done') });
      };
      window.unmount = () => { hcaptcha.remove(id); document.querySelector('main').innerHTML = ''; };`,
    start: press,
    field: 'h-captcha-response',
  },
  {
    title: '@marsidev/react-turnstile',
    head: '<script id="cf-turnstile-script" src="HOST/turnstile/v0/api.js?render=explicit"></script>',
    code: react(
      "import { Turnstile } from '@marsidev/react-turnstile';",
      "h(Turnstile, { siteKey: window.sitekey, onSuccess: log('done'), onError: log('failed'), ...props })",
    ),
    field: 'cf-turnstile-response',
  },
  {
    title: 'react-turnstile',
    head: '<script src="HOST/turnstile/v0/api.js?render=explicit"></script>',
    code: react(
      "import Turnstile from 'react-turnstile';",
      "h(Turnstile, { sitekey: window.sitekey, onVerify: log('done'), onError: log('failed'), ...props })",
    ),
    field: 'cf-turnstile-response',
  },
  {
    title: 'vue-turnstile',
    head: '<script src="HOST/turnstile/v0/api.js?render=explicit"></script>',
    code: vue(
      "import VueTurnstile from 'vue-turnstile';",
      'VueTurnstile',
      "{ siteKey: window.sitekey, modelValue: '', 'onUpdate:modelValue': (token) => token && log('done')(token) }",
    ),
    field: 'cf-turnstile-response',
  },
];

/** What a program needs besides the packages in this folder. */
export type BuildOptions = {
  /** The folder in which packages are found. */
  readonly folder?: string;
  /** Further modules by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly plugins?: BunPlugin[];
};

/** @returns the program as one script @throws AggregateError if it cannot be built */
export async function buildProgram(
  code: string,
  { folder = import.meta.dir, files = {}, plugins = [] }: BuildOptions = {},
): Promise<string> {
  // Paths in the folder, so that packages are found.
  const entry = join(folder, 'program.js');
  const modules = Object.entries(files).map(([name, text]) => [join(folder, name), text] as const);
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: code, ...Object.fromEntries(modules) },
    plugins,
    target: 'browser',
    format: 'iife',
    conditions: ['development', 'svelte', 'browser'],
    define: {
      'process.env.NODE_ENV': '"development"',
      // Components that were written for Vite.
      'import.meta.env': '{"SSR":false}',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  });
  return (await outputs.find(({ kind }) => kind === 'entry-point')?.text()) ?? '';
}
