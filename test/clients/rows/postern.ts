import type { ApplicationClient, BackendClient, Client, PageClient } from '../client.ts';
import {
  angular,
  angular17,
  type BackendRow,
  backends,
  type PageRow,
  pages,
  react,
  react17,
  solid,
  svelte4,
  svelte5,
  svelteApp,
  vue,
  vue2,
} from './drivers.ts';

/** Postern's own packages with frameworks, also older ones than the tests run. */

const PROPS = "server: window.host, sitekey: window.sitekey, onFinish: log('done')";
const REACT = [
  "import { PosternWidget } from '@postern/widget/react';",
  `h(PosternWidget, { ${PROPS} })`,
] as const;
const VUE = [
  "import { PosternWidget } from '@postern/widget/vue';",
  'PosternWidget',
  `{ ${PROPS} }`,
] as const;
const SVELTE = svelteApp(
  "import PosternWidget from '@postern/widget/svelte';",
  "<PosternWidget server={window.host} {sitekey} onFinish={log('done')} />",
);
const ANGULAR = [
  "import { PosternWidget } from '@postern/widget/angular';",
  'PosternWidget',
  '<form ngNoForm><postern-widget [server]="host" [attr.data-sitekey]="sitekey" (posternFinish)="done($event)" /></form>',
] as const;

/** The package is built from this repository; the version is that of the framework. */
const widget = (
  framework: string,
  version: string,
  row: Omit<PageRow, 'package' | 'version' | 'route'>,
): PageRow => ({
  package: `@postern/widget with ${framework} ${version}`,
  version: '',
  route: 'setting',
  configuration: '`server`',
  ...row,
});

const WIDGETS: readonly PageClient[] = pages('Postern', [
  widget('React', '19.3.1', { group: 'react-19', code: react(...REACT) }),
  widget('React', '18.3.1', { group: 'react-18', code: react(...REACT) }),
  widget('React', '17.0.2', { group: 'react-17', code: react17(...REACT) }),
  widget('Vue', '3.5.45', { group: 'vue-3.5', code: vue(...VUE) }),
  widget('Vue', '3.3.13', { group: 'vue-3.3', code: vue(...VUE) }),
  widget('Vue', '3.2.47', {
    group: 'vue-3.2',
    code: vue(...VUE),
    limit: 'The component requires Vue 3.3. Use the custom element `@postern/widget/element`.',
  }),
  widget('Vue', '3.2.47, as a custom element', {
    group: 'vue-3.2',
    code: vue(
      "import '@postern/widget/element';",
      "'postern-widget'",
      "{ '^server': window.host, '^data-sitekey': window.sitekey }",
    ),
    field: 'postern-captcha-solution',
  }),
  widget('Vue', '2.7.16', {
    group: 'vue-2.7',
    code: vue2(
      VUE[0],
      VUE[1],
      "{ props: { server: window.host, sitekey: window.sitekey }, on: { finish: log('done') } }",
    ),
    limit: 'Vue 2 has different render functions. Use the custom element `@postern/widget/element`.',
  }),
  widget('Vue', '2.7.16, as a custom element', {
    group: 'vue-2.7',
    code: vue2(
      "import '@postern/widget/element';\nVue.config.ignoredElements = ['postern-widget'];",
      "'postern-widget'",
      "{ attrs: { server: window.host, 'data-sitekey': window.sitekey } }",
    ),
    field: 'postern-captcha-solution',
  }),
  widget('Svelte', '5.57.3', { group: 'svelte-5', code: svelte5, files: SVELTE }),
  widget('Svelte', '4.2.20', {
    group: 'svelte-4',
    code: svelte4,
    files: SVELTE,
    limit: 'The component uses Svelte 5 runes. Use the custom element `@postern/widget/element`.',
  }),
  widget('Svelte', '4.2.20, as a custom element', {
    group: 'svelte-4',
    code: svelte4,
    files: svelteApp(
      "import '@postern/widget/element';",
      '<postern-widget server={window.host} data-sitekey={sitekey}></postern-widget>',
    ),
    field: 'postern-captcha-solution',
  }),
  widget('Solid', '1.9.20', {
    group: 'solid',
    code: solid("import { PosternWidget } from '@postern/widget/solid';", 'PosternWidget', `{ ${PROPS} }`),
  }),
  widget('Angular', '22.2.6', { group: 'angular-22', code: angular(...ANGULAR) }),
  widget('Angular', '17.3.12', { group: 'angular-17', code: angular17(...ANGULAR) }),
]);

const OPTIONS = '{ server: url, apiKey: secret, sitekey }';
const SEND = "submit(handler, { 'postern-captcha-solution': token, email: 'ann@example.com' })";

const server = (framework: string, version: string, row: Pick<BackendRow, 'code' | 'group'>): BackendRow => ({
  package: `@postern/server with ${framework} ${version}`,
  version: '',
  route: 'setting',
  configuration: '`server`',
  token: 'postern',
  ...row,
});

const express = `
  import express from 'express';
  import { captcha } from '@postern/server/express';
  const handler = express();
  handler.post('/', captcha(${OPTIONS}), (request, response) => response.send(request.body.email));
  const verify = (token) => ${SEND};`;

const fastify = `
  import fastify from 'fastify';
  import { captcha, formParser } from '@postern/server/fastify';
  const app = fastify();
  app.register(formParser);
  app.post('/', { preHandler: captcha(${OPTIONS}) }, async (request) => request.body.email);
  await app.ready();
  const handler = (request, response) => app.routing(request, response);
  const verify = (token) => ${SEND};`;

const koa = `
  import Koa from 'koa';
  import { captcha } from '@postern/server/koa';
  const app = new Koa();
  app.use(captcha(${OPTIONS}));
  app.use((context) => { context.body = context.request.body.email; });
  const handler = app.callback();
  const verify = (token) => ${SEND};`;

const SERVERS: readonly BackendClient[] = backends('Postern', [
  server('Express', '5.3.0', { code: express }),
  server('Express', '4.21.2', { group: 'node-old', code: express }),
  server('Fastify', '5.12.8', { code: fastify }),
  server('Fastify', '4.29.1', { group: 'node-old', code: fastify }),
  server('Koa', '3.3.0', { code: koa }),
  server('Koa', '2.16.4', { group: 'node-old', code: koa }),
]);

const NEXT: readonly ApplicationClient[] = [
  {
    kind: 'application',
    name: 'Next.js with @postern/widget and @postern/server',
    vendor: 'Postern',
    route: 'setting',
    configuration: '`server`; App Router, `next build` and `next start`, a server action',
    group: 'next',
    packages: { next: '16.4.6' },
    files: {
      'app/layout.jsx': `
        export default function Layout({ children }) {
          return <html lang="en"><body>{children}</body></html>;
        }`,
      'app/page.jsx': `
        import { SignUp } from './SignUp.jsx';
        export default function Page() { return <SignUp />; }`,
      'app/SignUp.jsx': `'use client';
        import { useActionState } from 'react';
        import { PosternWidget } from '@postern/widget/react';
        import { signUp } from './actions.js';
        export function SignUp() {
          const [message, action] = useActionState(signUp, '');
          return (
            <form action={action}>
              <input name="email" type="email" />
              <PosternWidget server="HOST" sitekey="KEY" />
              <button>Sign up</button>
              <output>{message}</output>
            </form>
          );
        }`,
      'app/actions.js': `'use server';
        import { withCaptchaAction } from '@postern/server/next';
        const options = { server: 'HOST', apiKey: 'SECRET', sitekey: 'KEY' };
        export const signUp = withCaptchaAction(
          async (_state, form) => 'Welcome, ' + form.get('email'),
          { ...options, onRejected: ({ message }) => message },
        );`,
    },
    build: ['node_modules/.bin/next', 'build'],
    serve: ['node_modules/.bin/next', 'start', '--port', 'PORT'],
  },
];

export const POSTERN: readonly Client[] = [...WIDGETS, ...SERVERS, ...NEXT];
