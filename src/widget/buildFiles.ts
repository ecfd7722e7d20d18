import type { FilePart } from './fileParts.ts';
import { scriptUrl } from './scriptUrl.ts';

/** Set by `bundle.ts`: the folder of the script's other files, relative to the script's URL. */
declare const POSTERN_FILES: string;

const loading = new Map<string, Promise<unknown>>();

/**
 * Loads a file of this build, once for all widgets of a page. Tries the file's URL next to the script and, if that fails or the
 * script's URL is unknown, its URL on the host that serves puzzles. After a failure, the next call tries again.
 *
 * @param endpoint the URL of puzzles, if it is valid
 * @returns the first result @throws the last failure
 */
function loadOnce<T>(
  name: string,
  endpoint: string | undefined,
  load: (url: string) => Promise<T>,
): Promise<T> {
  const known = loading.get(name) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const loaded = tryUrls(name, endpoint, load);
  loading.set(name, loaded);
  loaded.catch(() => loading.delete(name));
  return loaded;
}

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

/**
 * Fetches a file of this build, without cookies and referrer.
 *
 * @param read converts the response
 * @throws if no URL responds with the file, or if it cannot be read
 */
export function fetchFile<T>(
  name: string,
  endpoint: string | undefined,
  read: (response: Response) => Promise<T>,
  init?: RequestInit,
): Promise<T> {
  return loadOnce(name, endpoint, async (url) => {
    const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', ...init });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return read(response);
  });
}

/** Runs a script of this build. @returns the part that it defines @throws if no URL responds with this script */
export function loadScript<Part extends FilePart>(
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
        setSource(script, url);
        // A page may have no head.
        document.documentElement.append(script);
        // Loading continues.
        script.remove();
      }),
  );
}

type TrustedPolicy = { createScriptURL(url: string): string };
type TrustedTypes = { createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy };

let policy: TrustedPolicy | undefined;

/** Pages that require trusted types reject plain text. They may allow only one policy with this name. */
function setSource(script: HTMLScriptElement, url: string): void {
  try {
    script.src = url;
  } catch {
    const { trustedTypes } = window as unknown as { trustedTypes: TrustedTypes };
    policy = policy ?? trustedTypes.createPolicy('postern', { createScriptURL: (text) => text });
    script.src = policy.createScriptURL(url);
  }
}
