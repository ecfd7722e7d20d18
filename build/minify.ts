/** Minifies the widget's scripts. */
import { type MinifyOptions, minify_sync } from 'terser';
import { minify } from 'uglify-js';

const PREAMBLE = '/* Postern, MIT license */';

/** Minifies a script with terser. Bun's minifier produces a 5% larger script (gzip, 2026-11). */
export function minified(script: string): string {
  const { code } = minify_sync(script, createMinifierOptions());
  if (code === undefined) throw new Error('the minifier returned no code');
  return code;
}

/**
 * Minifies a script with terser, and then with UglifyJS, which replaces the parameters of functions that are called once: 1.8% smaller (gzip,
 * 2026-11). Not for the BLAKE2b solver in JavaScript, whose speed depends on the form of its expressions.
 */
export function minifiedTwice(script: string): string {
  const { code, error } = minify(minified(script), {
    compress: {
      passes: 3,
      pure_getters: true,
      // With `collapse_vars`, it removes an assignment in `hiddenWidget`, so reCAPTCHA v3 would return only one token.
      merge_vars: false,
      // `let` instead of `var` results in a smaller compressed script.
      varify: false,
    },
    output: { preamble: PREAMBLE, ascii_only: true },
  });
  if (error) throw error;
  return code;
}

/**
 * Short names for the properties that the page, the browser, and the kernels do not use. Properties that never occur in the same object
 * share a name, and the names are letters that the script often contains, which makes the compressed script 1.1% smaller (2026-11).
 * `test/widget/shortNames.test.ts` compares the names with the types. A property that is missing here keeps its name.
 */
// biome-ignore format: a table
const OWN_NAMES = {
  a: ['index', 'onSubmit'],
  d: ['challengeCode', 'createField', 'sum', 'updateAppearance'],
  e: ['configure', 'difficulty', 'dispose', 'elapsedMs', 'eventPrefix', 'expiry', 'fetch', 'findUnchanged', 'global', 'handle', 'link', 'local', 'mayChange', 'pause', 'port', 'puzzle', 'searchRange', 'sliceMs', 'visibility'],
  h: ['onEvent', 'sync'],
  i: ['fieldName', 'loadSolver', 'validForMs'],
  k: ['errorCode', 'fetchPuzzle'],
  l: ['arm', 'whenVisible'],
  m: ['count', 'counter', 'cssClass', 'isHeld', 'openPool'],
  n: ['isOpen', 'isRestored', 'mayRestart', 'rotate', 'testSitekeys'],
  o: ['pageData', 'solve', 'store', 'toToken'],
  p: ['cancelWaiting', 'expiresAtSeconds'],
  r: ['failure', 'post', 'puzzleBytes', 'setLanguage', 'setSolution', 'waiting', 'watchElement', 'xor'],
  s: ['cancel', 'check', 'connected', 'copy'],
  t: ['hasThreads', 'disarm', 'handles', 'isRemoved', 'load', 'opener', 'pageDataOf', 'registry', 'restore', 'show', 'track'],
  u: ['boot', 'resume'],
  w: ['release'],
} as const;

/**
 * Short names for the properties that the script shares with the files that it loads, because each file is minified separately, and for
 * the properties of messages between the page and its workers, because a worker may load a newer version of the script.
 */
const SHARED_NAMES = {
  block: 'b',
  connect: 'c',
  english: 'e',
  explain: 'x',
  kind: 'k',
  mayRetry: 'm',
  outcome: 'o',
  prefix: 'p',
  readRejection: 'j',
  replay: 'a',
  retryAfterMs: 'r',
  solutionCount: 'n',
  solutions: 's',
  solvers: 't',
  threshold: 't',
  usedWasm: 'w',
  usesWasm: 'u',
};

/** The short name of each property. */
export const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(OWN_NAMES).flatMap(([short, names]) => names.map((name) => [name, short] as const)),
  ...Object.entries(SHARED_NAMES),
]);

/** The minifier adds the names of a script to its options, so each script needs its own options. */
const createMinifierOptions = (): MinifyOptions => ({
  ecma: 2020,
  nameCache: {
    props: {
      props: Object.fromEntries(Array.from(SHORT_NAMES, ([name, short]) => [`$${name}`, short])),
    },
  },
  // `builtins`: the page's code uses none of the browser's properties with these names.
  mangle: { properties: { builtins: true, regex: new RegExp(`^(${[...SHORT_NAMES.keys()].join('|')})$`) } },
  // Not `unsafe_comps`, which is wrong for comparisons with NaN.
  compress: {
    passes: 8,
    // Only functions without arguments: inlining the others makes the compressed script larger.
    inline: 1,
    unsafe_arrows: true,
    keep_fargs: false,
    pure_getters: true,
    hoist_props: true,
  },
  format: { preamble: PREAMBLE, ascii_only: true },
});
