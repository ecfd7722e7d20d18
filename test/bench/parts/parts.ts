import { argon2id } from './argon2id.ts';
import { claims } from './claims.ts';
import { hashwx } from './hashwx.ts';
import { idle } from './idle.ts';
import { memory } from './memory.ts';
import { mixed } from './mixed.ts';
import type { Part } from './part.ts';
import { properties } from './properties.ts';
import { puzzle } from './puzzle.ts';
import { rejected } from './rejected.ts';
import { solver } from './solver.ts';
import { startup } from './startup.ts';
import { tail } from './tail.ts';
import { threads } from './threads.ts';
import { tls } from './tls.ts';
import { verify } from './verify.ts';
import { widget } from './widget.ts';
import { writers } from './writers.ts';

/** All parts, in the order of the table and of the document. */
export const PARTS: readonly Part[] = [
  puzzle,
  verify,
  tail,
  memory,
  startup,
  rejected,
  claims,
  writers,
  threads,
  tls,
  idle,
  properties,
  solver,
  argon2id,
  hashwx,
  mixed,
  widget,
];
