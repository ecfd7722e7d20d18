import { endpointOf, fetchJson, scriptUrl } from './buildFiles.ts';
import { ENGLISH, type Language } from './i18n.ts';
import { parentOf } from './visibility.ts';

/** Set by `bundle.ts`: the version of `static/languages.json`. */
declare const POSTERN_LANGUAGES: string;

/**
 * Shows the texts in the language of the element as soon as they are loaded. Until then, or if loading fails, the texts are English.
 *
 * @returns a function that checks the language of the element again
 */
export function createTranslate(element: HTMLElement, show: (language: Language) => void) {
  let wanted = '';
  show(ENGLISH);
  return async () => {
    const tags = wantedLanguages(element);
    const current = tags.join();
    if (wanted === current) return;
    wanted = current;
    const language = await findLanguage(tags, scriptUrl ? undefined : endpointOf(element));
    // The language may have changed while the texts were loading.
    if (wanted === current) show(language);
  };
}

/** @returns the first language that is available. The server knows which languages match a tag */
async function findLanguage(tags: readonly string[], endpoint: string | undefined): Promise<Language> {
  for (const tag of tags) {
    if (/^en(-|$)/i.test(tag)) return ENGLISH;
    if (!/^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(tag)) continue;
    try {
      const file = `lang/${tag}.${POSTERN_LANGUAGES}.json`;
      // Without texts if the server does not have the language.
      const language = await fetchJson<Language | { readonly texts?: undefined }>(file, endpoint);
      if (language.texts) return language;
    } catch {
      break;
    }
  }
  return ENGLISH;
}

/** @returns `data-lang`, or the language of the element's ancestors followed by the browser's languages */
function wantedLanguages(element: HTMLElement): readonly string[] {
  const chosen = element.dataset.lang;
  if (chosen && chosen !== 'auto') return [chosen];
  return [ancestorLanguage(element), ...navigator.languages];
}

function ancestorLanguage(element: Element | null): string {
  return element ? (element.getAttribute('lang')?.trim() ?? ancestorLanguage(parentOf(element))) : '';
}
