/**
 * Bundles the widget: `widgetScript` as a macro of `app.ts`, `bun bundle.ts` to see sizes, and
 * `bun bundle.ts kernel` to rebuild `static/kernel*.wasm` after a change in `src/widget/kernel`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './src/http/etag.ts';

const ROOT = import.meta.dir;

/** The twins: the same source, compiled with vectors and without. */
export type Twin = 'simd' | 'scalar';

const TWINS: readonly Twin[] = ['simd', 'scalar'];
const KERNELS: Readonly<Record<Twin, string>> = {
  simd: 'static/kernelSimd.wasm',
  scalar: 'static/kernel.wasm',
};

/** The committed kernel. */
export function kernelOf(twin: Twin): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(join(ROOT, KERNELS[twin])));
}

/**
 * The text of `/widget/postern.js`: one classic script with the worker and the kernel inside.
 *
 * The worker's bundle becomes a function of `self`. The page starts workers from the function's own
 * source text, and calls it where workers are blocked: one copy serves both.
 */
export function widgetScript(): string {
  const worker = bundled('src/widget/worker.ts', [
    `--define=POSTERN_SIMD_KERNEL="${kernelOf('simd').toHex()}"`,
    `--define=POSTERN_KERNEL="${kernelOf('scalar').toHex()}"`,
  ]);
  const element = bundled('src/widget/element.ts', [`--define=POSTERN_LANGUAGES="${languagesKnown()}"`]);
  return inAscii(
    `/* Postern widget, MIT licence */(()=>{const POSTERN_LANE=function(self){${worker}};${element}})();\n`,
  );
}

/** The text of the table of languages. */
export function widgetLanguages(): string {
  return readFileSync(join(ROOT, 'static/languages.json'), 'utf8');
}

/** Their version and their tags. */
function languagesKnown(): string {
  const table = widgetLanguages();
  return [hashOf(table), ...Object.keys(JSON.parse(table))].join(' ');
}

/** Scripts without a charset take the page's, which may be anything. */
function inAscii(script: string): string {
  return script.replace(/[^\n -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * One of the kernels, compiled from its sources.
 *
 * @throws with the compiler's words where it refuses them
 */
export async function compiledKernel(twin: Twin): Promise<Uint8Array> {
  const { main } = await import('assemblyscript/asc');
  const output = new Map<string, string | Uint8Array>();
  const simd = [twin === 'simd' ? '--enable' : '--disable', 'simd'];
  const { error, stderr } = await main(
    [join(ROOT, 'src/widget/kernel/search.ts'), ...KERNEL_OPTIONS, ...simd],
    { writeFile: (name, contents) => void output.set(name, contents) },
  );
  const binary = output.get('kernel.wasm');
  if (error !== null || !(binary instanceof Uint8Array)) throw new Error(stderr.toString(), { cause: error });
  return binary;
}

// No garbage collector, no imports, one page of memory.
const KERNEL_OPTIONS = [
  ...['--outFile', 'kernel.wasm', '--baseDir', '/'],
  ...['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--use', 'abort='],
  ...['--initialMemory', '1', '--maximumMemory', '1'],
];

/** `Bun.build` inside a macro deadlocks, so another process bundles. */
function bundled(entry: string, options: readonly string[]): string {
  const command = [
    process.execPath,
    'build',
    join(ROOT, entry),
    '--target=browser',
    '--format=esm',
    '--minify',
  ];
  const { success, stdout, stderr } = Bun.spawnSync([...command, ...options], { cwd: ROOT });
  if (!success) throw new Error(`bundling ${entry} failed: ${stderr.toString()}`);
  return stdout.toString().trim();
}

function sizesOf(name: string, bytes: Uint8Array): string {
  return `${name}: ${bytes.length} bytes, ${Bun.gzipSync(bytes.slice(), { level: 9 }).length} gzip\n`;
}

if (import.meta.main) {
  for (const twin of TWINS) {
    if (process.argv[2] === 'kernel') writeFileSync(join(ROOT, KERNELS[twin]), await compiledKernel(twin));
    process.stdout.write(sizesOf(KERNELS[twin], kernelOf(twin)));
  }
  process.stdout.write(sizesOf('/widget/postern.js', Buffer.from(widgetScript())));
}
