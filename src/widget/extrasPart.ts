import { WIDGET_CHOICES } from '../lib/widgetChoices.ts';
import { readRejection } from './client.ts';
import { log } from './console.ts';
import { adoptStyles, urlOf } from './dom.ts';
import { definePart } from './fileParts.ts';
import { RARE_ENGLISH, type Texts } from './i18n.ts';
import { replaySubmission } from './replay.ts';

/** The entry of `/widget/extras.js`. @see ExtrasPart */

/** Set by `bundle.ts`: names and integrities of the scripts that solve puzzles. */
declare const POSTERN_FALLBACK_NAME: string;
declare const POSTERN_FALLBACK_INTEGRITY: string;
declare const POSTERN_ARGON2ID_NAME: string;
declare const POSTERN_ARGON2ID_INTEGRITY: string;
declare const POSTERN_HASHWX_NAME: string;
declare const POSTERN_HASHWX_INTEGRITY: string;

/** Set by `bundle.ts`: `EXTRA_STYLES` of `styles.ts`. */
declare const POSTERN_STYLES: string;

// Long enough for visitors to see the result and for screen readers to announce it.
const POPUP_REST_MS = 2000;

definePart({
  connect(element: HTMLElement, host: HTMLElement, root: ShadowRoot) {
    const showMode = createModes(host);
    const showLink = createLink(element, root);
    adoptStyles(root, POSTERN_STYLES);
    return (privacyUrl: string, state: string, texts: Texts) => {
      showMode(host.dataset.mode, state);
      showLink(privacyUrl, texts);
    };
  },
  explain,
  english: RARE_ENGLISH,
  readRejection,
  replay: replaySubmission,
  solvers: [
    [POSTERN_FALLBACK_NAME, POSTERN_FALLBACK_INTEGRITY],
    [POSTERN_ARGON2ID_NAME, POSTERN_ARGON2ID_INTEGRITY],
    [POSTERN_HASHWX_NAME, POSTERN_HASHWX_INTEGRITY],
  ],
});

/** A popup is visible during a check and two seconds longer. A hidden widget is never visible, and all others always are. */
function createModes(host: HTMLElement) {
  let hideTimer = 0;
  return (mode: string | undefined, state: string): void => {
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
function showPopover(host: HTMLElement, mode: string | undefined): void {
  host.popover = mode === 'popup' ? 'manual' : null;
  try {
    if (!host.hidden) host.showPopover();
  } catch {
    // The host is not a popup, is already shown, or is not on the page; or the browser does not support popovers.
  }
}

/** Adds the link to the website's privacy policy, which is visible if its URL is valid. */
function createLink(element: HTMLElement, root: ShadowRoot) {
  const link = document.createElement('a');
  link.target = '_blank';
  link.rel = 'noopener';
  root.querySelector('.text')?.append(link);
  let shown = '';
  return (privacyUrl: string, texts: Texts): void => {
    link.textContent = texts.privacy ?? RARE_ENGLISH.privacy;
    const url = privacyUrl && urlOf(privacyUrl);
    const isValid = url && /^https?:/.test(url);
    link.hidden = !isValid;
    link.setAttribute('href', isValid ? url : '');
    if (privacyUrl !== shown && privacyUrl && !isValid) explain(element, 'privacyUrl');
    shown = privacyUrl;
  };
}

function explain({ dataset }: HTMLElement, problem: string): void {
  if (dataset.debug !== 'true') return;
  if (problem === 'place') log('the element is not on the page');
  if (problem === 'privacyUrl') log(`privacyUrl "${dataset.privacyUrl}" is not an http or https URL`);
  if (problem.endsWith('Callback')) log(`${problem}: no function "${dataset[problem]}"`);
  if (problem !== 'options') return;
  for (const [name, choices] of Object.entries<readonly string[]>(WIDGET_CHOICES)) {
    const value = dataset[name];
    if (value && !choices.includes(value)) log(`${name} "${value}" is not one of ${choices.join(', ')}`);
  }
}
