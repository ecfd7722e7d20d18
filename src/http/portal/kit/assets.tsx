import plotScript from 'uplot/dist/uPlot.iife.min.js' with { type: 'text' };
import plotStyle from 'uplot/dist/uPlot.min.css' with { type: 'text' };
import frameStyle from '../../../../static/portal.css' with { type: 'text' };
import script from '../../../../static/portal.js' with { type: 'text' };
import mark from '../../../../static/portal.svg' with { type: 'text' };
import chartStyle from '../../../../static/portalChart.css' with { type: 'text' };
import chartScript from '../../../../static/portalChart.js' with { type: 'text' };
import choicesStyle from '../../../../static/portalChoices.css' with { type: 'text' };
import firstSiteScript from '../../../../static/portalFirstSite.js' with { type: 'text' };
import linkScript from '../../../../static/portalLink.js' with { type: 'text' };
import organizationsStyle from '../../../../static/portalOrganizations.css' with { type: 'text' };
import partsStyle from '../../../../static/portalParts.css' with { type: 'text' };
import playgroundScript from '../../../../static/portalPlayground.js' with { type: 'text' };
import siteStyle from '../../../../static/portalSites.css' with { type: 'text' };
import { type Html, html } from '../../../lib/html.ts';
import { hashedPath } from '../../assetName.ts';
import type { Asset } from '../../assets.ts';

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
const SITE_STYLE: Asset = {
  path: '/portal/sites.css',
  type: 'text/css',
  contents: siteStyle,
  isPublic: false,
};
const FIRST_SITE_SCRIPT: Asset = {
  path: '/portal/first-site.js',
  type: 'text/javascript',
  contents: firstSiteScript,
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

/** What the pages load, all of it from the binary. */
export const PORTAL_ASSETS: readonly Asset[] = [
  STYLE,
  SCRIPT,
  MARK,
  CHART_STYLE,
  CHART_SCRIPT,
  PLOT_SCRIPT,
  SITE_STYLE,
  FIRST_SITE_SCRIPT,
  LINK_SCRIPT,
  PLAYGROUND_SCRIPT,
];

/** Where a page finds them: addresses that change with their contents. */
export const ASSET_PATHS = {
  style: hashedPath(STYLE),
  script: hashedPath(SCRIPT),
  mark: hashedPath(MARK),
  chartStyle: hashedPath(CHART_STYLE),
  chartScript: hashedPath(CHART_SCRIPT),
  plotScript: hashedPath(PLOT_SCRIPT),
} as const;

/** What pages about sites load beside what every page loads. */
export function propertyHead(): Html {
  return html`<link rel="stylesheet" href="${hashedPath(SITE_STYLE)}">
`;
}

export function firstPropertyHead(): Html {
  return html`${propertyHead()}<script src="${hashedPath(FIRST_SITE_SCRIPT)}" defer></script>
`;
}

/** The script of pages that are opened by a link with a token. */
export function linkHead(): Html {
  return html`<script src="${hashedPath(LINK_SCRIPT)}" defer></script>
`;
}

/** @param widget the widget's script */
export function playgroundHead(widget: { readonly path: string; readonly integrity: string }): Html {
  return html`${propertyHead()}<script src="${hashedPath(PLAYGROUND_SCRIPT)}" defer></script>
<script src="${widget.path}" integrity="${widget.integrity}" crossorigin="anonymous" defer></script>
`;
}
