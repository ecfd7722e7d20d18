type OptionName =
  | 'sitekey'
  | 'puzzleEndpoint'
  | 'solutionField'
  | 'debug'
  | 'lang'
  | 'startMode'
  | 'displayMode'
  | 'theme'
  | 'branding'
  | 'privacyUrl'
  | 'styles'
  | 'storeVariable'
  | 'holdSubmit'
  | 'refreshExpired'
  | 'initCallback'
  | 'startedCallback'
  | 'finishedCallback'
  | 'erroredCallback'
  | 'resetCallback';

/** Options of `render` and `reset`: attributes in camelCase. They replace the element's attributes. */
export type Options = { readonly [name in OptionName]?: string | boolean };

/** @throws if a name is not in camelCase */
export function writeOptions(element: HTMLElement, options: Options | null): void {
  // The page may use `reset` as an event listener.
  if (options instanceof Event) return;
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined && value !== null) element.dataset[name] = String(value);
  }
}

/** Allowed values of some attributes; the first one is the default. */
export const CHOICES = {
  startMode: ['auto', 'click', 'load'],
  displayMode: ['widget', 'popup', 'hidden', 'inline'],
  theme: ['light', 'dark', 'auto'],
  branding: ['logo', 'name', 'none'],
} as const;

/**
 * @param report called if the value is invalid
 * @returns the value of the element's attribute; the default if it is absent or invalid
 */
export function choiceOf<Name extends keyof typeof CHOICES>(
  element: HTMLElement,
  name: Name,
  report: (name: string, value: string) => void = () => undefined,
): (typeof CHOICES)[Name][number] {
  const value = element.dataset[name];
  const choices: readonly (typeof CHOICES)[Name][number][] = CHOICES[name];
  const found = choices.find((choice) => choice === value);
  if (value && found === undefined) report(name, value);
  return found ?? CHOICES[name][0];
}

type PageFunction = (...args: readonly unknown[]) => unknown;

/** @param path from `window`, such as `shop.captcha.done` @returns the function, bound to its owner */
export function functionAt(path: string): PageFunction | undefined {
  let owner: unknown;
  let found: unknown = window;
  for (const step of path.split('.')) {
    owner = found;
    found = (found as { readonly [name: string]: unknown } | undefined | null)?.[step];
  }
  return typeof found === 'function' ? found.bind(owner) : undefined;
}
