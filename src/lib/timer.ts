/** Calls `run` once after the given time. @returns a function that cancels the call */
export type Timer = (milliseconds: number, run: () => void) => () => void;

/** The system's timer. */
export const timer: Timer = (milliseconds, run) => {
  const id = setTimeout(run, milliseconds);
  return () => clearTimeout(id);
};
