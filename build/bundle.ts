/**
 * Bundles the widget. `embeddedFiles.ts` calls these functions as macros, `bun build/bundle.ts` prints the sizes,
 * and `bun build/bundle.ts kernel` rebuilds the kernels in `static/` after a change in `src/widget/kernel`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { hashedPath, integrityOf } from '../src/http/assets.ts';
import { hashOf } from '../src/http/etag.ts';
import { zipped } from '../src/http/fileHandler.ts';
import { EXTRA_STYLES, STYLES } from '../src/widget/styles.ts';
import { ROOT } from './build.ts';
import { cached } from './cache.ts';
import { minified, minifiedTwice } from './minify.ts';

/** The sources of the kernels. `pages` is the size of the memory in units of 64 KiB. */
const CHECK = { source: 'check.ts', pages: 1 };
const BLAKE2B = { source: 'search.ts', pages: 1 };
const ARGON2ID = { source: 'argon2id/hash.ts', pages: 257 };
const HASHWX = { source: 'hashwx/hash.ts', pages: 1 };

const OPTIMIZED = ['-O3', '--converge'];

/** The server uses `check` and `hashwx`; the widget uses the others. The source of the kernels for argon2id is compiled twice: with and without SIMD. */
const KERNELS = {
  check: { ...CHECK, file: 'static/check.wasm', options: ['--enable', 'simd', ...OPTIMIZED] },
  hashwx: { ...HASHWX, file: 'static/hashwx.wasm', options: ['--disable', 'simd', ...OPTIMIZED] },
  scalar: { ...BLAKE2B, file: 'static/kernel.wasm', options: ['--disable', 'simd', ...OPTIMIZED] },
  argon2idSimd: {
    ...ARGON2ID,
    file: 'static/argon2idSimd.wasm',
    options: ['--enable', 'simd', ...OPTIMIZED],
  },
  argon2idScalar: { ...ARGON2ID, file: 'static/argon2id.wasm', options: ['--disable', 'simd', ...OPTIMIZED] },
} as const;

export type KernelVariant = keyof typeof KERNELS;

const VARIANTS = Object.keys(KERNELS) as KernelVariant[];

/** @returns the committed kernel */
export function kernelOf(variant: KernelVariant): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(join(ROOT, KERNELS[variant].file)));
}

/** The scripts for pages. Each is complete, so that a page loads one file. `path` is a pattern for the path in its URL. */
const SCRIPTS = {
  postern: { entry: 'element.ts', path: '/widget/postern[.]', files: '' },
  privateCaptcha: {
    entry: 'vendors/privateCaptcha.ts',
    path: '/widget/js/privatecaptcha[.]',
    files: '/widget/',
  },
  recaptcha: { entry: 'vendors/recaptcha.ts', path: '/recaptcha/(api|enterprise)[.]', files: '/widget/' },
  hcaptcha: { entry: 'vendors/hcaptcha.ts', path: '/1/(secure-)?api[.]', files: '/widget/' },
  altcha: { entry: 'vendors/altcha.ts', path: '/altcha/altcha[.]', files: '/widget/' },
  cap: { entry: 'vendors/cap.ts', path: '/cap/widget[.]', files: '/widget/' },
  turnstile: { entry: 'vendors/turnstile.ts', path: '/turnstile/v0/(g/[^/]+/)?api[.]', files: '/widget/' },
} as const;

export type ScriptName = keyof typeof SCRIPTS;

/**
 * Returns the text of a script: one classic script that contains the worker.
 *
 * The worker's bundle is a function of `self`. If a worker runs the script, the script calls the function. On a page, it creates workers
 * from blobs of the function's source text, or calls the function if workers are blocked. All three uses share one copy.
 */
export function widgetScript(name: ScriptName): string {
  return cached(`${name}.js`, scriptSources(), () => minifiedTwice(widgetSource(name)));
}

/** @returns the script, compressed with Brotli, in base64 */
export function brotliScript(name: ScriptName): string {
  return brotli(`${name}.js`, widgetScript(name));
}

/** Brotli takes 34 ms for the script, so the build compresses the files instead of the server. */
function brotli(name: string, text: string): string {
  const bytes = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };
  const compress = () => brotliCompressSync(bytes, { params }).toString('base64');
  return cached(`${name}.br`, scriptSources(), compress);
}

function widgetSource(name: ScriptName): string {
  const { entry, path, files } = SCRIPTS[name];
  const worker = bundled('src/widget/worker.ts', []);
  const element = bundled(`src/widget/${entry}`, [
    `--define=POSTERN_LANGUAGES="${hashOf(widgetLanguages())}"`,
    `--define=POSTERN_STYLES=${styleText(STYLES)}`,
    ...fileDefines('POSTERN_EXTRAS', scriptFile('extras.js', extrasScript())),
    `--define=POSTERN_PATH="${path}"`,
    `--define=POSTERN_FILES="${files}"`,
  ]);
  return scriptFrom(worker, element);
}

/** @returns the style sheet as a string literal */
const styleText = (styles: string) => JSON.stringify(styles.replaceAll(/;?\n/g, ''));

const BUILDERS = ['build/bundle.ts', 'build/cache.ts', 'build/minify.ts'];

/** Everything that the scripts are created from. */
function scriptSources(): readonly string[] {
  const sources = new Bun.Glob('src/{widget,puzzle,lib}/**/*.ts').scanSync({ cwd: ROOT });
  const kernels = Object.values(KERNELS).map(({ file }) => file);
  return [...sources, ...kernels, 'static/languages.json', ...BUILDERS].sort();
}

/** A file that the scripts load, as base64. */
export type ScriptFile = { readonly path: string; readonly type: string; readonly base64: string };

/** `brotli` is the compressed file, in base64. */
type EmbeddedFile = ScriptFile & { readonly brotli: string };

/**
 * Returns the files that the scripts load: a script for browsers without SIMD or workers, which contains the scalar kernel and the
 * plain solver; a script for argon2id puzzles, which contains both kernels; a script for HashWX puzzles; and a script with what most
 * visitors do not need, which contains the names of the other scripts.
 */
export function solverFiles(): readonly EmbeddedFile[] {
  const embedded = (name: string, text: string) => ({
    ...scriptFile(name, text),
    brotli: brotli(name, text),
  });
  return [
    embedded('solver.js', fallbackSolver()),
    embedded('argon2id.js', argon2idSolver()),
    embedded('hashwx.js', hashwxSolver()),
    embedded('extras.js', extrasScript()),
  ];
}

const scriptFile = (name: string, text: string): ScriptFile => ({
  path: `/widget/${name}`,
  type: 'text/javascript',
  base64: Buffer.from(text).toString('base64'),
});

/** Returns the text of `/widget/solver.js`. In a worker, it solves. On a page, it defines how to open solver threads. */
export function fallbackSolver(): string {
  return cached('solver.js', scriptSources(), () =>
    minified(solverScript('fallbackWorker.ts', 'solverPart.ts', { POSTERN_KERNEL: 'scalar' })),
  );
}

/** Returns the text of `/widget/argon2id.js`, which is used in the same way. */
export function argon2idSolver(): string {
  const kernels = { POSTERN_SIMD: 'argon2idSimd', POSTERN_SCALAR: 'argon2idScalar' } as const;
  return cached('argon2id.js', scriptSources(), () =>
    minified(solverScript('argon2id/worker.ts', 'argon2id/solverPart.ts', kernels)),
  );
}

/** Returns the text of `/widget/hashwx.js`, which is used in the same way, but only in workers. */
export function hashwxSolver(): string {
  return cached('hashwx.js', scriptSources(), () =>
    minifiedTwice(solverScript('hashwx/worker.ts', 'hashwx/solverPart.ts', {})),
  );
}

/** Returns the text of `/widget/extras.js`. */
export function extrasScript(): string {
  return cached('extras.js', scriptSources(), () => {
    const defines = [
      `--define=POSTERN_STYLES=${styleText(EXTRA_STYLES)}`,
      ...fileDefines('POSTERN_FALLBACK', scriptFile('solver.js', fallbackSolver())),
      ...fileDefines('POSTERN_ARGON2ID', scriptFile('argon2id.js', argon2idSolver())),
      ...fileDefines('POSTERN_HASHWX', scriptFile('hashwx.js', hashwxSolver())),
    ];
    return minifiedTwice(`(()=>{${bundled('src/widget/extrasPart.ts', defines)}})();`);
  });
}

function solverScript(
  worker: string,
  page: string,
  kernels: Readonly<Record<string, KernelVariant>>,
): string {
  const defines = Object.entries(kernels).map(
    ([name, variant]) => `--define=${name}="${kernelOf(variant).toBase64()}"`,
  );
  return scriptFrom(bundled(`src/widget/${worker}`, defines), bundled(`src/widget/${page}`, []));
}

/** @returns a script that runs `worker` as a function of `self` in a worker, and `page` on a page */
function scriptFrom(worker: string, page: string): string {
  return `(()=>{const POSTERN_SOLVER=function(self){${worker}};\
if(typeof document>"u")return POSTERN_SOLVER(self);${page}})();`;
}

/** @returns the definitions of the file's name, which contains a hash, and its integrity. @param prefix of the constants */
function fileDefines(prefix: string, { path, base64 }: ScriptFile): string[] {
  const file = { path, contents: Uint8Array.fromBase64(base64) };
  return [
    `--define=${prefix}_NAME="${hashedPath(file).replace('/widget/', '')}"`,
    `--define=${prefix}_INTEGRITY="${integrityOf(file, 'sha256')}"`,
  ];
}

/** @returns the text of the table of languages */
export function widgetLanguages(): string {
  return readFileSync(join(ROOT, 'static/languages.json'), 'utf8');
}

/**
 * Compiles a kernel from its source.
 *
 * @throws with the compiler's output if it fails
 */
export async function compiledKernel(variant: KernelVariant): Promise<Uint8Array> {
  const { main } = await import('assemblyscript/asc');
  const output = new Map<string, string | Uint8Array>();
  const { source, pages, options } = KERNELS[variant];
  const memory = ['--initialMemory', `${pages}`, '--maximumMemory', `${pages}`];
  const { error, stderr } = await main(
    [join(ROOT, 'src/widget/kernel', source), ...KERNEL_OPTIONS, ...memory, ...options],
    { writeFile: (name, contents) => void output.set(name, contents) },
  );
  const binary = output.get('kernel.wasm');
  if (error !== null || !(binary instanceof Uint8Array)) throw new Error(stderr.toString(), { cause: error });
  return binary;
}

// No garbage collector, no imports.
const KERNEL_OPTIONS = [
  ...['--outFile', 'kernel.wasm', '--baseDir', '/'],
  ...['--noAssert', '--runtime', 'stub', '--use', 'abort='],
  // The tables are after the schedule of the kernel with SIMD, which ends at 8576.
  ...['--memoryBase', '12288'],
];

/** Runs the bundler in another process, because `Bun.build` deadlocks in a macro. */
function bundled(entry: string, options: readonly string[]): string {
  const command = [
    process.execPath,
    'build',
    join(ROOT, entry),
    '--target=browser',
    '--format=esm',
    '--minify-syntax',
    '--minify-whitespace',
  ];
  const { success, stdout, stderr } = Bun.spawnSync([...command, ...options], { cwd: ROOT });
  if (!success) throw new Error(`bundling ${entry} failed: ${stderr.toString()}`);
  return stdout.toString().trim();
}

function sizesOf(name: string, bytes: Uint8Array): string {
  const gzip = zipped(bytes.slice()).length;
  return `${name}: ${bytes.length} bytes, ${gzip} gzip, ${brotliCompressSync(bytes).length} Brotli\n`;
}

if (import.meta.main) {
  for (const variant of VARIANTS) {
    if (process.argv[2] === 'kernel')
      writeFileSync(join(ROOT, KERNELS[variant].file), await compiledKernel(variant));
    process.stdout.write(sizesOf(KERNELS[variant].file, kernelOf(variant)));
  }
  process.stdout.write(sizesOf('solver.js', Buffer.from(fallbackSolver())));
  process.stdout.write(sizesOf('argon2id.js', Buffer.from(argon2idSolver())));
  process.stdout.write(sizesOf('hashwx.js', Buffer.from(hashwxSolver())));
  process.stdout.write(sizesOf('extras.js', Buffer.from(extrasScript())));
  for (const name of Object.keys(SCRIPTS) as ScriptName[])
    process.stdout.write(sizesOf(`${name}.js`, Buffer.from(widgetScript(name))));
}
