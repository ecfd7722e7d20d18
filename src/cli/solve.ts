import { reasonOf } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { SOLVABLE_VERSION, solveNatively } from '../server/nativeSolver.ts';
import { type Command, CommandError } from './command.ts';
import { parseWebUrl, requireOption } from './options.ts';
import { printRow } from './output.ts';

/** The time limit for the puzzle request. */
const TIMEOUT = 10 * SECOND;

/** `postern solve`. */
export const solve: Command = {
  name: 'solve',
  usage: '--url BASE_URL --sitekey K --origin https://example.com',
  summary: 'Fetches a puzzle from a running server, as a web page does, and solves it.',
  options: {
    url: 'Public URL of the server.',
    sitekey: 'Sitekey of the property.',
    origin: 'Origin of a page of the property.',
  },
  example:
    'postern solve --url https://captcha.example.com --sitekey aea467bc315688bf55ff632df525dda8 --origin https://example.com',
  async run(context) {
    const base = parseWebUrl('url', requireOption(context, 'url'));
    const url = `${base}/puzzle?sitekey=${encodeURIComponent(requireOption(context, 'sitekey'))}`;
    const solved = await solveNatively(await fetchPuzzle(url, requireOption(context, 'origin')));
    if (solved === undefined)
      throw new CommandError(`${url} did not return a puzzle that this command supports`);
    const { payload: solution, attempts, elapsedMs } = solved;
    // Prints only the solution, so that it can be piped into a request.
    if (!context.isJson) context.out(solution);
    else printRow(context, { solution, attempts, elapsed_ms: elapsedMs });
    return 0;
  },
};

async function fetchPuzzle(url: string, origin: string): Promise<string> {
  try {
    const headers = { Origin: origin, 'X-PC-Captcha-Version': String(SOLVABLE_VERSION) };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT) });
    const text = await response.text();
    if (response.ok) return text;
    throw new CommandError(`${url} returned HTTP ${response.status}: ${describeError(text)}`);
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`cannot fetch a puzzle from ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/** @returns the description in the envelope, or the first characters of a response in another format */
function describeError(text: string): string {
  try {
    const { meta } = JSON.parse(text) as { meta?: { code?: unknown; description?: unknown } };
    if (typeof meta?.description === 'string') return `${meta.description} (code ${meta.code})`;
  } catch {
    // Not JSON, for example the error page of a proxy.
  }
  return text.slice(0, 200);
}
