import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { NPM_PACKAGES, type NpmPackage, packPackage } from '../../build/packages.ts';
import { version } from '../../src/version.ts';
import { run, textOf } from '../architecture/tree.ts';
import { useServer } from '../support/useServer.ts';
import { usePackages } from './installed.ts';

/** The content of the npm packages, and their types as applications see them. */

setDefaultTimeout(300_000);
const folder = usePackages();
const server = useServer();

type Manifest = {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: object;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly peerDependencies?: object;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

const manifestOf = async (name: NpmPackage): Promise<Manifest> =>
  JSON.parse(await textOf(`packages/${name}/package.json`));

/** The scripts, each with its declarations. */
const SCRIPTS: Readonly<Record<NpmPackage, readonly string[]>> = {
  widget: ['angular', 'connect', 'element', 'forms', 'index', 'load', 'react', 'solid', 'vue'],
  server: ['elysia', 'express', 'fastify', 'form', 'hono', 'index', 'koa', 'next', 'verify', 'web'],
};
const OTHER_FILES: Readonly<Record<NpmPackage, readonly string[]>> = {
  widget: ['PosternWidget.svelte', 'PosternWidget.svelte.d.ts', 'postern.d.ts'],
  server: [],
};

describe.each(NPM_PACKAGES)('@postern/%s', (name) => {
  test('has the version of the server, its license, and no dependencies', async () => {
    const manifest = await manifestOf(name);
    expect([manifest.version, manifest.license]).toEqual([version, 'MIT']);
    expect(manifest.dependencies).toBeUndefined();
    const optional = Object.entries(manifest.peerDependenciesMeta ?? {}).filter(([, meta]) => meta.optional);
    expect(optional.map(([peer]) => peer)).toEqual(Object.keys(manifest.peerDependencies ?? {}));
  });

  test('is packed with these files, and its exports are among them', async () => {
    const output = join(folder(), 'packed');
    mkdirSync(output, { recursive: true });
    packPackage(name, folder(), output);
    const tarball = join(output, `postern-${name}-${version}.tgz`);
    const { output: list } = await run('tar', '--list', '--file', tarball);
    const packed = list
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', ''));
    const scripts = SCRIPTS[name].flatMap((script) => [`${script}.d.ts`, `${script}.js`]);
    const expected = [...scripts, ...OTHER_FILES[name], 'LICENSE', 'README.md', 'package.json'];
    expect(packed.toSorted()).toEqual(expected.toSorted());
    const exported = Object.values((await manifestOf(name)).exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    expect(exported.filter((path) => !packed.includes(path.replace('./', '')))).toEqual([]);
  });
});

/** Uses every entry. Lines after `@ts-expect-error` must not compile. */
const APPLICATION = `
import { loadPostern, postForm, type PosternHandle } from '@postern/widget';
import { PosternElement } from '@postern/widget/element';
import { PosternWidget as AngularWidget } from '@postern/widget/angular';
import { PosternWidget as ReactWidget } from '@postern/widget/react';
import { PosternWidget as SolidWidget } from '@postern/widget/solid';
import SvelteWidget from '@postern/widget/svelte';
import { PosternWidget as VueWidget } from '@postern/widget/vue';
import { type Verdict, verify, verifyForm } from '@postern/server';
import { captcha as elysiaCaptcha } from '@postern/server/elysia';
import { captcha as expressCaptcha } from '@postern/server/express';
import { captcha as fastifyCaptcha, formParser } from '@postern/server/fastify';
import { captcha as honoCaptcha } from '@postern/server/hono';
import { captcha as koaCaptcha } from '@postern/server/koa';
import { withCaptcha, withCaptchaAction } from '@postern/server/next';
import { Elysia } from 'elysia';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { createElement } from 'react';
import { createComponent } from 'solid-js';
import { mount } from 'svelte';
import { h } from 'vue';

const props = { server: 'https://captcha.example.com', sitekey: '0123', theme: 'dark' } as const;
export const handle: Promise<PosternHandle> = loadPostern(props).then((api) => api.render(document.body, { theme: 'auto' }));
export const sent: Promise<Response> = postForm(document.forms[0] as HTMLFormElement);
export const element: PosternElement = document.createElement('postern-widget');
export const solution: Promise<string> = element.solve();
export const created = [
  createElement(ReactWidget, { ...props, onFinish: (text: string) => text.length }),
  h(VueWidget, { ...props, onFinish: (text: string) => text.length }),
  createComponent(SolidWidget, { ...props, ref: (connection) => connection.reset() }),
  mount(SvelteWidget, { target: document.body, props }).solve(),
  AngularWidget,
];
document.addEventListener('postern:finish', ({ detail }) => detail.solution.length);
// @ts-expect-error
createElement(ReactWidget, { server: '' });
// @ts-expect-error
createElement(ReactWidget, { ...props, theme: 'blue' });
// @ts-expect-error
h(VueWidget, { ...props, onFinish: (count: number) => count });

const options = { server: 'https://captcha.example.com', apiKey: 'key', sitekey: '0123' };
export const verdict: Promise<Verdict> = verify('solution', options);
verifyForm(new FormData(), options).then((result) => (result.outcome === 'accepted' ? result.origin : ''));
// @ts-expect-error
verify('solution', { server: '' });
express().post('/', expressCaptcha({ ...options, onRejected: (_, __, response) => response.end('no') }), (_, response) => {
  response.end();
});
new Koa().use(koaCaptcha(options));
const server = fastify();
server.register(formParser);
server.post('/', { preHandler: fastifyCaptcha(options) }, async () => '');
new Hono().post('/', honoCaptcha(options), (context) => context.text(''));
new Elysia().post('/', () => '', { beforeHandle: elysiaCaptcha(options) });
export const POST: (request: Request) => Promise<Response> = withCaptcha(async (_request: Request) => new Response(), options);
export const signUp: (form: FormData) => Promise<string> = withCaptchaAction(async (_form: FormData) => 'welcome', {
  ...options,
  onRejected: ({ message }) => message,
});
`;

test.each([
  ['node16', ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16],
  ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
])('applications that resolve modules as %s get the types', async (name, module, moduleResolution) => {
  const file = join(folder(), `${name}.mts`);
  await Bun.write(file, APPLICATION);
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    esModuleInterop: true,
    target: ts.ScriptTarget.ES2022,
    types: ['node'],
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module,
    moduleResolution,
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ start, messageText }) => `${start}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  expect(problems).toEqual([]);
});

test('the server serves the types of the script that the package contains', async () => {
  const response = await fetch(`${server.url}/widget/postern.d.ts`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await response.text()).toBe(await textOf('packages/widget/src/postern.d.ts'));
});
