/** The system's timer. @returns a function that cancels it */
export function timer(milliseconds: number, run: () => void): () => void {
  const id = setTimeout(run, milliseconds);
  return () => clearTimeout(id);
}
