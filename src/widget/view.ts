import { createModeControl, type DisplayMode } from './displayMode.ts';
import { ENGLISH, type Language, messageFor, type Texts } from './i18n.ts';
import { STYLES } from './styles.ts';
import type { WidgetState } from './widget.ts';

/** The appearance options that the page sets. */
export type Appearance = {
  readonly mode: DisplayMode;
  readonly theme: string;
  /** CSS declarations for the host element: the custom properties of `styles.ts`, or any other. */
  readonly styles: string;
};

/** The visible part of a widget. */
export interface View {
  setAppearance(appearance: Appearance): void;
  /** Changes the language of all texts. Screen readers do not repeat the current status. */
  setLanguage(language: Language): void;
  show(state: WidgetState): void;
}

/**
 * Builds the control in a shadow root of `host`. It parses no markup and adds no style to the document, so it works with a strict
 * content security policy and trusted types. Browsers without constructable style sheets show the control without styles.
 *
 * @param onPress called when the visitor activates the control
 */
export function createView(host: HTMLElement, onPress: () => void): View {
  let { texts } = ENGLISH;
  let shown: WidgetState = { kind: 'idle' };
  const modeControl = createModeControl(host);
  const root = host.attachShadow({ mode: 'open' });
  const isStyled = adoptStyles(root);
  const box = make('div', { class: 'box' });
  const button = make('button', { type: 'button', role: 'checkbox', ...LABELING });
  const status = make('p', { class: 'status', id: 'status', role: 'status' });
  const name = make('span', { class: 'name', 'aria-hidden': 'true' });
  const bar = make('div', { class: 'bar', role: 'progressbar' });
  const fill = make('div', { class: 'fill' });
  const label = make('span', { class: 'label', id: 'label' });
  name.textContent = 'Postern';
  bar.append(fill);
  box.append(button, status, name, bar);
  // With styles, the button is a transparent layer over the whole box; without them, it contains the label.
  if (isStyled) box.append(createIcon(), label);
  else button.append(label);
  root.append(box);
  button.addEventListener('click', onPress);

  function showProgress(state: WidgetState): void {
    const percent = state.kind === 'solving' ? state.percent : 0;
    bar.hidden = state.kind !== 'solving';
    bar.setAttribute('aria-valuenow', String(percent));
    fill.style.transform = `scaleX(${percent / 100})`;
  }

  return {
    setAppearance({ mode, theme, styles }) {
      host.dataset.theme = theme;
      // A policy blocks style attributes in markup, but not this property.
      host.style.cssText = styles;
      modeControl.setMode(mode);
    },
    setLanguage(language) {
      texts = language.texts;
      host.lang = language.tag;
      host.dir = language.dir;
      label.textContent = texts.label;
      bar.setAttribute('aria-label', texts.progress);
      const text = statusText(shown, texts);
      if (status.textContent === text) return;
      // Screen readers must not announce a translation of the current status.
      status.setAttribute('aria-live', 'off');
      status.textContent = text;
    },
    show(state) {
      shown = state;
      modeControl.showState(state.kind);
      box.setAttribute('data-state', state.kind);
      button.setAttribute('aria-checked', String(state.kind === 'verified'));
      button.setAttribute('aria-busy', String(state.kind === 'solving' || state.kind === 'expired'));
      showProgress(state);
      const text = statusText(state, texts);
      // Screen readers would announce the same text again.
      if (status.textContent === text) return;
      status.removeAttribute('aria-live');
      status.textContent = text;
    },
  };
}

function statusText(state: WidgetState, texts: Texts): string {
  if (state.kind !== 'failed') return texts[state.kind];
  const { text, wantsReason } = messageFor(state.problem, texts);
  // The reason is always English. The characters FSI and PDI of Unicode isolate its text direction.
  return wantsReason && state.reason ? `${text} ${texts.reason} \u2068${state.reason}\u2069` : text;
}

const LABELING = { 'aria-labelledby': 'label', 'aria-describedby': 'status' };

function adoptStyles(root: ShadowRoot): boolean {
  if (!('adoptedStyleSheets' in root)) return false;
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    return true;
  } catch {
    // The browser does not support constructable style sheets.
    return false;
  }
}

function make(tag: string, attributes: { readonly [name: string]: string }): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const SHAPES = [
  ['frame', 'M8 1h16a7 7 0 0 1 7 7v16a7 7 0 0 1-7 7H8a7 7 0 0 1-7-7V8a7 7 0 0 1 7-7z'],
  ['ring', 'M16 5a11 11 0 1 1 0 22a11 11 0 1 1 0-22z'],
  ['tick', 'M9 16.5l5 5L23.5 11'],
  ['bang', 'M16 8.5v9M16 23v.5'],
] as const;

/** Creates an icon of 32 by 32 with the shapes of all states. */
function createIcon(): SVGElement {
  const names = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(names, 'svg');
  for (const [name, value] of [
    ['viewBox', '0 0 32 32'],
    ['width', '32'],
    ['height', '32'],
    ['aria-hidden', 'true'],
  ] as const) {
    svg.setAttribute(name, value);
  }
  for (const [name, shape] of SHAPES) {
    const path = document.createElementNS(names, 'path');
    path.setAttribute('class', name);
    path.setAttribute('d', shape);
    svg.append(path);
  }
  return svg;
}
