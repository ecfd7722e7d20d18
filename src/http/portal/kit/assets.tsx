import plotScript from 'uplot/dist/uPlot.iife.min.js' with { type: 'text' };
import plotStyle from 'uplot/dist/uPlot.min.css' with { type: 'text' };
import frameStyle from '../../../../static/portal.css' with { type: 'text' };
import script from '../../../../static/portal.js' with { type: 'text' };
import mark from '../../../../static/portal.svg' with { type: 'text' };
import accountStyle from '../../../../static/portalAccount.css' with { type: 'text' };
import activityStyle from '../../../../static/portalActivity.css' with { type: 'text' };
import chartStyle from '../../../../static/portalChart.css' with { type: 'text' };
import chartScript from '../../../../static/portalChart.js' with { type: 'text' };
import choicesStyle from '../../../../static/portalChoices.css' with { type: 'text' };
import codeStyle from '../../../../static/portalCode.css' with { type: 'text' };
import firstPropertyScript from '../../../../static/portalFirstProperty.js' with { type: 'text' };
import linkScript from '../../../../static/portalLink.js' with { type: 'text' };
import navigationStyle from '../../../../static/portalNavigation.css' with { type: 'text' };
import organizationsStyle from '../../../../static/portalOrganizations.css' with { type: 'text' };
import overviewStyle from '../../../../static/portalOverview.css' with { type: 'text' };
import partsStyle from '../../../../static/portalParts.css' with { type: 'text' };
import playgroundScript from '../../../../static/portalPlayground.js' with { type: 'text' };
import propertyStyle from '../../../../static/portalProperties.css' with { type: 'text' };
import propertyFormScript from '../../../../static/portalPropertyForm.js' with { type: 'text' };
import reportsStyle from '../../../../static/portalReports.css' with { type: 'text' };
import rulesStyle from '../../../../static/portalRules.css' with { type: 'text' };
import shortcutsScript from '../../../../static/portalShortcuts.js' with { type: 'text' };
import tablesStyle from '../../../../static/portalTables.css' with { type: 'text' };
import testScript from '../../../../static/portalTest.js' with { type: 'text' };
import { type Asset, hashedPath } from '../../assets.ts';
import type { Element } from '../../jsx/elements.ts';
import { themeStyles } from './theme.ts';

const TYPES = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const;

function asset(name: string, extension: keyof typeof TYPES, contents: string): Asset {
  return { path: `/portal/${name}.${extension}`, type: TYPES[extension], contents, isPublic: false };
}

const STYLES = [
  themeStyles(),
  frameStyle,
  navigationStyle,
  partsStyle,
  tablesStyle,
  choicesStyle,
  organizationsStyle,
  accountStyle,
  activityStyle,
  overviewStyle,
].join('\n');

const STYLE = asset('portal', 'css', STYLES);
const SCRIPT = asset('portal', 'js', `${script}\n${shortcutsScript}`);
const MARK = asset('mark', 'svg', mark);
const CHART_STYLE = asset('chart', 'css', [plotStyle, reportsStyle, chartStyle].join('\n'));
const CHART_SCRIPT = asset('chart', 'js', chartScript);
const PLOT_SCRIPT = asset('uplot', 'js', plotScript);
const PROPERTY_STYLE = asset('properties', 'css', propertyStyle);
const RULES_STYLE = asset('rules', 'css', rulesStyle);
const FIRST_PROPERTY_SCRIPT = asset('first-property', 'js', firstPropertyScript);
const LINK_SCRIPT = asset('link', 'js', linkScript);
const CODE_STYLE = asset('code', 'css', codeStyle);
const PROPERTY_FORM_SCRIPT = asset('property-form', 'js', propertyFormScript);
const TEST_SCRIPT = asset('test', 'js', testScript);
const PLAYGROUND_SCRIPT = asset('playground', 'js', playgroundScript);

/** All scripts, style sheets, and images of the pages; they are part of the executable. */
// biome-ignore format: a list of names
export const PORTAL_ASSETS: readonly Asset[] = [
  STYLE, SCRIPT, MARK, CHART_STYLE, CHART_SCRIPT, PLOT_SCRIPT,
  PROPERTY_STYLE, RULES_STYLE, CODE_STYLE, PROPERTY_FORM_SCRIPT, TEST_SCRIPT, FIRST_PROPERTY_SCRIPT, LINK_SCRIPT, PLAYGROUND_SCRIPT,
];

/** The paths of the files. A path changes with the contents. */
export const ASSET_PATHS = {
  style: hashedPath(STYLE),
  script: hashedPath(SCRIPT),
  mark: hashedPath(MARK),
  chartStyle: hashedPath(CHART_STYLE),
  chartScript: hashedPath(CHART_SCRIPT),
  plotScript: hashedPath(PLOT_SCRIPT),
} as const;

/** The style sheet of pages about properties. */
export function PropertyHead(): Element {
  return <link rel="stylesheet" href={hashedPath(PROPERTY_STYLE)} />;
}

/** The style sheets of pages about rules. */
export function RulesHead(): Element {
  return (
    <>
      <PropertyHead />
      <link rel="stylesheet" href={hashedPath(RULES_STYLE)} />
    </>
  );
}

/** The style sheet and the script of forms for properties. */
export function PropertyFormHead(): Element {
  return (
    <>
      <PropertyHead />
      <script src={hashedPath(PROPERTY_FORM_SCRIPT)} defer />
    </>
  );
}

/** The style sheets of pages with code. */
export function IntegrationHead(): Element {
  return (
    <>
      <PropertyHead />
      <link rel="stylesheet" href={hashedPath(CODE_STYLE)} />
    </>
  );
}

type WidgetProps = {
  /** The script of the widget. */
  readonly widget: { readonly path: string; readonly integrity: string };
};

/** The style sheets and the scripts of the test of a property. */
export function TestHead(props: WidgetProps): Element {
  return (
    <>
      <IntegrationHead />
      <script src={hashedPath(TEST_SCRIPT)} defer />
      <script src={props.widget.path} integrity={props.widget.integrity} crossorigin="anonymous" defer />
    </>
  );
}

/** The style sheets and the script of the pages for the first property. */
export function FirstPropertyHead(): Element {
  return (
    <>
      <IntegrationHead />
      <script src={hashedPath(FIRST_PROPERTY_SCRIPT)} defer />
    </>
  );
}

/** The script of pages that are opened by a link with a token. */
export function LinkHead(): Element {
  return <script src={hashedPath(LINK_SCRIPT)} defer />;
}

/** The style sheet and the scripts of the playground. */
export function PlaygroundHead(props: WidgetProps): Element {
  return (
    <>
      <PropertyHead />
      <script src={hashedPath(PLAYGROUND_SCRIPT)} defer />
      <script src={props.widget.path} integrity={props.widget.integrity} crossorigin="anonymous" defer />
    </>
  );
}
