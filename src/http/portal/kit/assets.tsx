import plotScript from 'uplot/dist/uPlot.iife.min.js' with { type: 'text' };
import plotStyle from 'uplot/dist/uPlot.min.css' with { type: 'text' };
import frameStyle from '../../../../static/portal.css' with { type: 'text' };
import script from '../../../../static/portal.js' with { type: 'text' };
import mark from '../../../../static/portal.svg' with { type: 'text' };
import chartStyle from '../../../../static/portalChart.css' with { type: 'text' };
import chartScript from '../../../../static/portalChart.js' with { type: 'text' };
import choicesStyle from '../../../../static/portalChoices.css' with { type: 'text' };
import firstPropertyScript from '../../../../static/portalFirstProperty.js' with { type: 'text' };
import linkScript from '../../../../static/portalLink.js' with { type: 'text' };
import organizationsStyle from '../../../../static/portalOrganizations.css' with { type: 'text' };
import partsStyle from '../../../../static/portalParts.css' with { type: 'text' };
import playgroundScript from '../../../../static/portalPlayground.js' with { type: 'text' };
import propertyStyle from '../../../../static/portalProperties.css' with { type: 'text' };
import { hashedPath } from '../../assetName.ts';
import type { Asset } from '../../assets.ts';
import type { Element } from '../../jsx/elements.ts';

const STYLES = `${frameStyle}\n${partsStyle}\n${choicesStyle}\n${organizationsStyle}`;

const STYLE: Asset = { path: '/portal/portal.css', type: 'text/css', contents: STYLES, isPublic: false };
const SCRIPT: Asset = {
  path: '/portal/portal.js',
  type: 'text/javascript',
  contents: script,
  isPublic: false,
};
const MARK: Asset = { path: '/portal/mark.svg', type: 'image/svg+xml', contents: mark, isPublic: false };

const CHART_STYLE: Asset = {
  path: '/portal/chart.css',
  type: 'text/css',
  contents: `${plotStyle}\n${chartStyle}`,
  isPublic: false,
};
const CHART_SCRIPT: Asset = {
  path: '/portal/chart.js',
  type: 'text/javascript',
  contents: chartScript,
  isPublic: false,
};
const PLOT_SCRIPT: Asset = {
  path: '/portal/uplot.js',
  type: 'text/javascript',
  contents: plotScript,
  isPublic: false,
};
const PROPERTY_STYLE: Asset = {
  path: '/portal/properties.css',
  type: 'text/css',
  contents: propertyStyle,
  isPublic: false,
};
const FIRST_PROPERTY_SCRIPT: Asset = {
  path: '/portal/first-property.js',
  type: 'text/javascript',
  contents: firstPropertyScript,
  isPublic: false,
};
const LINK_SCRIPT: Asset = {
  path: '/portal/link.js',
  type: 'text/javascript',
  contents: linkScript,
  isPublic: false,
};
const PLAYGROUND_SCRIPT: Asset = {
  path: '/portal/playground.js',
  type: 'text/javascript',
  contents: playgroundScript,
  isPublic: false,
};

/** All scripts, style sheets, and images of the pages; they are part of the executable. */
export const PORTAL_ASSETS: readonly Asset[] = [
  STYLE,
  SCRIPT,
  MARK,
  CHART_STYLE,
  CHART_SCRIPT,
  PLOT_SCRIPT,
  PROPERTY_STYLE,
  FIRST_PROPERTY_SCRIPT,
  LINK_SCRIPT,
  PLAYGROUND_SCRIPT,
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

/** The style sheet and the script of the page for the first property. */
export function FirstPropertyHead(): Element {
  return (
    <>
      <PropertyHead />
      <script src={hashedPath(FIRST_PROPERTY_SCRIPT)} defer />
    </>
  );
}

/** The script of pages that are opened by a link with a token. */
export function LinkHead(): Element {
  return <script src={hashedPath(LINK_SCRIPT)} defer />;
}

/** The style sheet and the scripts of the playground. */
export function PlaygroundHead(props: {
  /** The script of the widget. */
  readonly widget: { readonly path: string; readonly integrity: string };
}): Element {
  return (
    <>
      <PropertyHead />
      <script src={hashedPath(PLAYGROUND_SCRIPT)} defer />
      <script src={props.widget.path} integrity={props.widget.integrity} crossorigin="anonymous" defer />
    </>
  );
}
