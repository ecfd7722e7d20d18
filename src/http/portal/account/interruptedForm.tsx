import type { Interrupted } from '../kit/formContinuation.ts';
import { fieldOf, returnPathOf } from '../kit/formData.ts';
import type { Visit } from '../kit/handler.ts';
import { HELD_FIELD } from '../kit/heldForms.ts';

/** Hidden fields with what continues after the user has entered the password. */
export function InterruptedFields({ interrupted }: { readonly interrupted: Interrupted }) {
  const { held, returnPath } = interrupted;
  return (
    <>
      <input type="hidden" name="return" value={returnPath} />
      {held !== '' && <input type="hidden" name={HELD_FIELD} value={held} />}
    </>
  );
}

/** @returns what the fields of a form contain */
export function interruptedIn({ form }: Visit): Interrupted {
  return { held: fieldOf(form, HELD_FIELD), returnPath: returnPathOf(fieldOf(form, 'return')) };
}
