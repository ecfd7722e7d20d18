/**
 * `bun build/compile.ts FILE` compiles the executable for this machine; `build.ts` calls it. `release/` compiles it for other machines.
 *
 * The same sources, packages, and runtime result in the same bytes, in every folder and at any time.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { THREAD_ENTRIES } from '../src/threads/worker.ts';
import { ROOT } from './build.ts';

/** The name of the entry file, which the executable contains. */
const NAME = 'postern';

const ENTRIES = ['main.ts', ...Object.values(THREAD_ENTRIES)];

/** How the bundler transforms the sources. */
export const BUNDLING = {
  entrypoints: ENTRIES.map((entry) => join(ROOT, 'src', entry)),
  minify: true,
  format: 'esm',
  // At startup, the server loads only the chunks that it needs.
  splitting: true,
} as const satisfies Partial<Bun.BuildConfig>;

/** The functions of `@node-rs/argon2` that the server uses. */
const ARGON2_FUNCTIONS = ['hash', 'hashRaw', 'hashRawSync', 'verify'];

/** The platform that an executable runs on. */
export type Platform = {
  readonly target: Bun.Build.CompileTarget;
  /** The path of Bun for this platform. */
  readonly runtime: string;
  /** The path of the native part of `@node-rs/argon2`. */
  readonly addon: string;
};

/**
 * Compiles the executable. If it fails, an existing file stays unchanged.
 *
 * @returns the paths of all files in the bundle, without those that a macro reads
 * @throws AggregateError with the messages of the bundler
 */
export async function compile(outfile: string, platform: Platform | undefined): Promise<readonly string[]> {
  // Concurrent builds must not write the same file, and the file must always have the same name.
  const folder = `${outfile}.${process.pid}.next`;
  mkdirSync(folder, { recursive: true });
  try {
    const { metafile } = await Bun.build({
      ...BUNDLING,
      // With bytecode, a starting server does not parse the sources (docs/project/decisions/0014-bytecode-and-chunks.md).
      bytecode: true,
      sourcemap: 'none',
      metafile: true,
      compile: {
        outfile: join(folder, NAME),
        // Collects garbage earlier, which saves one seventh of the memory under full load at the same speed (docs/project/experiments.md).
        execArgv: ['--smol'],
        // The executable must behave the same in every folder, so it does not read .env and bunfig.toml.
        autoloadDotenv: false,
        autoloadBunfig: false,
        ...(platform === undefined ? {} : { target: platform.target, executablePath: platform.runtime }),
      },
      plugins: [addonPlugin(platform?.addon ?? installedAddon())],
    });
    renameSync(join(folder, NAME), outfile);
    return Object.keys(metafile?.inputs ?? {});
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Embeds only the native part of the platform, and loads it directly. The package itself looks for the C library at run time,
 * and would need the native parts of all platforms.
 */
function addonPlugin(addon: string): Bun.BunPlugin {
  const namespace = 'argon2';
  return {
    name: 'native add-on',
    setup(build) {
      // The names of the chunks depend on these paths, so the paths must be the same on every machine.
      build.onResolve({ filter: /^@node-rs\/argon2$/ }, () => ({ path: 'argon2', namespace }));
      build.onResolve({ filter: /^argon2\.node$/ }, () => ({ path: 'argon2.node', namespace }));
      // Without this module, the chunk of the add-on would have only a default export.
      build.onLoad({ filter: /^argon2$/, namespace }, () => ({
        contents: `import addon from 'argon2.node'; export const { ${ARGON2_FUNCTIONS.join(', ')} } = addon;`,
        loader: 'js',
      }));
      build.onLoad({ filter: /\.node$/, namespace }, async () => ({
        contents: await Bun.file(addon).bytes(),
        loader: 'napi',
      }));
    },
  };
}

/** @returns the path of the native part that is installed for this machine @throws if there is none */
function installedAddon(): string {
  const [name] = new Bun.Glob('argon2-*/*.node').scanSync({
    cwd: join(ROOT, 'node_modules/@node-rs'),
    absolute: true,
  });
  if (name === undefined) throw new Error('the native part of @node-rs/argon2 is not installed');
  return name;
}

if (import.meta.main) {
  const [outfile] = process.argv.slice(2);
  if (outfile === undefined) throw new Error('usage: bun build/compile.ts FILE');
  mkdirSync(dirname(outfile), { recursive: true });
  await compile(outfile, undefined);
}
