/** Whether the result of a store method reports a change: a successful outcome, or a value other than undefined, false, and 0. */
export function isChange(result: unknown): boolean {
  if (typeof result === 'object' && result !== null && 'ok' in result) return result.ok === true;
  return result !== undefined && result !== false && result !== 0;
}
