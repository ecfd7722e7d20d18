import { solutionOf } from './forms.js';
import { loadPostern, type PosternSource } from './load.js';
import type { PosternError, PosternEvents, PosternOptions } from './postern.js';

/** Callbacks for the events of a widget. */
export interface PosternCallbacks {
  /** The field contains a solution. */
  readonly onFinish?: ((solution: string) => void) | undefined;
  /** The check failed, or the script could not be loaded (`script-unavailable`). */
  readonly onError?: ((error: PosternError) => void) | undefined;
  /** The field was emptied; `expired` is true if the puzzle expired. */
  readonly onReset?: ((expired: boolean) => void) | undefined;
}

/** The properties of every component. */
export interface PosternProps extends PosternSource, PosternOptions, PosternCallbacks {
  readonly sitekey: string;
}

/** The methods of a component. */
export interface PosternConnection {
  /** Returns the solution. Starts the check if necessary; empty if it fails. */
  solve(): Promise<string>;
  /** Empties the field. */
  reset(): void;
}

/** The names of all options. */
export const OPTION_NAMES = [
  'sitekey',
  'puzzleEndpoint',
  'solutionField',
  'debug',
  'lang',
  'startMode',
  'displayMode',
  'theme',
  'branding',
  'privacyUrl',
  'styles',
  'storeVariable',
  'holdSubmit',
  'refreshExpired',
  'initCallback',
  'startedCallback',
  'finishedCallback',
  'erroredCallback',
  'resetCallback',
] as const satisfies readonly (keyof PosternOptions)[];

const attributeOf = (option: string) => `data-${option.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

/** @returns the attributes of a widget's element that correspond to the options, without those that are not set */
export function attributesOf(options: PosternOptions): Readonly<Record<string, string>> {
  const set = OPTION_NAMES.filter((name) => options[name] !== undefined && options[name] !== null);
  return Object.fromEntries(set.map((name) => [attributeOf(name), `${options[name]}`]));
}

/**
 * Loads the script, turns an element into a widget, and resets the widget whenever an attribute changes.
 *
 * @param props called whenever they are needed, so that the callbacks are the current ones
 * @returns the connection; call `disconnect` when the element is removed
 */
export function connect(
  element: HTMLElement,
  props: () => PosternSource & PosternCallbacks,
): PosternConnection & { disconnect(): void } {
  let isConnected = true;
  const onFinish = ({ detail }: PosternEvents['postern:finish']) => props().onFinish?.(detail.solution);
  const onError = ({ detail }: PosternEvents['postern:error']) => props().onError?.(detail);
  const onReset = ({ detail }: PosternEvents['postern:reset']) => props().onReset?.(detail.expired === true);
  element.addEventListener('postern:finish', onFinish);
  element.addEventListener('postern:error', onError);
  element.addEventListener('postern:reset', onReset);
  const reset = () => window.postern?.reset(element);
  const observer = new MutationObserver(reset);
  observer.observe(element, { attributeFilter: OPTION_NAMES.map(attributeOf) });
  const rendered = loadPostern(props()).then((api) => (isConnected ? api.render(element) : undefined));
  rendered.catch((cause: Error) => {
    if (isConnected) props().onError?.({ problem: 'script-unavailable', reason: cause.message, status: 0 });
  });
  return {
    solve: () =>
      rendered.then(
        (widget) => (widget ? solutionOf(widget) : ''),
        () => '',
      ),
    reset,
    disconnect() {
      isConnected = false;
      observer.disconnect();
      element.removeEventListener('postern:finish', onFinish);
      element.removeEventListener('postern:error', onError);
      element.removeEventListener('postern:reset', onReset);
    },
  };
}
