/**
 * Bundles the widget: `widgetScript` as a macro of `files.ts`, `bun bundle.ts` to see sizes, and
 * `bun bundle.ts kernel` to rebuild `static/kernel*.wasm` after a change in `src/widget/kernel`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type MinifyOptions, minify_sync } from 'terser';
import { hashedPath, integrityOf } from './src/http/assetName.ts';
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
 * The text of `/widget/postern.js`: one classic script with the worker inside.
 *
 * The worker's bundle becomes a function of `self`. Run by a worker, the script calls it. The page makes blobs of the
 * function's own source text, and calls it where workers are blocked. So one copy serves all three.
 */
export function widgetScript(): string {
  return cached('widget.js', () => minified(widgetSource()));
}

function widgetSource(): string {
  const worker = bundled('src/widget/worker.ts', []);
  const element = bundled('src/widget/element.ts', [
    `--define=POSTERN_LANGUAGES="${languagesKnown()}"`,
    `--define=POSTERN_KERNELS="${kernelsKnown()}"`,
  ]);
  return `(()=>{const POSTERN_LANE=function(self){${worker}};\
if(typeof document>"u")POSTERN_LANE(self);else{${element}}})();`;
}

/** Bun's own minifier leaves a twentieth more (gzip, 2026-11). */
function minified(script: string): string {
  const { code } = minify_sync(script, TERSER);
  if (code === undefined) throw new Error('the minifier gave nothing back');
  return code;
}

/** Names that only the script itself ever sees: neither the page's, nor the browser's, nor a kernel's. */
const INNER_NAMES = [
  ...['validForMs', 'puzzleBytes', 'solutionCount', 'expiresAtSeconds', 'propertyId', 'puzzleId', 'userData'],
  ...[
    'usedWasm',
    'usesWasm',
    'mayRetry',
    'retryAfterMs',
    'fetchPuzzle',
    'openPool',
    'openSolver',
    'laneCount',
  ],
  ...[
    'whenVisible',
    'whenSeen',
    'forbiddenBy',
    'onEvent',
    'elapsedMs',
    'wantsReason',
    'errorCode',
    'sliceMs',
  ],
  ...[
    'setTimer',
    'clearTimer',
    'isReady',
    'disarm',
    'greet',
    'revive',
    'attend',
    'difficulty',
    'follow',
    'forget',
  ],
];

const TERSER: MinifyOptions = {
  ecma: 2020,
  mangle: { properties: { regex: new RegExp(`^(${INNER_NAMES.join('|')})$`) } },
  compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true },
  format: { preamble: '/* Postern widget, MIT licence */', ascii_only: true },
};

/** Every process that runs from the sources wants the bundle: it is made once for each state of what it is made of. */
function cached(name: string, make: () => string): string {
  const file = join(ROOT, 'node_modules/.cache/postern', `${hashOf(ingredients())}.${name}`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const made = make();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, made);
  renameSync(`${file}.${process.pid}`, file);
  return made;
}

function ingredients(): string {
  const sources = new Bun.Glob('src/{widget,puzzle,lib}/**/*.ts').scanSync({ cwd: ROOT });
  const files = [...sources, ...Object.values(KERNELS), 'static/languages.json', 'bundle.ts', 'bun.lock'];
  return files
    .sort()
    .map((file) => `${file} ${hashOf(readFileSync(join(ROOT, file)))}`)
    .join('\n');
}

/** The kernels as files beside the script: a visitor needs one of them. */
export function widgetKernels(): readonly { readonly path: string; readonly base64: string }[] {
  return TWINS.map((twin) => ({ path: kernelPath(twin), base64: kernelOf(twin).toBase64() }));
}

function kernelPath(twin: Twin): string {
  return `/widget/${KERNELS[twin].replace('static/', '')}`;
}

/** Their names beside the script, which change with their contents, each with its integrity. */
function kernelsKnown(): string {
  return TWINS.map((twin) => {
    const contents = kernelOf(twin);
    const path = hashedPath({ path: kernelPath(twin), contents });
    return `${path.replace('/widget/', '')} ${integrityOf({ contents }, 'sha256')}`;
  }).join(' ');
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
