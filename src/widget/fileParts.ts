import type { ReadRejection } from './client.ts';
import type { Replay } from './holdSubmit.ts';
import type { RareTexts, Texts } from './i18n.ts';
import type { OpenPool } from './pool.ts';
import type { SolverPart } from './solvePuzzle.ts';

/**
 * The parts of the widget that are in files of their own, because most pages do not need them. `minify.ts` minifies each file
 * separately, so it must not shorten the names in these types, except those in `SHARED_NAMES`.
 */
export type FilePart = CreateSolver | ExtrasPart;

/** @param openPool of the script, so that the files do not contain it */
export type CreateSolver = (openPool: OpenPool) => SolverPart;

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
  /** The scripts that solve puzzles, by challenge. That for BLAKE2b is for browsers that do not support the kernel with SIMD, or workers. */
  readonly solvers: readonly (readonly [name: string, integrity: string])[];
};

/** To be called by a file, once. */
export function definePart(posternPart: FilePart): void {
  Object.assign(window, { posternPart });
}
