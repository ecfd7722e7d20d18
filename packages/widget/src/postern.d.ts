/** Types of the script `/widget/postern.js`: the global variable `postern`, its widgets, and their events. */

/** Options of a widget: its attributes in camelCase, such as `displayMode` for `data-display-mode`. */
export interface PosternOptions {
  readonly sitekey?: string | undefined;
  readonly puzzleEndpoint?: string | undefined;
  readonly solutionField?: string | undefined;
  readonly debug?: boolean | undefined;
  readonly lang?: string | undefined;
  readonly startMode?: 'auto' | 'click' | 'load' | undefined;
  readonly displayMode?: 'widget' | 'popup' | 'hidden' | 'inline' | undefined;
  readonly theme?: 'light' | 'dark' | 'auto' | undefined;
  readonly branding?: 'logo' | 'name' | 'none' | undefined;
  readonly privacyUrl?: string | undefined;
  readonly styles?: string | undefined;
  readonly storeVariable?: string | undefined;
  readonly holdSubmit?: boolean | undefined;
  readonly refreshExpired?: 'auto' | 'manual' | undefined;
  readonly initCallback?: string | undefined;
  readonly startedCallback?: string | undefined;
  readonly finishedCallback?: string | undefined;
  readonly erroredCallback?: string | undefined;
  readonly resetCallback?: string | undefined;
}

/** A widget. */
export interface PosternHandle {
  /** Returns the solution, or an empty string until the check is complete and after it expired. */
  solution(): string;
  /** Starts the check, as a click does. */
  execute(): void;
  /** Empties the field. The options replace the corresponding attributes. */
  reset(options?: PosternOptions): void;
  element(): HTMLElement;
  state(): 'idle' | 'solving' | 'verified' | 'expired' | 'failed';
}

/** The global variable `postern`. */
export interface PosternApi {
  /** The page's first widget. */
  readonly autoWidget: PosternHandle | undefined;
  /** Turns an element into a widget, once, and returns the widget. */
  render(element: HTMLElement, options?: PosternOptions | null): PosternHandle;
  /** Turns all elements with the class `postern-captcha` into widgets. */
  setup(): void;
  start(element: HTMLElement): void;
  reset(element: HTMLElement): void;
}

/** The reason why a check failed: `problem` is a fixed name, and `reason` is a message that may change. */
export interface PosternError {
  readonly problem: string;
  readonly reason: string;
  /** The HTTP status of the response to the request for a puzzle, or 0. */
  readonly status: number;
}

type PosternEvent<Details = unknown> = CustomEvent<
  { readonly widget: PosternHandle; readonly element: HTMLElement } & Details
>;

export interface PosternEvents {
  'postern:init': PosternEvent;
  'postern:start': PosternEvent;
  'postern:progress': PosternEvent<{ readonly percent: number }>;
  'postern:finish': PosternEvent<{ readonly solution: string }>;
  'postern:error': PosternEvent<PosternError>;
  'postern:reset': PosternEvent<{ readonly expired?: boolean }>;
}

declare global {
  interface Window {
    /** Undefined until the script is loaded. */
    readonly postern?: PosternApi;
  }
  interface GlobalEventHandlersEventMap extends PosternEvents {}
}
