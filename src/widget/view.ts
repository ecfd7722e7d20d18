import { loadExtras } from './buildFiles.ts';
import { log } from './console.ts';
import { adoptStyles } from './dom.ts';
import type { ExtrasPart } from './fileParts.ts';
import { ENGLISH, type Language, type RareTexts, statusText, type Texts } from './i18n.ts';
import type { WidgetState } from './widget.ts';

/** Set by `bundle.ts`: `STYLES` of `styles.ts`. */
declare const POSTERN_STYLES: string;

/** The visible part of a widget. */
interface View {
  /** Applies the element's attributes that change the appearance. */
  updateAppearance(): void;
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
export function createView(element: HTMLElement, host: HTMLElement, onPress: () => void): View {
  let { texts } = ENGLISH;
  let shown: WidgetState = { kind: 'idle' };
  const root = host.attachShadow({ mode: 'open' });
  const modeControl = createModeControl(element, host, root);
  const isStyled = adoptStyles(root, POSTERN_STYLES);
  const [box, button, label, status, bar, fill, mark] = createElements(isStyled);
  root.append(box);
  button.addEventListener('click', onPress);

  function showState(isAnnounced: boolean): void {
    modeControl.show(shown.kind, texts);
    showStatus(isAnnounced);
  }

  /**
   * Keeps a text that is already shown, because screen readers would announce it again. They must not announce a translation of the
   * current status.
   *
   * @param more texts from `extras.js`, which most visitors never see
   */
  function showStatus(isAnnounced: boolean, more?: Partial<RareTexts>): void {
    const text = statusText(shown, { ...more, ...texts });
    if (text === undefined) {
      void loadExtras(element)
        .then(
          ({ english }) => english,
          () => ({ unavailable: texts['service-unreachable'] }),
        )
        .then((loaded) => showStatus(isAnnounced, loaded));
      return;
    }
    if (status.textContent === text) return;
    status.setAttribute('aria-live', isAnnounced ? 'polite' : 'off');
    status.textContent = text;
  }

  return {
    updateAppearance() {
      const { displayMode = '', theme, branding, privacyUrl = '', styles = '' } = element.dataset;
      Object.assign(host.dataset, { theme, branding });
      // A policy blocks style attributes in markup, but not this property.
      host.style.cssText = styles;
      modeControl.setMode(displayMode, privacyUrl);
    },
    setLanguage(language) {
      // The file may be older than the script.
      texts = { ...ENGLISH.texts, ...language.texts };
      host.lang = language.tag;
      host.dir = language.dir;
      label.textContent = texts.label;
      bar.setAttribute('aria-label', texts.progress);
      showState(false);
    },
    show(state) {
      shown = state;
      const { kind } = state;
      const percent = kind === 'solving' ? state.percent : 0;
      box.dataset.state = kind;
      button.setAttribute('aria-checked', `${kind === 'verified'}`);
      button.setAttribute('aria-busy', `${!(kind in MARKS)}`);
      mark.setAttribute('d', MARKS[kind] ?? RING);
      bar.hidden = kind !== 'solving';
      bar.setAttribute('aria-valuenow', `${percent}`);
      fill.style.width = `${percent}%`;
      showState(true);
    },
  };
}

/** Shows or hides a widget's host element according to its display mode, and shows the privacy link. */
interface ModeControl {
  /** @param mode the value of `data-display-mode`; an unknown mode is like `widget` @param privacyUrl empty for no link */
  setMode(mode: string, privacyUrl: string): void;
  show(state: string, texts: Texts): void;
}

/**
 * The modes `popup` and `inline`, and the privacy link, are in another script. In these modes, the host is hidden until that
 * script is loaded. If the script cannot be loaded, the host looks as in the mode `widget`.
 */
function createModeControl(element: HTMLElement, host: HTMLElement, root: ShadowRoot): ModeControl {
  let link: string;
  let shown: readonly [state: string, texts: Texts];
  let apply: ReturnType<ExtrasPart['connect']> | undefined;

  const update = () => apply?.(link, ...shown);

  return {
    setMode(mode, privacyUrl) {
      host.dataset.mode = mode;
      link = privacyUrl;
      const isExtra = mode === 'popup' || mode === 'inline';
      host.hidden = isExtra || mode === 'hidden';
      update();
      if (!isExtra && !link) return;
      void loadExtras(element).then(
        ({ connect }) => {
          apply = apply ?? connect(element, host, root);
          update();
        },
        (cause) => {
          log(`${cause}`);
          host.hidden = host.dataset.mode === 'hidden';
        },
      );
    },
    show(...next) {
      shown = next;
      update();
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
  const label = make('div', { id: 'label' });
  const status = make('p', { id: 'status', role: 'status' });
  const fill = make('div', { class: 'fill' });
  const bar = make('div', { class: 'bar', role: 'progressbar' }, fill);
  const mark = draw('path', {});
  const logo = isStyled ? [icon(draw('path', { d: ARCH }))] : [];
  const brand = make('div', { class: 'brand', 'aria-hidden': 'true' }, ...logo, 'Postern');
  const text = make('div', { class: 'text' }, brand, label, status);
  const box = make('div', { class: 'box' }, button, text, bar);
  if (isStyled) text.before(icon(mark));
  else button.append(label);
  return [box, button, label, status, bar, fill, mark] as const;
}

type Attributes = { readonly [name: string]: string };

function make(tag: string, attributes: Attributes, ...children: readonly (Element | string)[]): HTMLElement {
  return fillIn(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
function draw(tag: string, attributes: Attributes, ...children: readonly (Element | string)[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
  return fillIn(element, attributes, children);
}

function fillIn<E extends Element>(
  element: E,
  attributes: Attributes,
  children: readonly (Element | string)[],
): E {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Creates an icon: a shape of 28 by 28 in a frame, which is the border of the element. */
const icon = (shape: SVGElement) => draw('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' }, shape);
