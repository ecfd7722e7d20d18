import { brotliScript, solverFiles, widgetLanguages, widgetScript } from '../../build/bundle.ts' with {
  type: 'macro',
};
import { widgetTypes } from '../../build/packages.ts' with { type: 'macro' };
import { type Asset, hashedPath, integrityOf } from '../http/assets.ts';
import { toArchive } from '../http/widget/widgetArchive.ts';

/** The widget's script. */
export const WIDGET_SCRIPT: Asset = {
  path: '/widget/postern.js',
  type: 'text/javascript',
  contents: widgetScript('postern'),
  brotli: brotliScript('postern'),
  isPublic: true,
};

const SOLVERS: readonly Asset[] = solverFiles().map(({ path, type, base64, brotli }) => ({
  path,
  type,
  contents: Uint8Array.fromBase64(base64),
  brotli,
  isPublic: true,
}));

/** The scripts that replace other vendors' scripts. */
const VENDOR_SCRIPTS: readonly Asset[] = [
  ...vendorScript(
    ['/widget/js/privatecaptcha.js'],
    widgetScript('privateCaptcha'),
    brotliScript('privateCaptcha'),
  ),
  ...vendorScript(
    ['/recaptcha/api.js', '/recaptcha/enterprise.js'],
    widgetScript('recaptcha'),
    brotliScript('recaptcha'),
  ),
  ...vendorScript(['/1/api.js', '/1/secure-api.js'], widgetScript('hcaptcha'), brotliScript('hcaptcha')),
  ...vendorScript(
    ['/turnstile/v0/api.js', '/turnstile/v0/g/:hash/api.js'],
    widgetScript('turnstile'),
    brotliScript('turnstile'),
  ),
  ...vendorScript(['/altcha/altcha.js'], widgetScript('altcha'), brotliScript('altcha')),
  ...vendorScript(['/cap/widget.js'], widgetScript('cap'), brotliScript('cap')),
];

function vendorScript(paths: readonly string[], contents: string, brotli: string): readonly Asset[] {
  return paths.map((path) => ({ path, type: 'text/javascript', contents, brotli, isPublic: true }));
}

/** The files that a page with the widget loads, except the languages, which have their own routes. */
export const WIDGET_FILES: readonly Asset[] = [WIDGET_SCRIPT, ...VENDOR_SCRIPTS, ...SOLVERS];

/** The types of the widget's script for TypeScript, which are also part of the npm package. */
export const WIDGET_TYPES: Asset = {
  path: '/widget/postern.d.ts',
  type: 'text/plain',
  contents: widgetTypes(),
  isPublic: true,
};

/** The path of this version of the widget's script, and its hash for `integrity` attributes. */
export const PINNED_WIDGET = { path: hashedPath(WIDGET_SCRIPT), integrity: integrityOf(WIDGET_SCRIPT) };

/** The contents of `static/languages.json`. */
export const LANGUAGES = widgetLanguages();

/** @returns the archive of this build of the widget */
export const createWidgetArchive = () => toArchive(WIDGET_FILES, LANGUAGES);
