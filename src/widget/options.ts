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

/**
 * Sets the element's attributes.
 *
 * @param written gets the options that are set
 * @returns `written` @throws if a name is not in camelCase
 */
export function writeOptions(
  { dataset }: HTMLElement,
  options: Options | DOMStringMap | null,
  written: DOMStringMap = {},
): DOMStringMap {
  // The page may use `reset` as an event listener.
  if (options instanceof Event) return written;
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined && value !== null) written[name] = dataset[name] = `${value}`;
  }
  return written;
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
