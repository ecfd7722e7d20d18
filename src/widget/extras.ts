import { loadScript } from './buildFiles.ts';
import { log } from './console.ts';
import { endpointOf } from './endpoint.ts';
import type { ExtrasPart, SolverName } from './fileParts.ts';
import type { SolverPart } from './solvePuzzle.ts';

/** Set by `bundle.ts`: name and integrity of the script with what most visitors do not need. */
declare const POSTERN_EXTRAS_NAME: string;
declare const POSTERN_EXTRAS_INTEGRITY: string;

/** @param endpoint the URL of puzzles, if it is valid @throws if the script cannot be loaded */
export function loadExtras(endpoint: string | undefined): Promise<ExtrasPart> {
  return loadScript(POSTERN_EXTRAS_NAME, POSTERN_EXTRAS_INTEGRITY, endpoint);
}

/** @param endpoint the URL of puzzles, if it is valid @throws if a script cannot be loaded */
export async function loadSolver(solver: SolverName, endpoint: string | undefined): Promise<SolverPart> {
  const extras = await loadExtras(endpoint);
  return loadScript(...extras[solver], endpoint);
}

/** Reports a problem with the element's attributes. @see explain in ExtrasPart */
export type Report = (problem: string) => void;

/** Creates a function that writes to the console if the element has `data-debug="true"`. */
export function createReport(element: HTMLElement): Report {
  return (problem) => {
    if (element.dataset.debug !== 'true') return;
    void loadExtras(endpointOf(element)).then(
      ({ explain }) => explain(element, problem),
      (cause) => log(`${cause}`),
    );
  };
}
