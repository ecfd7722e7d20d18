/** What the widget says. */
export type Texts = {
  readonly label: string;
  readonly idle: string;
  readonly solving: string;
  readonly progress: string;
  readonly verified: string;
  readonly expired: string;
  readonly problems: { readonly [P in WidgetProblem]: string };
  /** Put before what the server or the browser says of the matter. */
  readonly reason: string;
};

/** Why the check did not come to its end. */
export type WidgetProblem =
  | 'service-unreachable'
  | 'service-busy'
  | 'puzzle-refused'
  | 'puzzle-malformed'
  | 'sitekey-missing'
  | 'endpoint-malformed'
  | 'solver-broken'
  | 'device-slow';

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
    'sitekey-missing':
      'This check is not set up: its sitekey is missing. Please tell the owner of this site.',
    'endpoint-malformed':
      'This check is not set up: its address is not valid. Please tell the owner of this site.',
    'solver-broken': 'Your browser could not run the check. Reload the page or try another browser.',
    'device-slow':
      'The check took too long on this device. Close other programs or tabs, then press to try again.',
  },
  reason: 'Reason:',
};

/** English for everyone, so far; every text of the widget is in this table. */
export function textsOf(_language: string): Texts {
  return en;
}
