import { loadScript } from './buildFiles.ts';
import { log } from './console.ts';
import { endpointOf } from './endpoint.ts';
import type { ExtrasPart, SolverName } from './fileParts.ts';
import type { Replay } from './holdSubmit.ts';
import type { SolverPart } from './solvePuzzle.ts';

/** Set by `bundle.ts`: name and integrity of the script with what most visitors do not need. */
declare const POSTERN_EXTRAS_NAME: string;
declare const POSTERN_EXTRAS_INTEGRITY: string;

/** @param element of the widget, with the host of the files @throws if the script cannot be loaded */
export function loadExtras(element: HTMLElement): Promise<ExtrasPart> {
  return loadScript(POSTERN_EXTRAS_NAME, POSTERN_EXTRAS_INTEGRITY, endpointOf(element));
}

/** @param element of the widget, with the host of the files @throws if a script cannot be loaded */
export async function loadSolver(solver: SolverName, element: HTMLElement): Promise<SolverPart> {
  const extras = await loadExtras(element);
  return loadScript(...extras[solver], endpointOf(element));
}

/** Loads the function that sends a held submission. @throws if the script cannot be loaded */
export async function loadReplay(element: HTMLElement): Promise<Replay> {
  return (await loadExtras(element)).replay;
}

/** Reports a problem with the element's attributes. @see explain in ExtrasPart */
export type Report = (problem: string) => void;

/** Creates a function that writes to the console if the element has `data-debug="true"`. */
export function createReport(element: HTMLElement): Report {
  return (problem) => {
    if (element.dataset.debug !== 'true') return;
    void loadExtras(element).then(
      ({ explain }) => explain(element, problem),
      (cause) => log(`${cause}`),
    );
  };
}
