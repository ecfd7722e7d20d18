import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { buildProgram } from '../browser/vendorComponents/programs.ts';
import type { PageClient } from './client.ts';

/** The compiler of Svelte 4 or 5. */
type SvelteCompiler = {
  readonly VERSION: string;
  readonly compile: (code: string, options: object) => { readonly js: { readonly code: string } };
  readonly compileModule?: (code: string, options: object) => { readonly js: { readonly code: string } };
};

/** Compiles components with the Svelte of the folder. */
async function sveltePlugin(folder: string): Promise<BunPlugin> {
  const { VERSION, compile, compileModule }: SvelteCompiler = await import(
    Bun.resolveSync('svelte/compiler', folder)
  );
  const generate = VERSION.startsWith('4') ? 'dom' : 'client';
  return {
    name: 'svelte',
    setup({ onLoad }) {
      onLoad({ filter: /\.svelte$/ }, ({ path }) => {
        const { js } = compile(readFileSync(path, 'utf8'), { filename: path, generate, css: 'injected' });
        return { contents: js.code, loader: 'js' };
      });
      onLoad({ filter: /\.svelte\.js$/ }, ({ path }) => {
        const contents = readFileSync(path, 'utf8');
        return { contents: compileModule?.(contents, { filename: path }).js.code ?? contents, loader: 'js' };
      });
    },
  };
}

/** @returns the program of a client as one script, with Postern's URL and the sitekey */
export async function bundle(
  { group, code, files = {} }: PageClient,
  folder: string,
  fill: (text: string) => string,
): Promise<string> {
  const at = join(folder, group);
  // The modules are written, because plugins read them.
  for (const [name, text] of Object.entries(files)) await Bun.write(join(at, name), fill(text));
  const plugins = group.startsWith('svelte') ? [await sveltePlugin(at)] : [];
  const program = await buildProgram(fill(code), { folder: at, plugins });
  return program.replaceAll('</script', '<\\/script');
}
