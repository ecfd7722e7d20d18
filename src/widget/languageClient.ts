import { ENGLISH, type Language, languageFor } from './i18n.ts';

/** What `bundle.ts` knows of `static/languages.json`: its version, then the tags in it, a space between each two. */
declare const POSTERN_LANGUAGES: string;

const fetched = new Map<string, Promise<Language>>();

/**
 * Shows the texts in the language of the element, at once or when their file has come; until then, and without it, in
 * those that it had, at first English: nothing waits for this, and nothing fails by it.
 */
export function createTranslate(element: HTMLElement, scriptUrl: string, show: (language: Language) => void) {
  let wanted = '';
  let shown = '';
  function take(language: Language): void {
    // Another one may have been chosen meanwhile.
    if (language.tag !== wanted) return;
    shown = wanted;
    show(language);
  }
  show(ENGLISH);
  return () => {
    const [version, ...tags] = POSTERN_LANGUAGES.split(' ');
    wanted = languageFor(wantedBy(element), tags);
    if (wanted === shown) return;
    if (wanted === ENGLISH.tag) take(ENGLISH);
    else languageAt(wanted, `lang/${wanted}.${version}.json`, scriptUrl).then(take, () => {});
  };
}

/** Fetched once for all widgets of a page; after a failure the next widget tries again. */
function languageAt(tag: string, path: string, scriptUrl: string): Promise<Language> {
  const known = fetched.get(tag);
  if (known !== undefined) return known;
  const asked = ask(tag, path, scriptUrl);
  fetched.set(tag, asked);
  asked.catch(() => fetched.delete(tag));
  return asked;
}

async function ask(tag: string, path: string, scriptUrl: string): Promise<Language> {
  const response = await fetch(new URL(path, scriptUrl).href, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { dir, texts } = await response.json();
  const problems = { ...ENGLISH.texts.problems, ...texts.problems };
  return { tag, dir, texts: { ...ENGLISH.texts, ...texts, problems } };
}

/** `data-lang`; else the language of the page around the element, then what the visitor reads. */
function wantedBy(element: HTMLElement): readonly string[] {
  const chosen = element.dataset.lang;
  if (chosen && chosen !== 'auto') return [chosen];
  return [languageAround(element), ...(navigator.languages ?? [navigator.language])];
}

function languageAround(element: Element): string {
  const marked = element.closest('[lang]');
  if (marked !== null) return marked.getAttribute('lang') ?? '';
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? languageAround(root.host) : '';
}
