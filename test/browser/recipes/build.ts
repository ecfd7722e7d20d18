import { join } from 'node:path';
import { compile } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';

/** The frameworks that have a recipe. */
export type Framework = 'react' | 'vue' | 'svelte';

const PAGE = join(import.meta.dir, '../../../docs/widget-recipes.md');

/** The files of docs/widget-recipes.md: blocks of code with a title, by it. */
export async function readRecipes(): Promise<ReadonlyMap<string, string>> {
  const blocks = (await Bun.file(PAGE).text()).matchAll(/^```\w+ title="([^"]+)"\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, title = '', code = '']) => [title, code]));
}

/** A page's program, which puts a component into the page with `mount` and takes it out with `unmount`. */
const PROGRAMS: Readonly<Record<Framework, string>> = {
  react: `
    import { createElement, StrictMode } from 'react';
    import { createRoot } from 'react-dom/client';
    import { SignupForm } from './SignupForm.jsx';
    let root;
    window.mount = () => {
      root = createRoot(document.querySelector('main'));
      root.render(createElement(StrictMode, null, createElement(SignupForm)));
    };
    window.unmount = () => root.unmount();`,
  vue: `
    import { createApp } from 'vue';
    import SignupForm from './SignupForm.vue';
    let app;
    window.mount = () => {
      app = createApp(SignupForm);
      app.mount('main');
    };
    window.unmount = () => app.unmount();`,
  svelte: `
    import { mount, unmount } from 'svelte';
    import SignupForm from './SignupForm.svelte';
    let form;
    window.mount = () => { form = mount(SignupForm, { target: document.querySelector('main') }); };
    window.unmount = () => unmount(form);`,
};

/** Components as programs; their frameworks' checks for developers are on. */
function compiled(name: string, code: string): string {
  if (name.endsWith('.vue')) {
    const { descriptor, errors } = parse(code, { filename: name });
    if (errors.length > 0) throw new AggregateError(errors, name);
    return compileScript(descriptor, { id: name, inlineTemplate: true }).content;
  }
  if (name.endsWith('.svelte')) {
    const { js, warnings } = compile(code, { filename: name, generate: 'client', dev: true });
    if (warnings.length > 0) throw new AggregateError(warnings, name);
    return js.code;
  }
  return code;
}

/**
 * A framework's recipe as one script.
 *
 * @param recipes the files of the recipes, by their names
 */
export async function buildRecipe(
  framework: Framework,
  recipes: ReadonlyMap<string, string>,
): Promise<string> {
  // As if they lay here, so that packages are found.
  const at = (name: string) => join(import.meta.dir, name);
  const entry = at('page.js');
  const files = [...recipes].map(([name, code]) => [at(name), compiled(name, code)] as const);
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: PROGRAMS[framework], ...Object.fromEntries(files) },
    loader: { '.vue': 'js', '.svelte': 'js' },
    target: 'browser',
    format: 'iife',
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
