/** What the widget says. */
export type Texts = {
  readonly label: string;
  readonly idle: string;
  readonly solving: string;
  readonly progress: string;
  readonly verified: string;
  readonly expired: string;
  readonly problems: { readonly [P in WordedProblem]: string };
  /** Put before what the server or the browser says of the matter. */
  readonly reason: string;
};

/** Problems with words of their own. */
type WordedProblem =
  | 'service-unreachable'
  | 'service-busy'
  | 'puzzle-refused'
  | 'puzzle-malformed'
  | 'not-set-up'
  | 'solver-broken'
  | 'device-slow';

/** For these the words are those of `not-set-up`, with the reason. */
const SETUP_PROBLEMS = ['sitekey-missing', 'endpoint-malformed', 'policy-blocks'] as const;

type SetupProblem = (typeof SETUP_PROBLEMS)[number];

/** Why the check did not come to its end. */
export type WidgetProblem = Exclude<WordedProblem, 'not-set-up'> | SetupProblem;

/** What is said of a problem, and whether the reason helps those who see it: they tell the owner of the site. */
export function wordsFor(
  problem: WidgetProblem,
  { problems }: Texts,
): { text: string; wantsReason: boolean } {
  const isSetup = (SETUP_PROBLEMS as readonly string[]).includes(problem);
  const worded = isSetup ? 'not-set-up' : (problem as WordedProblem);
  return { text: problems[worded], wantsReason: isSetup || problem === 'puzzle-refused' };
}

const en: Texts = {
  label: 'I am human',
  idle: 'Press to start a short check',
  solving: 'Checking…',
  progress: 'Progress of the check',
  verified: 'Verified',
  expired: 'The check expired and will be repeated',
  problems: {
    'service-unreachable':
      'The verification service could not be reached. Check your connection, then press to try again.',
    'service-busy': 'The verification service is busy. Wait a moment, then press to try again.',
    'puzzle-refused': 'The verification service refused this page. Please tell the owner of this site.',
    'puzzle-malformed':
      'The verification service gave an unknown answer. Reload the page, then press to try again.',
    'not-set-up': 'This check is not set up correctly. Please tell the owner of this site.',
    'solver-broken': 'Your browser could not run the check. Reload the page or try another browser.',
    'device-slow':
      'The check took too long on this device. Close other programs or tabs, then press to try again.',
  },
  reason: 'Reason:',
};

/** Texts and how to write them. */
export type Language = {
  /** As in `lang` attributes. */
  readonly tag: string;
  readonly dir: 'ltr' | 'rtl';
  readonly texts: Texts;
};

/** The one language inside of the script; all others are in `static/languages.json`. */
export const ENGLISH: Language = { tag: 'en', dir: 'ltr', texts: en };

/** Other names of languages, in lower case: old ones, near relatives, and where a region means a script. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['zh-tw', 'zh-hant'],
  ['zh-hk', 'zh-hant'],
  ['zh-mo', 'zh-hant'],
  ['yue', 'zh-hant'],
  ['no', 'nb'],
  ['nn', 'nb'],
  ['iw', 'he'],
  ['in', 'id'],
  ['tl', 'fil'],
  ['prs', 'fa'],
  ['sh', 'sr-latn'],
  ['cnr', 'sr-latn'],
  ['sr-me', 'sr-latn'],
]);

/**
 * The best language there is, by RFC 4647, section 3.4 ("lookup"): each wanted tag is shortened from its end until there
 * are texts for it, before the next one has its turn.
 *
 * @param wanted BCP 47 tags, the dearest first; empty ones say nothing
 * @param tags the languages there are, beside English
 */
export function languageFor(wanted: readonly string[], tags: readonly string[]): string {
  const known = [ENGLISH.tag, ...tags];
  for (const tag of wanted) {
    for (let parts = tag.trim().toLowerCase().split('-'); parts.length > 0; parts = shortened(parts)) {
      const range = parts.join('-');
      const name = ALIASES.get(range) ?? range;
      const found = known.find((one) => one.toLowerCase() === name);
      if (found !== undefined) return found;
    }
  }
  return ENGLISH.tag;
}

/** Without the last part, nor a single letter before it, which only announced it. */
function shortened(parts: readonly string[]): string[] {
  const end = parts.length - 1;
  return parts.slice(0, parts[end - 1]?.length === 1 ? end - 1 : end);
}
