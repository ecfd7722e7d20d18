import { type Clock, type Instant, MINUTE } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import type { UsedFormStore } from '../../model/ports/session.ts';
import type { StartedSession } from '../../platform/authentication/sessions.ts';
import type { Seal } from '../../platform/opaqueId.ts';
import type { Visit } from './handler.ts';

/** The hidden field that carries a held form through the pages that ask for the password. */
export const HELD_FIELD = 'held_form';

/** How long a form can wait for the password. */
export const HOLD_MS = 15 * MINUTE;

/** Maximum length of the fields of a held form, in bytes. Encrypted, they are a third longer and must fit into another form. */
const FIELDS_MAX = 40 * 1024;

/** Fields that are never kept. */
const SECRET = /^current$|password|code/;

/** A form that has not been processed yet, because the user must first enter the password. */
export type HeldForm = {
  /** 32 hex digits. */
  readonly id: string;
  readonly heldAt: Instant;
  /** The user who sent the form. */
  readonly accountId: AccountId;
  /** The path in the route table. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  /** Path and query. */
  readonly address: string;
  /** URL-encoded, without the form token. */
  readonly fields: string;
};

/** What happened to a held form when the user continues it. */
type Claim =
  /** Only one of several simultaneous calls has this result, on any server of the installation. */
  | 'first'
  | 'repeated'
  /** The server restarted after it held the form, and does not know whether it has processed the form. */
  | 'unknown';

/**
 * Forms that wait until their user has entered the password. A held form is not stored: the page that asks for the password contains
 * it, encrypted and authenticated with a secret of the installation. It contains no passwords and expires after HOLD_MS.
 */
export type HeldForms = {
  /** @returns base64url; undefined if the form contains a password or a code, or is too large */
  readonly hold: (form: Omit<HeldForm, 'id' | 'heldAt'>) => string | undefined;
  /** @returns undefined if the text is not a form that this installation holds, or if it has expired */
  readonly open: (text: string) => HeldForm | undefined;
  /** Records that the form is processed. */
  readonly claim: (form: HeldForm) => Promise<Claim>;
};

/** Changes with the format of held forms. */
const CONTEXT = 'held form 1';

/**
 * @param deps.newToken returns 32 random hex digits
 * @param deps.isClustered if false, the store of used forms is empty after a restart
 */
export function createHeldForms(deps: {
  readonly seal: Seal;
  readonly usedForms: Pick<UsedFormStore, 'use'>;
  readonly isClustered: boolean;
  readonly newToken: () => string;
  readonly clock: Clock;
}): HeldForms {
  const { seal, clock } = deps;
  const knowsFormsSince = deps.isClustered ? 0 : clock();

  return {
    hold(form) {
      const hasSecret = [...new URLSearchParams(form.fields).keys()].some(isSecretField);
      if (hasSecret || Buffer.byteLength(form.fields) > FIELDS_MAX) return undefined;
      const held: HeldForm = { id: deps.newToken(), heldAt: clock(), ...form };
      const sealed = seal.encrypt(Buffer.from(JSON.stringify(held)), CONTEXT);
      return Buffer.from(sealed).toString('base64url');
    },
    open(text) {
      const held = decrypted(text, seal);
      return held !== undefined && clock() < held.heldAt + HOLD_MS ? held : undefined;
    },
    async claim({ id, heldAt }) {
      if (heldAt < knowsFormsSince) return 'unknown';
      return (await deps.usedForms.use(id, clock())) ? 'first' : 'repeated';
    },
  };
}

/** Whether a field contains a password or a code, which is never kept or sent back to the browser. */
export function isSecretField(name: string): boolean {
  return SECRET.test(name);
}

function decrypted(text: string, seal: Seal): HeldForm | undefined {
  try {
    const opened = seal.decrypt(Buffer.from(text, 'base64url'), CONTEXT);
    // Authenticated, so this installation wrote it.
    return JSON.parse(Buffer.from(opened).toString()) as HeldForm;
  } catch {
    return undefined;
  }
}

/** What continues after the user has entered the password. */
export type Interrupted = {
  /** The held form, encrypted; empty if there is none. */
  readonly held: string;
  /** The page that is shown otherwise. */
  readonly returnPath: string;
};

/** Processes a held form once, as if its user had just sent it. @returns the response, which does not contain the session's cookie */
export type ContinueForm = (
  visit: Visit,
  started: Pick<StartedSession, 'account' | 'session'>,
  interrupted: Interrupted,
) => Promise<Response>;
