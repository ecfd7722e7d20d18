import frameStyle from '../../../static/portal.css' with { type: 'text' };
import script from '../../../static/portal.js' with { type: 'text' };
import mark from '../../../static/portal.svg' with { type: 'text' };
import choicesStyle from '../../../static/portalChoices.css' with { type: 'text' };
import partsStyle from '../../../static/portalParts.css' with { type: 'text' };
import { hashedPath } from '../assetName.ts';
import type { Asset } from '../assets.ts';

const STYLES = `${frameStyle}\n${partsStyle}\n${choicesStyle}`;

const STYLE: Asset = { path: '/portal/portal.css', type: 'text/css', contents: STYLES, isPublic: false };
const SCRIPT: Asset = {
  path: '/portal/portal.js',
  type: 'text/javascript',
  contents: script,
  isPublic: false,
};
const MARK: Asset = { path: '/portal/mark.svg', type: 'image/svg+xml', contents: mark, isPublic: false };

/** What the pages load, all of it from the binary. */
export const PORTAL_ASSETS: readonly Asset[] = [STYLE, SCRIPT, MARK];

/** Where a page finds them: addresses that change with their contents. */
export const ASSET_PATHS = {
  style: hashedPath(STYLE),
  script: hashedPath(SCRIPT),
  mark: hashedPath(MARK),
} as const;
