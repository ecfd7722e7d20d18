import type { PuzzleRequest } from '../captcha/issue.ts';
import { parameterOf } from '../lib/target.ts';

/**
 * @returns the newest version of puzzles that the client can solve, from the header or the parameter `version`, which causes no
 *   preflight request; 1 if the client announces none or an unknown one
 */
export function announcedVersion(request: Request): PuzzleRequest['version'] {
  const announced = request.headers.get('x-pc-captcha-version') ?? parameterOf(request, 'version');
  return announced === '2' ? 2 : 1;
}
