export type Reason = {
  /** Path below `src/`. */
  readonly file: string;
  /** Texts of mutants: @see Mutant */
  readonly mutants: readonly string[];
  /** A sentence. */
  readonly reason: string;
};
