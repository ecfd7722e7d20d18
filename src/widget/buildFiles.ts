import { log } from './console.ts';
import { urlOf } from './dom.ts';
import type { CreateSolver, ExtrasPart, FilePart } from './fileParts.ts';
import { openThreads } from './pageThreads.ts';
import type { SolverPart } from './solvePuzzle.ts';

/** Set by `bundle.ts`: a pattern for the path in the script's URL. */
declare const POSTERN_PATH: string;

/** The URL of this script; empty if it is unknown, for example because the page bundles the script. */
export const scriptUrl = findScriptUrl();

/** `document.currentScript` is null in modules. */
function findScriptUrl(): string {
  // An image with the name `currentScript` overrides the property.
  const { currentScript } = document;
  if (currentScript instanceof HTMLScriptElement) return currentScript.src;
  // A module that another module imports has no element, and browsers record only the first 250 files that a page loads.
  const known = [
    ...document.querySelectorAll<HTMLScriptElement>('script[src]'),
    ...performance.getEntries(),
  ].map((source) => (source as HTMLScriptElement).src ?? (source as PerformanceEntry).name);
  const called = new Error().stack?.match(/\w+:\/\/.+?(?=:\d+:\d+)/g) ?? [];
  const found = [...called, ...known].find(isOurs) ?? '';
  // The stack has no query in WebKit.
  return known.find((url) => url.startsWith(`${found}?`)) ?? found;
}

/** @returns whether the URL has the path of this script */
export function isOurs(url: string): boolean {
  return new RegExp(POSTERN_PATH).test(url);
}

/** @returns the URL of puzzles that the page chose, or `/puzzle` on the script's host; undefined if it is invalid */
export function endpointOf({ dataset: { puzzleEndpoint } }: HTMLElement): string | undefined {
  return puzzleEndpoint ? urlOf(puzzleEndpoint) : urlOf('/puzzle', scriptUrl);
}

/** Set by `bundle.ts`: the folder of the script's other files, relative to the script's URL. */
declare const POSTERN_FILES: string;

/**
 * The promises of files, by name, and the elements of scripts, by URL. WebKit reports that a script has loaded only if its element is
 * on the page or can be reached from another script. @see https://bugs.webkit.org/show_bug.cgi?id=305566
 */
const loading = new Map<string, unknown>();

/**
 * Loads a file of this build, once for all widgets of a page. Tries the file's URL next to the script and, if that fails or the
 * script's URL is unknown, its URL on the host that serves puzzles. After a failure, the next call tries again.
 *
 * @param endpoint the URL of puzzles, if it is valid
 * @throws the last failure
 */
function loadOnce<T>(
  name: string,
  endpoint: string | undefined,
  load: (url: string) => Promise<T>,
): Promise<T> {
  const known = loading.get(name) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const loadFrom = async (path: string, base: string | undefined) => load(new URL(path, base).href);
  const loaded = loadFrom(POSTERN_FILES + name, scriptUrl).catch(() => loadFrom(`/widget/${name}`, endpoint));
  loading.set(name, loaded);
  loaded.catch(() => loading.delete(name));
  return loaded;
}

/** Fetches a JSON file of this build, without cookies and referrer. @throws any value if no URL responds with the file, or if it is not JSON */
export function fetchJson<T>(name: string, endpoint: string | undefined): Promise<T> {
  return loadOnce(name, endpoint, async (url) => {
    const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer' });
    if (!response.ok) throw response;
    return response.json();
  });
}

type TrustedPolicy = { createScriptURL(url: string): string };
type TrustedTypes = { createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy };

let policy: TrustedPolicy | undefined;

/** Runs a script of this build. @returns the part that it defines @throws if no URL responds with this script */
function loadScript<Part extends FilePart>(
  name: string,
  integrity: string,
  endpoint: string | undefined,
): Promise<Part> {
  return loadOnce(
    name,
    endpoint,
    (url) =>
      new Promise((resolve, reject) => {
        const script = document.createElement('script');
        script.integrity = integrity;
        script.crossOrigin = 'anonymous';
        script.referrerPolicy = 'no-referrer';
        script.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
        // No other script runs between the script and this event.
        script.onload = () => resolve((window as unknown as { posternPart: Part }).posternPart);
        script.onerror = () => reject(new Error(`${url} did not load`));
        try {
          script.src = url;
        } catch {
          // Pages that require trusted types reject plain text. They may allow only one policy with this name.
          const { trustedTypes } = window as unknown as { trustedTypes: TrustedTypes };
          policy = policy ?? trustedTypes.createPolicy('postern', { createScriptURL: (text) => text });
          script.src = policy.createScriptURL(url);
        }
        // A page may have no head.
        document.documentElement.append(script);
        // Loading continues.
        script.remove();
        loading.set(url, script);
      }),
  );
}

/** Set by `bundle.ts`: name and integrity of the script with features that most visitors do not need. */
declare const POSTERN_EXTRAS_NAME: string;
declare const POSTERN_EXTRAS_INTEGRITY: string;

/** @param element of the widget, with the host of the files @throws if the script cannot be loaded */
export function loadExtras(element: HTMLElement): Promise<ExtrasPart> {
  return loadScript(POSTERN_EXTRAS_NAME, POSTERN_EXTRAS_INTEGRITY, endpointOf(element));
}

/** @param challenge of the puzzle @param element of the widget, with the host of the files @throws if a script cannot be loaded */
export async function loadSolver(challenge: number, element: HTMLElement): Promise<SolverPart> {
  const solver = (await loadExtras(element)).solvers[challenge] as readonly [name: string, integrity: string];
  const createSolver = await loadScript<CreateSolver>(...solver, endpointOf(element));
  return createSolver(openThreads);
}

/** Reports a problem with the element's attributes if it has `data-debug="true"`. @see explain in ExtrasPart */
export function report(element: HTMLElement, problem: string): void {
  if (element.dataset.debug === 'true')
    void loadExtras(element).then(
      ({ explain }) => explain(element, problem),
      (cause) => log(`${cause}`),
    );
}
