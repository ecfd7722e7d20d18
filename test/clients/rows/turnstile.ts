import { angular, angular17, pages, react, SCRIPTS, solid, svelte5, svelteApp, vue } from './drivers.ts';

/** Components of pages for Turnstile. */

const head = SCRIPTS.Turnstile;

export const TURNSTILE_PAGES = pages('Turnstile', [
  {
    package: 'react-cloudflare-turnstile',
    version: '2.0.0',
    group: 'react-19',
    route: 'script',
    head,
    code: react(
      "import Turnstile from 'react-cloudflare-turnstile';",
      "h(Turnstile, { turnstileSiteKey: window.sitekey, callback: log('done') })",
    ),
  },
  {
    package: 'next-turnstile',
    version: '1.0.7',
    group: 'next',
    route: 'host',
    code: react(
      "import { Turnstile } from 'next-turnstile';",
      "h(Turnstile, { siteKey: window.sitekey, onVerify: log('done') })",
    ),
  },
  {
    package: 'nextjs-turnstile',
    version: '1.0.3',
    group: 'next',
    route: 'script',
    head,
    code: react(
      "import { Turnstile } from 'nextjs-turnstile';",
      "h(Turnstile, { siteKey: window.sitekey, onSuccess: log('done') })",
    ),
  },
  {
    package: 'turnstile-next',
    version: '0.2.2',
    group: 'next',
    route: 'script',
    configuration: 'without `?render=explicit`',
    head: '<script src="HOST/turnstile/v0/api.js" async defer></script>',
    code: react(
      "import Turnstile from 'turnstile-next';",
      "h(Turnstile, { siteKey: window.sitekey, onVerify: log('done') })",
    ),
  },
  {
    package: '@sctg/turnstile-vue3',
    version: '1.1.0',
    group: 'vue-3.5',
    route: 'script',
    head,
    code: vue(
      "import { Turnstile } from '@sctg/turnstile-vue3';",
      'Turnstile',
      "{ siteKey: window.sitekey, modelValue: '', 'onUpdate:modelValue': log('done') }",
    ),
  },
  {
    package: 'cfturnstile-vue3',
    version: '2.0.0',
    group: 'vue-3.5',
    route: 'script',
    configuration: '`?onload=onloadTurnstileCallback`',
    head: head.replace('explicit', 'explicit&onload=onloadTurnstileCallback'),
    code: vue(
      "import Turnstile from 'cfturnstile-vue3';",
      'Turnstile',
      "{ sitekey: window.sitekey, onCallback: log('done') }",
    ),
  },
  {
    package: '@gaviti/vue-turnstile',
    version: '1.1.4',
    group: 'vue-3.5',
    route: 'script',
    head,
    code: vue(
      "import VueTurnstile from '@gaviti/vue-turnstile';",
      'VueTurnstile',
      "{ siteKey: window.sitekey, onVerified: log('done') }",
    ),
  },
  {
    package: 'svelte-turnstile',
    version: '0.11.0',
    group: 'svelte-5',
    route: 'script',
    head,
    code: svelte5,
    files: svelteApp(
      "import { Turnstile } from 'svelte-turnstile';",
      "<Turnstile siteKey={sitekey} on:callback={({ detail }) => log('done')(detail.token)} />",
    ),
  },
  {
    package: '@svelte-put/cloudflare-turnstile',
    version: '1.2.0',
    group: 'svelte-5',
    route: 'script',
    head,
    code: svelte5,
    files: svelteApp(
      "import { turnstile } from '@svelte-put/cloudflare-turnstile';",
      "<div use:turnstile turnstile-sitekey={sitekey} onturnstile={({ detail }) => log('done')(detail.token)}></div>",
    ),
  },
  {
    package: '@nerimity/solid-turnstile',
    version: '1.1.0',
    group: 'solid',
    route: 'host',
    code: solid(
      "import { Turnstile } from '@nerimity/solid-turnstile';",
      'Turnstile',
      "{ sitekey: window.sitekey, onVerify: log('done') }",
    ),
  },
  {
    package: 'ngx-turnstile',
    version: '0.2.5',
    group: 'angular-17',
    route: 'script',
    configuration: 'the id `ngx-turnstile`',
    head: head.replace('<script', '<script id="ngx-turnstile"'),
    code: angular17(
      "import { NgxTurnstileModule } from 'ngx-turnstile';",
      'NgxTurnstileModule',
      '<form ngNoForm><ngx-turnstile [siteKey]="sitekey" theme="auto" (resolved)="done($event)"></ngx-turnstile></form>',
    ),
  },
  {
    package: '@pangz/ng-cloudflare-turnstile',
    version: '0.3.0',
    group: 'angular-22',
    route: 'script',
    head,
    code: angular(
      "import { NgCloudflareTurnstile } from '@pangz/ng-cloudflare-turnstile';",
      'NgCloudflareTurnstile',
      '<form ngNoForm><ng-cloudflare-turnstile [config]="config"></ng-cloudflare-turnstile></form>',
      '',
      "config = { siteKey: window.sitekey, onSuccess: ({ data }) => log('done')(data) };",
    ),
  },
  {
    package: '@better-captcha/react',
    version: '0.3.0',
    variant: 'Turnstile',
    group: 'react-19',
    route: 'script',
    configuration: '`autoLoad` is `false`',
    head,
    code: react(
      `import { Turnstile } from '@better-captcha/react/provider/turnstile';
       const scriptOptions = { autoLoad: false };
       const done = log('done');`,
      'h(Turnstile, { sitekey: window.sitekey, scriptOptions, onSolve: done })',
    ),
  },
]);
