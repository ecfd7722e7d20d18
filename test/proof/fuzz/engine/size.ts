/**
 * Whether a value consists of more values and characters than a limit. Objects that occur more than once count each time. Functions and
 * iterators count as one.
 */
export function isLargerThan(value: unknown, limit: number): boolean {
  let left = limit;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    left -= 1;
    if (typeof next === 'string') left -= next.length;
    else if (ArrayBuffer.isView(next)) left -= next.byteLength;
    else if (next instanceof Map) rest.push(...next.keys(), ...next.values());
    else if (next instanceof Set || Array.isArray(next)) for (const item of next) rest.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [key, member] of Object.entries(next)) {
        left -= key.length;
        rest.push(member);
      }
    }
    if (left < 0 || rest.length > limit) return true;
  }
  return false;
}
