import { loadExtras } from './buildFiles.ts';
import { log } from './console.ts';
import { adoptStyles } from './dom.ts';
import type { ExtrasPart } from './fileParts.ts';
import { ENGLISH, type Language, type RareTexts } from './i18n.ts';
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
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of parts that refer to each other
export function createView(element: HTMLElement, host: HTMLElement, onPress: () => void): View {
  let { texts } = ENGLISH;
  let shown: { readonly kind: string; readonly problem?: string; readonly reason?: string } = {
    kind: 'idle',
  };
  let applyExtras: ReturnType<ExtrasPart['connect']> | undefined;
  const root = host.attachShadow({ mode: 'open' });
  const isStyled = adoptStyles(root, POSTERN_STYLES);
  const [box, button, label, status, bar, fill, mark] = createElements(isStyled);
  root.append(box);
  button.addEventListener('click', onPress);

  const updateExtras = () => applyExtras?.(element.dataset.privacyUrl ?? '', shown.kind, texts);

  function showState(isAnnounced: boolean): void {
    updateExtras();
    showStatus(isAnnounced);
  }

  /**
   * Keeps a text that is already shown, because screen readers would announce it again. They must not announce a translation of the
   * current status.
   *
   * @param more texts from `extras.js`, which most visitors never see
   */
  function showStatus(isAnnounced: boolean, more?: Partial<RareTexts>): void {
    const known: Partial<Record<string, string>> = { ...more, ...texts };
    const { kind, problem, reason } = shown;
    const text = known[problem ?? kind] ?? (known.unavailable && ((isLocal && reason) || known.unavailable));
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

  function connectExtras(): void {
    void loadExtras(element).then(
      ({ connect }) => {
        applyExtras = applyExtras ?? connect(element, host, root);
        updateExtras();
      },
      (cause) => {
        log(`${cause}`);
        host.hidden = host.dataset.mode === 'hidden';
      },
    );
  }

  return {
    updateAppearance() {
      const { displayMode = '', theme, branding, privacyUrl, styles = '' } = element.dataset;
      const isExtra = displayMode === 'popup' || displayMode === 'inline';
      Object.assign(host.dataset, { theme, branding, mode: displayMode });
      // A policy blocks style attributes in markup, but not this property.
      host.style.cssText = styles;
      host.hidden = isExtra || displayMode === 'hidden';
      updateExtras();
      if (isExtra || privacyUrl) connectExtras();
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

/** On their own computers, developers see the reason of a problem. */
const isLocal = /localhost$|^127.0.0.1/.test(location.hostname);

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
    role: 'checkbox',
    'aria-labelledby': 'label',
    'aria-describedby': 'status',
  });
  const label = make('div', { id: 'label' });
  const status = make('p', { id: 'status', role: 'status' });
  const fill = make('div', { class: 'fill' });
  const bar = make('div', { class: 'bar', role: 'progressbar' }, fill);
  const mark = make('path', {});
  const logo = isStyled ? [icon(make('path', { d: ARCH }))] : [];
  const brand = make('div', { class: 'brand', 'aria-hidden': 'true' }, ...logo, 'Postern');
  const text = make('div', { class: 'text' }, brand, label, status);
  const box = make('div', { class: 'box' }, button, text, bar);
  if (isStyled) text.before(icon(mark));
  else button.append(label);
  return [box, button, label, status, bar, fill, mark] as const;
}

type Attributes = { readonly [name: string]: string };

/** Creates an HTML element or, if its tag is `svg` or `path`, an SVG element. */
function make(tag: string, attributes: Attributes, ...children: readonly (Element | string)[]): HTMLElement {
  const element = (
    /svg|path/.test(tag)
      ? document.createElementNS('http://www.w3.org/2000/svg', tag)
      : document.createElement(tag)
  ) as HTMLElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Creates an icon: a shape of 28 by 28 in a frame, which is the border of the element. */
const icon = (shape: Element) => make('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' }, shape);
