import type { Client } from './client.ts';
import { BACKENDS } from './rows/backends.ts';
import { DEBIAN } from './rows/debian.ts';
import { HCAPTCHA_PAGES } from './rows/hcaptcha.ts';
import { POSTERN } from './rows/postern.ts';
import { PROOF_OF_WORK_PAGES } from './rows/proofOfWork.ts';
import { RECAPTCHA_PAGES } from './rows/recaptcha.ts';
import { TESTED } from './rows/tested.ts';
import { TURNSTILE_PAGES } from './rows/turnstile.ts';

/** All clients, in the order of the tables. */
export const CLIENTS: readonly Client[] = [
  ...TESTED,
  ...RECAPTCHA_PAGES,
  ...HCAPTCHA_PAGES,
  ...TURNSTILE_PAGES,
  ...PROOF_OF_WORK_PAGES,
  ...BACKENDS,
  ...DEBIAN,
  ...POSTERN,
];
