import { ENGLISH, type Language, type Texts, wordsFor } from './i18n.ts';
import { createPresence } from './presence.ts';
import { STYLES } from './styles.ts';
import type { WidgetState } from './widget.ts';

/** What the page chose of a widget's looks. */
export type Looks = {
  readonly mode: 'widget' | 'popup' | 'hidden' | 'inline';
  readonly theme: string;
  /** Declarations of CSS for the outermost element: the custom properties of `styles.ts`, or any. */
  readonly styles: string;
};

/** The visible half of a widget. */
export interface View {
  dress(looks: Looks): void;
  /** Says all in this language from now on; what was said is not said again. */
  speak(language: Language): void;
  show(state: WidgetState): void;
}

/**
 * Builds the control inside `host`, in a shadow root. No markup is parsed and no style is written into the
 * document, so a strict content security policy and trusted types have nothing to object to. A browser
 * without constructable style sheets shows the plain controls.
 */
export function createView(host: HTMLElement, onPress: () => void): View {
  let { texts } = ENGLISH;
  let shown: WidgetState = { kind: 'idle' };
  const presence = createPresence(host);
  const root = host.attachShadow({ mode: 'open' });
  const isStyled = adoptStyles(root);
  const box = make('div', { class: 'box' });
  const button = make('button', { type: 'button', role: 'checkbox', ...LABELLING });
  const status = make('p', { class: 'status', id: 'status', role: 'status' });
  const name = make('span', { class: 'name', 'aria-hidden': 'true' });
  const bar = make('div', { class: 'bar', role: 'progressbar' });
  const fill = make('div', { class: 'fill' });
  const label = make('span', { class: 'label', id: 'label' });
  name.textContent = 'Postern';
  bar.append(fill);
  box.append(button, status, name, bar);
  // Styled, the button is a transparent cover of the whole box; plain, it holds its own label.
  if (isStyled) box.append(mark(), label);
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
    dress({ mode, theme, styles }) {
      host.dataset.theme = theme;
      // A policy forbids style attributes in markup, not this.
      host.style.cssText = styles;
      presence.choose(mode);
    },
    speak(language) {
      texts = language.texts;
      host.lang = language.tag;
      host.dir = language.dir;
      label.textContent = texts.label;
      bar.setAttribute('aria-label', texts.progress);
      const text = sentenceOf(shown, texts);
      if (status.textContent === text) return;
      // The same in other words: not for screen readers, until something new is to be told.
      status.setAttribute('aria-live', 'off');
      status.textContent = text;
    },
    show(state) {
      shown = state;
      presence.show(state.kind);
      box.setAttribute('data-state', state.kind);
      button.setAttribute('aria-checked', String(state.kind === 'verified'));
      button.setAttribute('aria-busy', String(state.kind === 'solving' || state.kind === 'expired'));
      showProgress(state);
      const text = sentenceOf(state, texts);
      // Writing the same text again would make screen readers say it again.
      if (status.textContent === text) return;
      status.removeAttribute('aria-live');
      status.textContent = text;
    },
  };
}

function sentenceOf(state: WidgetState, texts: Texts): string {
  if (state.kind !== 'failed') return texts[state.kind];
  const { text, wantsReason } = wordsFor(state.problem, texts);
  // The reason is English in any language: isolated, it keeps its own direction (Unicode's FSI and PDI).
  return wantsReason && state.reason ? `${text} ${texts.reason} \u2068${state.reason}\u2069` : text;
}

const LABELLING = { 'aria-labelledby': 'label', 'aria-describedby': 'status' };

function adoptStyles(root: ShadowRoot): boolean {
  if (!('adoptedStyleSheets' in root)) return false;
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    return true;
  } catch {
    // Style sheets cannot be constructed here.
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

/** A box of 32 by 32: empty, turning, ticked, or with an exclamation mark. */
function mark(): SVGElement {
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
