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
