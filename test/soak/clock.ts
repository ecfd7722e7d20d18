/**
 * Returns a command that runs a program with a different time. faketime(1) starts the program as a child process, which would outlive
 * it without setpriv(1).
 *
 * @param offset such as `+3h`
 */
export function withClock(offset: string, program: string): readonly string[] {
  return ['faketime', '-f', offset, 'setpriv', '--pdeathsig', 'KILL', program];
}
