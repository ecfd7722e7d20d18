import type { DisplayMode } from './displayMode.ts';
import type { SolverPart } from './solvePuzzle.ts';

/**
 * The parts of the widget that are in files of their own, because most pages do not need them. `bundle.ts` minifies each file on its
 * own, so the names in these types must not be among those that it shortens.
 */
export type FilePart = SolverPart | ExtrasPart;

/** The options that most pages do not use, and the table of the scripts that solve puzzles. */
export type ExtrasPart = {
  /**
   * Adds the display modes `popup` and `inline` and the privacy link to a widget.
   *
   * @param report called if the URL is invalid
   * @returns a function that applies the options in a state. `privacyUrl` is empty for no link
   */
  readonly connect: (
    host: HTMLElement,
    root: ShadowRoot,
    report: (name: string, value: string) => void,
  ) => (mode: DisplayMode, state: string, privacyUrl: string) => void;
  /** Describes an invalid option. */
  readonly describe: (name: string, value: string) => string;
} & { readonly [solver in SolverName]: readonly [name: string, integrity: string] };

/** `fallback`: for browsers that do not support the kernel with SIMD, or workers; `argon2id`: for argon2id puzzles. */
export type SolverName = 'fallback' | 'argon2id';

/** To be called by a file, once. */
export function definePart(posternPart: FilePart): void {
  Object.assign(window, { posternPart });
}
