type OptionName =
  | 'sitekey'
  | 'puzzleEndpoint'
  | 'solutionField'
  | 'debug'
  | 'lang'
  | 'startMode'
  | 'finishedCallback';

/** What a page hands to `render` and `reset`: the attributes in camelCase. They are written over the attributes. */
export type Options = { readonly [name in OptionName]?: string };

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
