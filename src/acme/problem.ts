/** The prefix of the problem types that RFC 8555, section 6.7, defines. */
export const ACME_ERROR = 'urn:ietf:params:acme:error:';

const DETAIL_LENGTH = 500;

/** The reasons for a failed attempt that do not come from the CA. */
type LocalProblem = 'connection' | 'timeout' | 'invalid-response' | 'storage' | 'interrupted';

/** A failed attempt to obtain a certificate. */
export class AcmeFailure extends Error {
  override readonly name = 'AcmeFailure';
  /** The `type` of the CA's problem document (RFC 7807), or a reason that does not come from the CA. */
  readonly problem: string;
  /** The pause that the CA asks for (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: string, detail: string, retryAfterMs?: number) {
    super(toLine(detail));
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** @returns the failure unchanged, or any other thrown value as a failure with the given problem */
export function toFailure(error: unknown, problem: LocalProblem): AcmeFailure {
  if (error instanceof AcmeFailure) return error;
  return new AcmeFailure(problem, error instanceof Error ? error.message : String(error));
}

/** Reads a problem document. @param value the parsed document @param fallback the detail if there is none */
export function describeProblem(value: unknown, fallback: string): { type: string; detail: string } {
  const { type, detail, subproblems } = toRecord(value);
  const parts = Array.isArray(subproblems) ? subproblems.map(describeSubproblem) : [];
  const own = typeof detail === 'string' && detail !== '' ? detail : fallback;
  return {
    type: typeof type === 'string' ? toLine(type) : 'about:blank',
    detail: [own, ...parts].join('; '),
  };
}

function describeSubproblem(value: unknown): string {
  const { detail, identifier } = toRecord(value);
  return `${String(toRecord(identifier).value ?? 'unknown')}: ${String(detail ?? 'no detail')}`;
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** At most 500 characters, without control characters. */
function toLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, DETAIL_LENGTH);
}
