import type { PuzzleRequest } from '../captcha/issue.ts';

/** @returns the newest version of puzzles that the client can solve; 1 if it announces none or an unknown one */
export function announcedVersion(request: Request): PuzzleRequest['version'] {
  return request.headers.get('x-pc-captcha-version') === '2' ? 2 : 1;
}
