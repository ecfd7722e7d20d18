import { join } from 'node:path';

/** The root of the repository. */
export const ROOT = join(import.meta.dir, '../..');

/** The sorted paths of matching files, relative to the root, with `/` as separator. */
export function filesAt(pattern: string): readonly string[] {
  return [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].sort();
}

export async function textOf(file: string): Promise<string> {
  return Bun.file(join(ROOT, file)).text();
}

export type Ended = { readonly exitCode: number; readonly output: string };

/** Runs a tool from node_modules or from `PATH` in the root folder. */
export async function run(...command: readonly string[]): Promise<Ended> {
  const child = Bun.spawn([...command], { cwd: ROOT, stdout: 'pipe', stderr: 'pipe', env: environment() });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, output: output + errors };
}

/** Adds the tools in node_modules to `PATH`. */
function environment(): Record<string, string | undefined> {
  return { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`, NO_COLOR: '1' };
}
