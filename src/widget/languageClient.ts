import { ENGLISH, type Language, languageFor } from './i18n.ts';

/** Set by `bundle.ts`: the version of `static/languages.json` and its tags, separated by spaces. */
declare const POSTERN_LANGUAGES: string;
/** Set by `bundle.ts`: the folder of the kernels and languages, relative to the script's URL. */
declare const POSTERN_FILES: string;

const fetched = new Map<string, Promise<Language>>();

/**
 * Shows the texts in the language of the element as soon as they are loaded. Until then, or if loading fails, the current texts
 * remain, which are English at first.
 *
 * @returns a function that checks the language of the element again
 */
export function createTranslate(element: HTMLElement, scriptUrl: string, show: (language: Language) => void) {
  let wanted = '';
  let shown = '';
  function apply(language: Language): void {
    // The language may have changed while the texts were loading.
    if (language.tag !== wanted) return;
    shown = wanted;
    show(language);
  }
  show(ENGLISH);
  return () => {
    const [version, ...tags] = POSTERN_LANGUAGES.split(' ');
    wanted = languageFor(wantedLanguages(element), tags);
    if (wanted === shown) return;
    if (wanted === ENGLISH.tag) apply(ENGLISH);
    else
      loadLanguage(wanted, `${POSTERN_FILES}lang/${wanted}.${version}.json`, scriptUrl).then(apply, () => {});
  };
}

/** Loads a language once for all widgets of a page. After a failure, the next widget tries again. */
function loadLanguage(tag: string, path: string, scriptUrl: string): Promise<Language> {
  const known = fetched.get(tag);
  if (known !== undefined) return known;
  const loading = load(tag, path, scriptUrl);
  fetched.set(tag, loading);
  loading.catch(() => fetched.delete(tag));
  return loading;
}

async function load(tag: string, path: string, scriptUrl: string): Promise<Language> {
  const response = await fetch(new URL(path, scriptUrl).href, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { dir, texts } = await response.json();
  const problems = { ...ENGLISH.texts.problems, ...texts.problems };
  return { tag, dir, texts: { ...ENGLISH.texts, ...texts, problems } };
}

/** @returns `data-lang`, or the language of the element's ancestors followed by the browser's languages */
function wantedLanguages(element: HTMLElement): readonly string[] {
  const chosen = element.dataset.lang;
  if (chosen && chosen !== 'auto') return [chosen];
  return [ancestorLanguage(element), ...(navigator.languages ?? [navigator.language])];
}

function ancestorLanguage(element: Element): string {
  const marked = element.closest('[lang]');
  if (marked !== null) return marked.getAttribute('lang') ?? '';
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? ancestorLanguage(root.host) : '';
}
