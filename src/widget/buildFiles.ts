import type { SolverProgram } from './openThread.ts';
import { scriptUrl } from './scriptUrl.ts';

/** Set by `bundle.ts`: the folder of the script's other files, relative to the script's URL. */
declare const POSTERN_FILES: string;

/**
 * Tries the file's URL next to the script and, if that fails or the script's URL is unknown, its URL on the host that serves puzzles.
 *
 * @param endpoint the URL of puzzles, if it is valid
 * @returns the first result @throws the last failure
 */
async function tryUrls<T>(
  name: string,
  endpoint: string | undefined,
  load: (url: string) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  for (const [path, base] of [
    [POSTERN_FILES + name, scriptUrl],
    [`/widget/${name}`, endpoint],
  ] as const) {
    try {
      return await load(new URL(path, base).href);
    } catch (cause) {
      failure = cause;
    }
  }
  throw failure;
}

/** Fetches a file of this build, without cookies and referrer. @throws if no URL responds with the file */
export function fetchFile(name: string, endpoint: string | undefined, init?: RequestInit): Promise<Response> {
  return tryUrls(name, endpoint, async (url) => {
    const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', ...init });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response;
  });
}

/** Runs a script of this build that defines a solver. @throws if no URL responds with this script */
export function loadSolver(
  name: string,
  integrity: string,
  endpoint: string | undefined,
): Promise<SolverProgram> {
  return tryUrls(
    name,
    endpoint,
    (url) =>
      new Promise((resolve, reject) => {
        const script = document.createElement('script');
        script.integrity = integrity;
        script.crossOrigin = 'anonymous';
        script.referrerPolicy = 'no-referrer';
        script.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
        script.onload = () => resolve((window as unknown as { posternSolver: SolverProgram }).posternSolver);
        script.onerror = () => reject(new Error(`${url} did not load`));
        setSource(script, url);
        (document.head ?? document.documentElement).append(script);
        // Loading continues.
        script.remove();
      }),
  );
}

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
};

/** Pages that require trusted types reject plain text. */
function setSource(script: HTMLScriptElement, url: string): void {
  try {
    script.src = url;
  } catch {
    const { trustedTypes } = window as unknown as { trustedTypes: TrustedTypes };
    const policy = trustedTypes.createPolicy('postern', { createScriptURL: (text) => text });
    script.src = policy.createScriptURL(url);
  }
}
