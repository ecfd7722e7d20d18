/** The widget's texts in one language. */
export type Texts = {
  readonly label: string;
  readonly idle: string;
  readonly solving: string;
  readonly progress: string;
  readonly verified: string;
  readonly expired: string;
  readonly problems: { readonly [P in MessageKey]: string };
  /** Precedes the description from the server or the browser. */
  readonly reason: string;
};

/** Problems with a message of their own. */
type MessageKey =
  | 'service-unreachable'
  | 'service-busy'
  | 'puzzle-refused'
  | 'puzzle-malformed'
  | 'not-set-up'
  | 'solver-broken'
  | 'device-slow';

/** Problems with the message of `not-set-up`. */
const SETUP_PROBLEMS = ['sitekey-missing', 'endpoint-malformed', 'policy-blocks'] as const;

type SetupProblem = (typeof SETUP_PROBLEMS)[number];

/** Reason why a check failed. */
export type WidgetProblem = Exclude<MessageKey, 'not-set-up'> | SetupProblem;

/** @returns the message for a problem, and whether to add the reason, which helps the owner of the website */
export function messageFor(
  problem: WidgetProblem,
  { problems }: Texts,
): { text: string; wantsReason: boolean } {
  const isSetup = (SETUP_PROBLEMS as readonly string[]).includes(problem);
  const key = isSetup ? 'not-set-up' : (problem as MessageKey);
  return { text: problems[key], wantsReason: isSetup || problem === 'puzzle-refused' };
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
    'puzzle-refused': 'The verification service rejected this page. Please tell the owner of this website.',
    'puzzle-malformed':
      'The verification service sent an invalid response. Reload the page, then press to try again.',
    'not-set-up': 'This check is not set up correctly. Please tell the owner of this website.',
    'solver-broken': 'Your browser could not run the check. Reload the page or try another browser.',
    'device-slow':
      'The check took too long on this device. Close other programs or tabs, then press to try again.',
  },
  reason: 'Reason:',
};

/** A language and its texts. */
export type Language = {
  /** BCP 47. */
  readonly tag: string;
  readonly dir: 'ltr' | 'rtl';
  readonly texts: Texts;
};

/** The only language in the script; all others are in `static/languages.json`. */
export const ENGLISH: Language = { tag: 'en', dir: 'ltr', texts: en };

/** Aliases in lowercase: obsolete tags, closely related languages, and regions that imply a script. */
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
 * Language lookup according to RFC 4647, section 3.4: each wanted tag is shortened from its end until it matches, before the next
 * one is tried.
 *
 * @param wanted BCP 47 tags in order of preference; empty ones are ignored
 * @param tags available languages other than English
 * @returns the tag of an available language
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

/** Removes the last subtag, and a single-letter subtag before it (RFC 4647, section 3.4). */
function shortened(parts: readonly string[]): string[] {
  const end = parts.length - 1;
  return parts.slice(0, parts[end - 1]?.length === 1 ? end - 1 : end);
}
