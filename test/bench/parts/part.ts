import type { Lab } from '../harness/lab.ts';
import type { Row } from '../harness/row.ts';

/** A part of the benchmark, which can be selected by its name. */
export type Part = {
  readonly name: string;
  /** The heading in the document. */
  readonly title: string;
  /** What is measured and how, for the document: paragraphs in Markdown, without figures that were measured. */
  readonly method: string;
  /** After this many seconds, the part is stopped. */
  readonly limitSeconds: number;
  /** Programs that must be on the `PATH`. */
  readonly needs?: readonly string[];
  /** @returns why the part cannot run on this machine or with this version; undefined if it can */
  readonly isMissing?: () => string | undefined;
  readonly run: (lab: Lab) => Promise<readonly Row[]>;
};
