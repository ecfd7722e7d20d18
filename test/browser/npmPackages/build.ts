import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BunPlugin } from 'bun';
import { compile } from 'svelte/compiler';
import { buildPackage } from '../../../build/packages.ts';
import { ROOT, textOf } from '../../architecture/tree.ts';

/** The programs: each sets `start`, and mounts a form with the widget as often as the test calls it with other properties. */
const PROGRAMS = {
  react: `
    import { createElement as h, StrictMode } from 'react';
    import { createRoot } from 'react-dom/client';
    import { PosternWidget } from '@postern/widget/react';
    const root = createRoot(document.querySelector('main'));
    const ref = (found) => { window.widget = found; };
    window.show = (props) =>
      root.render(h(StrictMode, null, props && h('form', null, h(PosternWidget, { ...props, ...callbacks, ref }))));`,
  vue: `
    import { createApp, h, shallowRef } from 'vue';
    import { PosternWidget } from '@postern/widget/vue';
    const given = shallowRef();
    const ref = (found) => { window.widget = found; };
    createApp(() => given.value && h('form', [h(PosternWidget, { ...given.value, ...callbacks, ref })])).mount('main');
    window.show = (props) => { given.value = props; };`,
  svelte: `
    import { mount } from 'svelte';
    import App from './App.svelte';
    mount(App, { target: document.querySelector('main') });`,
  solid: `
    import { createSignal, mergeProps, Show } from 'solid-js';
    import { createComponent, insert, render } from 'solid-js/web';
    import { PosternWidget } from '@postern/widget/solid';
    const [given, set] = createSignal();
    const ref = (found) => { window.widget = found; };
    render(() => createComponent(Show, {
      get when() { return given() !== undefined; },
      get children() {
        const form = document.createElement('form');
        insert(form, createComponent(PosternWidget, mergeProps(callbacks, { ref }, given)));
        return form;
      },
    }), document.querySelector('main'));
    window.show = (props) => { set(props); };`,
  angular: `
    import * as compiler from '@angular/compiler';
    // The package declares that it has no side effects, but the compiler registers itself.
    window.compiler = compiler;
    import { Component, provideZonelessChangeDetection, signal, ViewChild } from '@angular/core';
    import { bootstrapApplication } from '@angular/platform-browser';
    import { PosternWidget } from '@postern/widget/angular';
    const given = signal();
    class App {
      given = given;
      finish = callbacks.onFinish;
      fail = callbacks.onError;
      reset = callbacks.onReset;
    }
    const template = \`@if (given(); as props) { <form ngNoForm><postern-widget [server]="props.server"
      [attr.data-sitekey]="props.sitekey" [attr.data-theme]="props.theme" #found="posternWidget"
      (posternFinish)="finish($event)" (posternError)="fail($event)" (posternReset)="reset($event)" /></form> }\`;
    ViewChild('found')(App.prototype, 'widget');
    Component({ selector: 'main', imports: [PosternWidget], template })(App);
    const { instance } = (await bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] })).components[0];
    Object.defineProperty(window, 'widget', { get: () => instance.widget });
    window.show = (props) => { given.set(props); };`,
  element: `
    import '@postern/widget/element';
    const main = document.querySelector('main');
    window.show = (props) => {
      if (!props) return main.replaceChildren();
      window.widget = main.querySelector('postern-widget') ?? document.createElement('postern-widget');
      widget.setAttribute('server', props.server);
      widget.dataset.sitekey = props.sitekey;
      if (props.theme) widget.dataset.theme = props.theme;
      if (widget.isConnected) return;
      widget.addEventListener('postern:finish', ({ detail }) => callbacks.onFinish(detail.solution));
      widget.addEventListener('postern:unavailable', ({ detail }) => callbacks.onError(detail));
      widget.addEventListener('postern:reset', ({ detail }) => callbacks.onReset(detail.expired === true));
      const form = document.createElement('form');
      form.append(widget);
      main.append(form);
    };`,
  documentation: `
    import { createElement } from 'react';
    import { createRoot } from 'react-dom/client';
    import { ContactForm } from './ContactForm.jsx';
    createRoot(document.querySelector('main')).render(createElement(ContactForm));
    window.show = () => {};`,
} as const;

export type Program = keyof typeof PROGRAMS;

/** The programs that a test controls. */
export const COMPONENTS = (Object.keys(PROGRAMS) as Program[]).filter((name) => name !== 'documentation');

const SVELTE_APP = `
  <script>
    import PosternWidget from '@postern/widget/svelte';
    let props = $state();
    let widget = $state();
    $effect(() => { window.widget = widget; });
    window.show = (next) => { props = next; };
  </script>
  {#if props}<form><PosternWidget {...props} {...window.callbacks} bind:this={widget} /></form>{/if}`;

const SVELTE: BunPlugin = {
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, ({ path }) => {
      const { js, warnings } = compile(readFileSync(path, 'utf8'), { filename: path, generate: 'client' });
      if (warnings.length > 0) throw new AggregateError(warnings, path);
      return { contents: js.code, loader: 'js' };
    });
  },
};

const FRAMEWORKS = ['react', 'react-dom', 'vue', 'svelte', 'solid-js', '@angular', 'rxjs'];

/** @returns the component of docs/how-to/npm-packages.md */
async function contactForm(): Promise<string> {
  const page = await textOf('docs/how-to/npm-packages.md');
  return /^```jsx title="ContactForm\.jsx"\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
}

/** Builds the package as npm would install it, and bundles the programs with it. @returns the scripts by program */
export async function buildPrograms(): Promise<ReadonlyMap<Program, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-packages-'));
  try {
    const modules = join(folder, 'node_modules');
    buildPackage('widget', join(modules, '@postern/widget'));
    for (const name of FRAMEWORKS) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    }
    await Bun.write(join(folder, 'App.svelte'), SVELTE_APP);
    await Bun.write(join(folder, 'ContactForm.jsx'), await contactForm());
    const built = new Map<Program, string>();
    for (const name of Object.keys(PROGRAMS) as Program[]) {
      const entry = join(folder, `${name}.js`);
      await Bun.write(entry, PROGRAMS[name]);
      const { outputs } = await Bun.build({
        entrypoints: [entry],
        target: 'browser',
        format: 'esm',
        plugins: [SVELTE],
        conditions: ['svelte', 'browser'],
        define: {
          'process.env.NODE_ENV': '"development"',
          __VUE_OPTIONS_API__: 'false',
          __VUE_PROD_DEVTOOLS__: 'false',
          __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
        },
      });
      built.set(name, (await outputs[0]?.text()) ?? '');
    }
    return built;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
