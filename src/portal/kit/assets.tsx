import plotScript from 'uplot/dist/uPlot.iife.min.js' with { type: 'text' };
import plotStyle from 'uplot/dist/uPlot.min.css' with { type: 'text' };
import frameStyle from '../../../static/portal.css' with { type: 'text' };
import script from '../../../static/portal.js' with { type: 'text' };
import mark from '../../../static/portal.svg' with { type: 'text' };
import accountStyle from '../../../static/portalAccount.css' with { type: 'text' };
import activityStyle from '../../../static/portalActivity.css' with { type: 'text' };
import chartStyle from '../../../static/portalChart.css' with { type: 'text' };
import chartScript from '../../../static/portalChart.js' with { type: 'text' };
import chartScales from '../../../static/portalChartScales.js' with { type: 'text' };
import choicesStyle from '../../../static/portalChoices.css' with { type: 'text' };
import codeStyle from '../../../static/portalCode.css' with { type: 'text' };
import designScript from '../../../static/portalDesign.js' with { type: 'text' };
import dialogsStyle from '../../../static/portalDialogs.css' with { type: 'text' };
import dialogsScript from '../../../static/portalDialogs.js' with { type: 'text' };
import filtersScript from '../../../static/portalFilters.js' with { type: 'text' };
import firstPropertyScript from '../../../static/portalFirstProperty.js' with { type: 'text' };
import linkScript from '../../../static/portalLink.js' with { type: 'text' };
import liveScript from '../../../static/portalLive.js' with { type: 'text' };
import navigationStyle from '../../../static/portalNavigation.css' with { type: 'text' };
import organizationsStyle from '../../../static/portalOrganizations.css' with { type: 'text' };
import overviewStyle from '../../../static/portalOverview.css' with { type: 'text' };
import paletteStyle from '../../../static/portalPalette.css' with { type: 'text' };
import paletteScript from '../../../static/portalPalette.js' with { type: 'text' };
import partsStyle from '../../../static/portalParts.css' with { type: 'text' };
import playgroundScript from '../../../static/portalPlayground.js' with { type: 'text' };
import propertyStyle from '../../../static/portalProperties.css' with { type: 'text' };
import propertyFormScript from '../../../static/portalPropertyForm.js' with { type: 'text' };
import reportsStyle from '../../../static/portalReports.css' with { type: 'text' };
import rulesStyle from '../../../static/portalRules.css' with { type: 'text' };
import shortcutsScript from '../../../static/portalShortcuts.js' with { type: 'text' };
import tablesStyle from '../../../static/portalTables.css' with { type: 'text' };
import testScript from '../../../static/portalTest.js' with { type: 'text' };
import trafficStyle from '../../../static/portalTraffic.css' with { type: 'text' };
import { type Asset, hashedPath, ownAsset } from '../../http/assets.ts';

/** The colors of the pages. A browser test checks a contrast of 4.5:1 in both themes. */
// biome-ignore format: a table is easier to read with one row per line
const COLORS: readonly (readonly [name: string, light: string, dark: string])[] = [
  ['ink',           '#1b1f24', '#e6edf3'],
  ['soft',          '#57606a', '#9da7b3'],
  ['paper',         '#ffffff', '#161b22'],
  ['ground',        '#f6f8fa', '#0d1117'],
  ['raised',        '#eef1f4', '#21262d'],
  ['line',          '#d8dee4', '#30363d'],
  ['edge',          '#7d8590', '#767e88'],
  ['accent',        '#1f5fbf', '#6ea8fe'],
  ['accent-ground', '#eaf2fd', '#12243f'],
  ['on-accent',     '#ffffff', '#0d1117'],
  ['danger',        '#b3202c', '#ff8f88'],
  ['on-danger',     '#ffffff', '#1d0b0a'],
  ['danger-ground', '#fff1f0', '#2c1413'],
  ['good',          '#176f2c', '#6fdd8b'],
  ['good-ground',   '#eafbee', '#0f2417'],
  ['fair',          '#8a5a00', '#e0b050'],
  ['fair-ground',   '#fff8e6', '#2a2110'],
  ['shadow',        '#1b1f241f', '#00000080'],
];

/**
 * The style rules that define the colors as custom properties: `--ink`, `--paper`, and so on.
 *
 * The attribute `data-theme` of the root chooses a theme; without it, the browser's setting does.
 */
function themeStyles(): string {
  const light = declarations('light', 1);
  const dark = declarations('dark', 2);
  return [
    `:root{${light}}`,
    `@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){${dark}}}`,
    `:root[data-theme="dark"]{${dark}}`,
  ].join('\n');
}

function declarations(scheme: 'light' | 'dark', column: 1 | 2): string {
  const colors = COLORS.map((row) => `--${row[0]}:${row[column]}`);
  return [`color-scheme:${scheme}`, ...colors].join(';');
}

const TYPES = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const;

function asset(name: string, extension: keyof typeof TYPES, contents: string): Asset {
  return ownAsset(`/portal/${name}.${extension}`, TYPES[extension], contents);
}

const STYLES = [
  themeStyles(),
  frameStyle,
  navigationStyle,
  partsStyle,
  tablesStyle,
  dialogsStyle,
  paletteStyle,
  choicesStyle,
  organizationsStyle,
  accountStyle,
  activityStyle,
  overviewStyle,
].join('\n');

const ASSETS = {
  style: asset('portal', 'css', STYLES),
  script: asset(
    'portal',
    'js',
    [script, dialogsScript, filtersScript, shortcutsScript, paletteScript].join('\n'),
  ),
  mark: asset('mark', 'svg', mark),
  chartStyle: asset('chart', 'css', [plotStyle, reportsStyle, chartStyle].join('\n')),
  chartScript: asset('chart', 'js', `${chartScales}\n${chartScript}`),
  liveScript: asset('live', 'js', liveScript),
  plotScript: asset('uplot', 'js', plotScript),
  trafficStyle: asset('traffic', 'css', trafficStyle),
  propertyStyle: asset('properties', 'css', propertyStyle),
  rulesStyle: asset('rules', 'css', rulesStyle),
  codeStyle: asset('code', 'css', codeStyle),
  propertyFormScript: asset('property-form', 'js', propertyFormScript),
  testScript: asset('test', 'js', testScript),
  firstPropertyScript: asset('first-property', 'js', firstPropertyScript),
  linkScript: asset('link', 'js', linkScript),
  designScript: asset('design', 'js', designScript),
  playgroundScript: asset('playground', 'js', playgroundScript),
};

type AssetName = keyof typeof ASSETS;

/** All scripts, style sheets, and images of the pages; they are part of the executable. */
export const PORTAL_ASSETS: readonly Asset[] = Object.values(ASSETS);

/** The paths of the files. A path changes with the contents. */
export const ASSET_PATHS = Object.fromEntries(
  Object.entries(ASSETS).map(([name, file]) => [name, hashedPath(file)]),
) as Readonly<Record<AssetName, string>>;

type Files = { readonly styles?: readonly AssetName[]; readonly scripts?: readonly AssetName[] };

/** The style sheets and the scripts of some pages, in addition to those of every page. */
const HEADS = {
  property: { styles: ['propertyStyle'] },
  rules: { styles: ['propertyStyle', 'rulesStyle'] },
  propertyForm: { styles: ['propertyStyle'], scripts: ['propertyFormScript'] },
  integration: { styles: ['propertyStyle', 'codeStyle'] },
  test: { styles: ['propertyStyle', 'codeStyle'], scripts: ['testScript'] },
  firstProperty: { styles: ['propertyStyle', 'codeStyle'], scripts: ['firstPropertyScript'] },
  /** Pages that are opened by a link with a token. */
  link: { scripts: ['linkScript'] },
  design: { styles: ['propertyStyle', 'codeStyle'], scripts: ['designScript'] },
  playground: { styles: ['propertyStyle'], scripts: ['playgroundScript'] },
} as const satisfies Readonly<Record<string, Files>>;

/** The elements for the head of a page. @param props.widget the script of the widget, for pages that contain it */
export function Head(props: {
  readonly of: keyof typeof HEADS;
  readonly widget?: { readonly path: string; readonly integrity: string };
}) {
  const { styles = [], scripts = [] }: Files = HEADS[props.of];
  const { widget } = props;
  return (
    <>
      {styles.map((name) => (
        <link rel="stylesheet" href={ASSET_PATHS[name]} />
      ))}
      {scripts.map((name) => (
        <script src={ASSET_PATHS[name]} defer />
      ))}
      {widget && <script src={widget.path} integrity={widget.integrity} crossorigin="anonymous" defer />}
    </>
  );
}
