import { reasonOf } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { solveNatively } from '../server/nativeSolver.ts';
import { type Command, CommandError, requireOption, webUrl } from './command.ts';
import { showRow } from './output.ts';

/** How long a server may take to give a puzzle. */
const TIMEOUT = 10 * SECOND;

/** `postern solve`. */
export const solve: Command = {
  name: 'solve',
  usage: '--url BASE_URL --sitekey K --origin https://example.com',
  summary: 'Takes a puzzle from a running server as a page would, and solves it.',
  options: { url: { type: 'string' }, sitekey: { type: 'string' }, origin: { type: 'string' } },
  async run(context) {
    const base = webUrl('url', requireOption(context, 'url'));
    const url = `${base}/puzzle?sitekey=${encodeURIComponent(requireOption(context, 'sitekey'))}`;
    const solved = solveNatively(await fetchPuzzle(url, requireOption(context, 'origin')));
    if (solved === undefined)
      throw new CommandError(`${url} answered with no puzzle that this command solves`);
    const { payload: solution, attempts, elapsedMs } = solved;
    // The solution alone, so that it can be piped into a request.
    if (!context.isJson) context.out(solution);
    else showRow(context, { solution, attempts, elapsed_ms: elapsedMs });
    return 0;
  },
};

async function fetchPuzzle(url: string, origin: string): Promise<string> {
  try {
    const headers = { Origin: origin, 'X-PC-Captcha-Version': '1' };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT) });
    const text = await response.text();
    if (response.ok) return text;
    throw new CommandError(`${url} answered with HTTP ${response.status}: ${sentenceIn(text)}`);
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${url} gave no puzzle: ${reasonOf(cause)}`, { cause });
  }
}

/** The description in a refusal's envelope, or the beginning of whatever came instead. */
function sentenceIn(text: string): string {
  try {
    const { meta } = JSON.parse(text) as { meta?: { code?: unknown; description?: unknown } };
    if (typeof meta?.description === 'string') return `${meta.description} (code ${meta.code})`;
  } catch {
    // Not ours: a proxy's page, perhaps.
  }
  return text.slice(0, 200);
}
