import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformAsync } from '@babel/core';
import { compile } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';

/** The frameworks with an example. */
export type Framework = 'react' | 'vue' | 'svelte' | 'solid';

const PAGE = join(import.meta.dir, '../../../docs/how-to/frameworks.md');

/** @returns the code blocks in docs/how-to/frameworks.md by title */
export async function readExamples(): Promise<ReadonlyMap<string, string>> {
  const blocks = (await Bun.file(PAGE).text()).matchAll(/^```\w+ title="([^"]+)"\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, title = '', code = '']) => [title, code]));
}

type Programs = {
  /** For the page: defines `mount`, `unmount`, and `hydrate`. */
  readonly page: string;
  /** For the server: exports the component's HTML. Missing if the page does not describe it. */
  readonly server?: string;
};

const PROGRAMS: Readonly<Record<Framework, Programs>> = {
  react: {
    page: `
      import { createElement, StrictMode } from 'react';
      import { createRoot, hydrateRoot } from 'react-dom/client';
      import { SignupForm } from './SignupForm.jsx';
      const main = document.querySelector('main');
      const form = createElement(StrictMode, null, createElement(SignupForm));
      let root;
      window.mount = () => {
        root = createRoot(main);
        root.render(form);
      };
      window.hydrate = () => { root = hydrateRoot(main, form); };
      window.unmount = () => root.unmount();`,
    server: `
      import { createElement } from 'react';
      import { renderToString } from 'react-dom/server';
      import { SignupForm } from './SignupForm.jsx';
      export const html = renderToString(createElement(SignupForm));`,
  },
  vue: {
    page: `
      import { createApp, createSSRApp } from 'vue';
      import SignupForm from './SignupForm.vue';
      let app;
      const start = (created) => {
        app = created;
        app.mount('main');
      };
      window.mount = () => start(createApp(SignupForm));
      window.hydrate = () => start(createSSRApp(SignupForm));
      window.unmount = () => app.unmount();`,
    server: `
      import { createSSRApp } from 'vue';
      import { renderToString } from 'vue/server-renderer';
      import SignupForm from './SignupForm.vue';
      export const html = await renderToString(createSSRApp(SignupForm));`,
  },
  svelte: {
    page: `
      import { hydrate, mount, unmount } from 'svelte';
      import SignupForm from './SignupForm.svelte';
      const options = { target: document.querySelector('main') };
      let form;
      window.mount = () => { form = mount(SignupForm, options); };
      window.hydrate = () => { form = hydrate(SignupForm, options); };
      window.unmount = () => unmount(form);`,
    server: `
      import { render } from 'svelte/server';
      import SignupForm from './SignupForm.svelte';
      export const html = render(SignupForm).body;`,
  },
  solid: {
    page: `
      import { createComponent, render } from 'solid-js/web';
      import { SignupForm } from './SolidForm.jsx';
      let dispose;
      window.mount = () => { dispose = render(() => createComponent(SignupForm, {}), document.querySelector('main')); };
      window.unmount = () => dispose();`,
  },
};

/** Compiles a component in development mode. */
async function compiled(name: string, code: string, target: keyof Programs): Promise<string> {
  const ssr = target === 'server';
  if (name === 'SolidForm.jsx') {
    const result = await transformAsync(code, { presets: ['solid'], babelrc: false, configFile: false });
    return result?.code ?? '';
  }
  if (name.endsWith('.vue')) {
    const { descriptor, errors } = parse(code, { filename: name });
    if (errors.length > 0) throw new AggregateError(errors, name);
    const templateOptions = { ssr, ssrCssVars: [] };
    return compileScript(descriptor, { id: name, inlineTemplate: true, templateOptions }).content;
  }
  if (name.endsWith('.svelte')) {
    const generate = ssr ? 'server' : 'client';
    const { js, warnings } = compile(code, { filename: name, generate, dev: true });
    if (warnings.length > 0) throw new AggregateError(warnings, name);
    return js.code;
  }
  return code;
}

/**
 * Bundles a framework's example as one script.
 *
 * @param examples files by name
 */
export async function buildExample(
  framework: Framework,
  examples: ReadonlyMap<string, string>,
  target: keyof Programs = 'page',
): Promise<string> {
  // Paths in this folder, so that packages are found.
  const at = (name: string) => join(import.meta.dir, name);
  const entry = at(`${target}.js`);
  const files = await Promise.all(
    [...examples].map(async ([name, code]) => [at(name), await compiled(name, code, target)] as const),
  );
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: PROGRAMS[framework][target] ?? '', ...Object.fromEntries(files) },
    loader: { '.vue': 'js', '.svelte': 'js' },
    ...(target === 'page' ? { target: 'browser', format: 'iife' } : { target: 'bun', format: 'esm' }),
    conditions: ['development'],
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  });
  return (await outputs[0]?.text()) ?? '';
}

/** @returns the HTML of a framework's example, rendered on the server */
export async function renderExample(
  framework: Framework,
  examples: ReadonlyMap<string, string>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-example-'));
  try {
    const file = join(folder, 'server.mjs');
    await Bun.write(file, await buildExample(framework, examples, 'server'));
    const { html } = (await import(file)) as { readonly html: string };
    return html;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
