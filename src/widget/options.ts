type OptionName =
  | 'sitekey'
  | 'puzzleEndpoint'
  | 'solutionField'
  | 'debug'
  | 'lang'
  | 'startMode'
  | 'displayMode'
  | 'theme'
  | 'styles'
  | 'storeVariable'
  | 'initCallback'
  | 'startedCallback'
  | 'finishedCallback'
  | 'erroredCallback'
  | 'resetCallback';

/** What a page hands to `render` and `reset`: the attributes in camelCase. They are written over the attributes. */
export type Options = { readonly [name in OptionName]?: string | boolean };

/** @throws where a name is no word in camelCase */
export function writeOptions(element: HTMLElement, options: Options | null): void {
  // As a listener `reset` gets an event.
  if (options instanceof Event) return;
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined && value !== null) element.dataset[name] = String(value);
  }
}

/** What some attributes may say; the first is what they say by default. */
const CHOICES = {
  startMode: ['auto', 'click', 'load'],
  displayMode: ['widget', 'popup', 'hidden', 'inline'],
  theme: ['light', 'dark', 'auto'],
} as const;

/**
 * What the element's attribute says.
 *
 * @param complain hears of a word that means nothing; then the default holds
 */
export function choiceOf<Name extends keyof typeof CHOICES>(
  element: HTMLElement,
  name: Name,
  complain: (message: string) => void = () => undefined,
): (typeof CHOICES)[Name][number] {
  const said = element.dataset[name];
  const choices: readonly (typeof CHOICES)[Name][number][] = CHOICES[name];
  const found = choices.find((choice) => choice === said);
  if (said && found === undefined) complain(`${name} "${said}" is none of ${choices.join(', ')}`);
  return found ?? CHOICES[name][0];
}

type PageFunction = (...parts: readonly unknown[]) => unknown;

/** A function of the page by its path from `window` (`shop.captcha.done`), bound to its owner. */
export function functionAt(path: string): PageFunction | undefined {
  let owner: unknown;
  let found: unknown = window;
  for (const step of path.split('.')) {
    owner = found;
    found = (found as { readonly [name: string]: unknown } | undefined | null)?.[step];
  }
  return typeof found === 'function' ? found.bind(owner) : undefined;
}
