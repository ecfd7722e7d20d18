import { solvePuzzle } from '../../src/puzzle/solve.ts';
import { createBlake2b } from '../../src/server/blake2b.ts';

/** The requests of the widget and of a backend, without a browser. */

const hash = createBlake2b();

export async function fetchPuzzle(
  url: string,
  sitekey: string,
  origin = 'https://example.com',
): Promise<string> {
  const response = await fetch(`${url}/puzzle?sitekey=${sitekey}`, { headers: { Origin: origin } });
  const text = await response.text();
  if (!response.ok) throw new Error(`no puzzle: ${response.status} ${text}`);
  return text;
}

/** @returns the payload that solves the puzzle */
export function solve(puzzleText: string): string {
  const solved = solvePuzzle(puzzleText, hash, () => 0);
  if (solved === undefined) throw new Error('not a puzzle');
  return solved.payload;
}

export async function fetchAndSolve(url: string, sitekey: string, origin?: string): Promise<string> {
  return solve(await fetchPuzzle(url, sitekey, origin));
}

export type VerifyAnswer = {
  readonly status: number;
  readonly success: boolean;
  readonly code: number;
  readonly origin: string;
  readonly timestamp: string;
};

export async function verify(
  url: string,
  key: string | undefined,
  payload: string,
  headers: Record<string, string> = {},
): Promise<VerifyAnswer> {
  const response = await fetch(`${url}/verify`, {
    method: 'POST',
    body: payload,
    headers: { ...(key === undefined ? {} : { 'X-API-Key': key }), 'Content-Type': 'text/plain', ...headers },
  });
  return { status: response.status, ...((await response.json()) as Omit<VerifyAnswer, 'status'>) };
}
