import { adoptStyles } from './adoptStyles.ts';
import type { DisplayMode } from './displayMode.ts';
import { definePart } from './fileParts.ts';
import { CHOICES } from './options.ts';
import { urlOf } from './url.ts';

/** The entry of `/widget/extras.js`: the options that most pages do not use, and the table of the scripts that solve puzzles. */

/** Set by `bundle.ts`: name and integrity of the script for browsers that do not support the kernel with SIMD, or workers. */
declare const POSTERN_FALLBACK_NAME: string;
declare const POSTERN_FALLBACK_INTEGRITY: string;

/** The same for the script that solves argon2id puzzles. */
declare const POSTERN_ARGON2ID_NAME: string;
declare const POSTERN_ARGON2ID_INTEGRITY: string;

/** Set by `bundle.ts`: `EXTRA_STYLES` of `styles.ts`. */
declare const POSTERN_STYLES: string;

// Long enough for visitors to see the result and for screen readers to announce it.
const POPUP_REST_MS = 2000;

definePart({
  connect(host: HTMLElement, root: ShadowRoot, report: (name: string, value: string) => void) {
    const showMode = createModes(host);
    const showLink = createLink(root, report);
    adoptStyles(root, POSTERN_STYLES);
    return (mode: DisplayMode, state: string, privacyUrl: string) => {
      showMode(mode, state);
      showLink(privacyUrl);
    };
  },
  describe,
  fallback: [POSTERN_FALLBACK_NAME, POSTERN_FALLBACK_INTEGRITY],
  argon2id: [POSTERN_ARGON2ID_NAME, POSTERN_ARGON2ID_INTEGRITY],
});

/** A popup is visible during a check and two seconds longer. A hidden widget is never visible, and all others always are. */
function createModes(host: HTMLElement) {
  let hideTimer = 0;
  return (mode: DisplayMode, state: string): void => {
    clearTimeout(hideTimer);
    const isPopup = mode === 'popup';
    host.hidden = mode === 'hidden' || (isPopup && state === 'idle');
    showPopover(host, mode);
    if (!isPopup || state !== 'verified') return;
    hideTimer = setTimeout(() => {
      host.hidden = true;
    }, POPUP_REST_MS);
  };
}

/** Uses the top layer if available, because transformed or clipping ancestors would move the popup. */
function showPopover(host: HTMLElement, mode: DisplayMode): void {
  host.popover = mode === 'popup' ? 'manual' : null;
  try {
    if (!host.hidden) host.showPopover();
  } catch {
    // The host is not a popup, is already shown, or is not on the page; or the browser does not support popovers.
  }
}

/** Shows the link to the website's privacy policy if its URL is valid. */
function createLink(root: ShadowRoot, report: (name: string, value: string) => void) {
  const link = root.querySelector('a') as HTMLAnchorElement;
  let shown = '';
  return (privacyUrl: string): void => {
    if (privacyUrl === shown) return;
    shown = privacyUrl;
    const url = privacyUrl && urlOf(privacyUrl);
    const isValid = url && /^https?:/.test(url);
    if (privacyUrl && !isValid) report('privacyUrl', privacyUrl);
    link.hidden = !isValid;
    link.setAttribute('href', isValid ? url : '');
  };
}

/** Describes the invalid value of an option; without a value, a call for an element that is not on the page. */
function describe(name: string, value: string): string {
  const choices: { readonly [name: string]: readonly string[] } = CHOICES;
  if (name.endsWith('Callback')) return `${name}: no function "${value}"`;
  if (name === 'privacyUrl') return `privacyUrl "${value}" is not an http or https URL`;
  const allowed = choices[name];
  return allowed
    ? `${name} "${value}" is not one of ${allowed.join(', ')}`
    : 'the element is not on the page';
}
