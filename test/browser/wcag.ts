import type { Tab } from '../support/browser.ts';
import { look, overflowOf, SCHEMES } from './portal/screens.ts';

/** Checks of success criteria of WCAG 2.2 that axe-core does not cover, for pages without shadow roots. */

/** What the user style sheet of success criterion 1.4.12 sets. */
export const SPACING = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-bottom: 2em !important }`;

/** Functions of the scripts below. */
const HELPERS = `
  const show = (element) => element.outerHTML.slice(0, 120);
  const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  /** Red, green, blue, and alpha, from 0 to 255. */
  const partsOf = (color) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = color;
    probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data];
  };
  const luminanceOf = (color) => {
    const [red, green, blue] = partsOf(color)
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrastOf = (one, other) => {
    const [darker, lighter] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const groundOf = (element) => {
    for (let box = element; box !== null; box = box.parentElement) {
      const { backgroundColor } = getComputedStyle(box);
      if (partsOf(backgroundColor)[3] === 255) return backgroundColor;
    }
    return getComputedStyle(document.documentElement).colorScheme.includes('dark') ? 'black' : 'white';
  };
  const CONTROLS = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [tabindex="0"]';
  const isShown = (element) => !element.disabled && element.checkVisibility({ visibilityProperty: true });
  const isTabStop = (element) =>
    element.tabIndex >= 0 && isShown(element) &&
    !(element.type === 'radio' && !element.checked && document.querySelector('[name="' + element.name + '"]:checked'));
  const tabStops = () => [...document.querySelectorAll(CONTROLS)].filter(isTabStop);`;

/** Texts that an element with hidden overflow cuts off, except sitekeys, which a button copies; and buttons that are too small for their text. */
const CUT_TEXTS = `(() => {${HELPERS}
  const hides = (overflow) => overflow === 'hidden' || overflow === 'clip';
  const isCutBy = (text, box, style) =>
    (hides(style.overflowX) && (text.left < box.left - 1 || text.right > box.right + 1)) ||
    (hides(style.overflowY) && (text.top < box.top - 3 || text.bottom > box.bottom + 3));
  const isCut = (text, element) => {
    for (let box = element; box !== document.documentElement; box = box.parentElement) {
      const style = getComputedStyle(box);
      // Text for screen readers only, or a box that scrolls.
      if (style.clipPath !== 'none' || /auto|scroll/.test(style.overflowX + style.overflowY)) return false;
      if (isCutBy(text, box.getBoundingClientRect(), style)) return true;
    }
    return false;
  };
  const cut = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || !element.checkVisibility()) continue;
    if (element.closest('script, style, svg, option, .sitekey') !== null) continue;
    range.selectNodeContents(walker.currentNode);
    if (isCut(range.getBoundingClientRect(), element)) cut.push(show(element));
  }
  const isTooSmall = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
    scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
  for (const button of document.querySelectorAll('button, a.button'))
    if (isShown(button) && isTooSmall(button)) cut.push(show(button));
  return cut;
})()`;

/** Controls that cannot have the focus, show it with a contrast of less than 3:1 or not at all, or are covered or outside of the window. */
const FOCUS_FAULTS = `(() => {${HELPERS}
  const isVisibleAt = (element, x, y) => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (element.contains(hit) || [...(element.labels ?? [])].some((label) => label.contains(hit)));
  };
  // A part that is inside of the window.
  const isCovered = (element) =>
    ![...element.getClientRects()].some((rect) => {
      const [left, top] = [Math.max(rect.left, 0), Math.max(rect.top, 0)];
      const [right, bottom] = [Math.min(rect.right, innerWidth), Math.min(rect.bottom, innerHeight)];
      return [0.1, 0.5, 0.9].some((across) =>
        [0.1, 0.5, 0.9].some((down) =>
          isVisibleAt(element, left + across * (right - left), top + down * (bottom - top))));
    });
  const hasOutline = (element) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    const isThick = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    return isThick && contrastOf(outlineColor, groundOf(element.parentElement)) >= 3;
  };
  const faults = [];
  for (const stop of tabStops()) {
    stop.focus();
    if (document.activeElement !== stop) faults.push('not focused: ' + show(stop));
    else if (![stop, ...(stop.labels ?? [])].some(hasOutline)) faults.push('focus not visible: ' + show(stop));
    else if (isCovered(stop)) faults.push('covered: ' + show(stop));
  }
  document.activeElement.blur();
  return faults;
})()`;

/** Text fields and lists whose border has a contrast of less than 3:1. */
const PALE_FIELDS = `(() => {${HELPERS}
  const fields = 'input:not([type="hidden"], [type="checkbox"], [type="radio"], [type="file"]), select, textarea';
  return [...document.querySelectorAll(fields)]
    .filter(isShown)
    .filter((field) => contrastOf(getComputedStyle(field).borderTopColor, groundOf(field.parentElement)) < 3)
    .map(show);
})()`;

async function withStyles<T>(tab: Tab, styles: string, run: () => Promise<T>): Promise<T> {
  await tab.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(styles)});
    document.adoptedStyleSheets = [sheet];
  })()`);
  const result = await run();
  await tab.evaluate('void (document.adoptedStyleSheets = [])');
  return result;
}

/** Changes the font size in the settings of the browser. @param pixels 16 by default */
async function withFontSize<T>(tab: Tab, pixels: number, run: () => Promise<T>): Promise<T> {
  const setSize = (standard: number) => tab.cdp('Page.setFontSizes', { fontSizes: { standard } });
  await setSize(pixels);
  await tab.until(`getComputedStyle(document.documentElement).fontSize === '${pixels}px'`);
  const result = await run();
  await setSize(16);
  return result;
}

async function setWindow(tab: Tab, width: number, height: number): Promise<void> {
  await tab.cdp('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
}

/** `spacing`: 1.4.12; `enlarged`: 1.4.4; `focus`: 1.4.11, 2.4.7, and 2.4.11; `fields`: 1.4.11. */
export type Faults = Readonly<Record<'spacing' | 'enlarged' | 'focus' | 'fields', readonly string[]>>;

/**
 * Checks a page in windows of 1280 pixels, and of 640 and 320 pixels, which are 1280 at 200% and 400% zoom, and in both themes where
 * the colors matter.
 */
export async function wcagFaults(tab: Tab): Promise<Faults> {
  const faults = { spacing: [], enlarged: [], focus: [], fields: [] } as Record<keyof Faults, string[]>;
  const cutTexts = () => tab.evaluate<string[]>(CUT_TEXTS);
  const addFocusFaults = async () => faults.focus.push(...(await tab.evaluate<string[]>(FOCUS_FAULTS)));
  for (const width of [1280, 640, 320]) {
    await setWindow(tab, width, width / 1.25);
    if (width !== 640) faults.spacing.push(...(await withStyles(tab, SPACING, cutTexts)));
    if (width === 1280) faults.enlarged.push(...(await withFontSize(tab, 32, cutTexts)));
    if (width === 640) {
      faults.enlarged.push(...(await cutTexts()));
      const overflow = await overflowOf(tab);
      if (overflow > 0) faults.enlarged.push(`${overflow} pixels too wide at 200% zoom`);
    }
    // Browsers show the focus of a link or a button only after a key.
    await tab.press('Tab');
    await addFocusFaults();
  }
  for (const scheme of SCHEMES) {
    await look(tab, scheme, 1280);
    faults.fields.push(...(await tab.evaluate<string[]>(PALE_FIELDS)));
    if (scheme === 'dark') await addFocusFaults();
  }
  await look(tab, 'light', 1280);
  return faults;
}

/**
 * Presses Tab until every control had the focus.
 *
 * @returns the numbers of the controls that had the focus, in the order of the document, and how many there are
 */
export async function tabThrough(tab: Tab): Promise<{ readonly reached: number[]; readonly count: number }> {
  const count = await tab.evaluate<number>(`(() => {${HELPERS}
    document.activeElement?.blur();
    getSelection().setPosition(document.body, 0);
    window.tabStops = tabStops();
    return window.tabStops.length;
  })()`);
  const reached: number[] = [];
  for (let presses = 0; reached.length < count && presses < 3 * count; presses++) {
    await tab.press('Tab');
    const stop = await tab.evaluate<number>('window.tabStops.indexOf(document.activeElement)');
    // A field for a date has a stop for each part of the date.
    if (stop !== reached.at(-1)) reached.push(stop);
  }
  return { reached, count };
}
