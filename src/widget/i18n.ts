/** The widget's texts in one language. They are meant for visitors: technical reasons are in events and in the console. */
export type Texts = {
  readonly label: string;
  readonly idle: string;
  readonly solving: string;
  readonly progress: string;
  readonly verified: string;
  readonly expired: string;
  readonly 'service-unreachable': string;
} & Partial<RareTexts>;

/** Texts that most visitors never see. The files of all other languages contain them; the English ones are in `RARE_ENGLISH`. */
export type RareTexts = {
  /** The link to the website's privacy policy. */
  readonly privacy: string;
  /** The puzzle expired, and the check does not start again automatically. */
  readonly 'expired-manual': string;
  /** The message of all problems without a message of their own, because visitors cannot solve them. */
  readonly unavailable: string;
} & { readonly [P in Exclude<VisitorProblem, 'service-unreachable'>]: string };

/** Problems with a message of their own, because visitors may be able to solve them. */
type VisitorProblem = 'service-unreachable' | 'service-busy' | 'solver-broken' | 'device-slow';

/** Reason why a check failed. */
export type WidgetProblem =
  | VisitorProblem
  | 'puzzle-denied'
  | 'puzzle-malformed'
  | 'sitekey-missing'
  | 'endpoint-malformed'
  | 'policy-blocks';

/** A language and its texts. */
export type Language = {
  /** BCP 47. */
  readonly tag: string;
  readonly dir: 'ltr' | 'rtl';
  readonly texts: Texts;
};

/** The only language in the script; all others are in `static/languages.json`. */
export const ENGLISH: Language = {
  tag: 'en',
  dir: 'ltr',
  texts: {
    label: 'I am human',
    idle: 'Press to start a short check',
    solving: 'Checking…',
    progress: 'Progress of the check',
    verified: 'Verified',
    expired: 'The check expired and will be repeated',
    'service-unreachable': 'The check could not be reached. Check your connection, then press to try again.',
  },
};

/** The other English texts, which are in `extras.js`. */
export const RARE_ENGLISH: RareTexts = {
  privacy: 'Privacy',
  'expired-manual': 'Expired. Press to start again.',
  unavailable: 'This check is not available right now. Reload the page.',
  'service-busy': 'The check is busy right now. Wait a moment, then press to try again.',
  'solver-broken': 'Your browser could not run the check. Reload the page or try another browser.',
  'device-slow':
    'The check took too long on this device. Close other programs or tabs, then press to try again.',
};
