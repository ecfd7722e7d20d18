import { fetchFile } from './buildFiles.ts';
import { endpointOf } from './endpoint.ts';
import { ENGLISH, type Language } from './i18n.ts';
import { scriptUrl } from './scriptUrl.ts';
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
      const language = await loadLanguage(tag, endpoint);
      if (language.texts) return language;
    } catch {
      break;
    }
  }
  return ENGLISH;
}

/** @returns an object without texts if the server does not have the language */
function loadLanguage(
  wanted: string,
  endpoint: string | undefined,
): Promise<Language | { readonly texts?: undefined }> {
  return fetchFile(`lang/${wanted}.${POSTERN_LANGUAGES}.json`, endpoint, (response) => response.json());
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
