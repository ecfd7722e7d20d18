import { adoptStyles } from './adoptStyles.ts';
import { createModeControl, type DisplayMode } from './displayMode.ts';
import { ENGLISH, type Language, statusText } from './i18n.ts';
import type { WidgetState } from './widget.ts';

/** Set by `bundle.ts`: `STYLES` of `styles.ts`. */
declare const POSTERN_STYLES: string;

/** The appearance options that the page sets. */
export type Appearance = {
  readonly mode: DisplayMode;
  readonly theme: string;
  /** `logo`: logo and name; `name`: only the name; `none`. */
  readonly branding: string;
  /** The URL of the website's privacy policy; empty for no link. */
  readonly privacyUrl: string;
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
 * @param endpointOf returns the URL of puzzles, if it is valid
 * @param report called if an option is invalid
 */
export function createView(
  host: HTMLElement,
  onPress: () => void,
  endpointOf: () => string | undefined,
  report: (name: string, value: string) => void,
): View {
  let { texts } = ENGLISH;
  let shown: WidgetState = { kind: 'idle' };
  const root = host.attachShadow({ mode: 'open' });
  const modeControl = createModeControl(host, root, endpointOf, report);
  const isStyled = adoptStyles(root, POSTERN_STYLES);
  const { box, button, label, status, bar, fill, link, mark } = createElements(isStyled);
  root.append(box);
  button.addEventListener('click', onPress);

  /** Screen readers would announce the same text again, and must not announce a translation of the current status. */
  function showStatus(isAnnounced: boolean): void {
    const text = statusText(shown, texts);
    if (status.textContent === text) return;
    status.setAttribute('aria-live', isAnnounced ? 'polite' : 'off');
    status.textContent = text;
  }

  return {
    setAppearance({ mode, theme, branding, privacyUrl, styles }) {
      Object.assign(host.dataset, { theme, branding });
      // A policy blocks style attributes in markup, but not this property.
      host.style.cssText = styles;
      modeControl.setMode(mode, privacyUrl);
    },
    setLanguage(language) {
      texts = language.texts;
      host.lang = language.tag;
      host.dir = language.dir;
      label.textContent = texts.label;
      link.textContent = texts.privacy;
      bar.setAttribute('aria-label', texts.progress);
      showStatus(false);
    },
    show(state) {
      shown = state;
      const { kind } = state;
      const percent = kind === 'solving' ? state.percent : 0;
      modeControl.showState(kind);
      box.dataset.state = kind;
      button.setAttribute('aria-checked', `${kind === 'verified'}`);
      const isBusy = !(kind in MARKS);
      box.toggleAttribute('data-busy', isBusy);
      button.setAttribute('aria-busy', `${isBusy}`);
      mark.setAttribute('d', MARKS[kind] ?? RING);
      bar.hidden = kind !== 'solving';
      bar.setAttribute('aria-valuenow', `${percent}`);
      fill.style.width = `${percent}%`;
      showStatus(true);
    },
  };
}

const RING = 'M14 3a11 11 0 1 1-.1 0z';
/** The marks of the states in which no work is in progress. */
const MARKS: { readonly [state: string]: string } = {
  idle: '',
  verified: 'M7 14.5l5 5L21.5 9',
  failed: 'M14 6.5v9M14 21v.5',
};
const ARCH = 'M7 24V12a7 7 0 0 1 14 0v12M16.5 17v.01';

/** @param isStyled with styles, the button is a transparent layer over the whole box; without them, it contains the label */
function createElements(isStyled: boolean) {
  const button = make('button', {
    type: 'button',
    role: 'checkbox',
    'aria-labelledby': 'label',
    'aria-describedby': 'status',
  });
  const label = make('div', { class: 'label', id: 'label' });
  const status = make('p', { class: 'status', id: 'status', role: 'status' });
  const name = make('span', { 'aria-hidden': 'true' });
  const link = make('a', { target: '_blank', rel: 'noopener', hidden: '' });
  const fill = make('div', { class: 'fill' });
  const bar = make('div', { class: 'bar', role: 'progressbar' }, fill);
  const mark = draw('path', {});
  name.textContent = 'Postern';
  const logo = isStyled ? [icon(draw('path', { d: ARCH }))] : [];
  const brand = make('div', { class: 'brand' }, ...logo, name);
  const text = make('div', { class: 'text' }, brand, label, status, link);
  const box = make('div', { class: 'box' }, button, text, bar);
  if (isStyled) text.before(icon(mark));
  else button.append(label);
  return { box, button, label, status, bar, fill, link, mark };
}

type Attributes = { readonly [name: string]: string };

function make(tag: string, attributes: Attributes, ...children: readonly Element[]): HTMLElement {
  return fillIn(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
function draw(tag: string, attributes: Attributes, ...children: readonly Element[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
  return fillIn(element, attributes, children);
}

function fillIn<E extends Element>(element: E, attributes: Attributes, children: readonly Element[]): E {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Creates an icon of 28 by 28 in a frame, which is the border of the element. */
const icon = (shape: SVGElement) => draw('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' }, shape);
