import type { ReadRejection } from './client.ts';
import type { Replay } from './holdSubmit.ts';
import type { RareTexts, Texts } from './i18n.ts';
import type { SolverPart } from './solvePuzzle.ts';

/**
 * The parts of the widget that are in files of their own, because most pages do not need them. `minify.ts` minifies each file
 * separately, so it must not shorten the names in these types, except those in `SHARED_NAMES`.
 */
export type FilePart = SolverPart | ExtrasPart;

/** Everything that a successful check with the default options does not need, and the names of the scripts that solve puzzles. */
export type ExtrasPart = {
  /**
   * Adds the display modes `popup` and `inline` and the privacy link to a widget.
   *
   * @param host its attribute `data-mode` contains the mode
   * @returns a function that applies the options in a state. `privacyUrl` is empty for no link
   */
  readonly connect: (
    element: HTMLElement,
    host: HTMLElement,
    root: ShadowRoot,
  ) => (privacyUrl: string, state: string, texts: Texts) => void;
  /**
   * Writes a problem with an element to the console if the element has `data-debug="true"`.
   *
   * @param problem `options` checks the values of the attributes; `privacyUrl` or the name of a callback reports this attribute as
   *   invalid; `place` reports that the element is not on the page
   */
  readonly explain: (element: HTMLElement, problem: string) => void;
  readonly english: RareTexts;
  readonly readRejection: ReadRejection;
  readonly replay: Replay;
} & { readonly [solver in SolverName]: readonly [name: string, integrity: string] };

/** `fallback`: for browsers that do not support the kernel with SIMD, or workers; `argon2id`: for argon2id puzzles. */
export type SolverName = 'fallback' | 'argon2id';

/** To be called by a file, once. */
export function definePart(posternPart: FilePart): void {
  Object.assign(window, { posternPart });
}
