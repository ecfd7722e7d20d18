import { renderSVG } from 'uqr';
import type { Enrollment } from '../../../platform/authentication/totp.ts';
import { Raw } from '../../jsx/runtime.ts';
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { ActionForm, Form, LinkButton, SubmitButton } from '../components/form.tsx';
import type { SignedInVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { SECURITY_PATH, SecurityBreadcrumbs, TWO_FACTOR_PATH } from './security.tsx';

export const TWO_FACTOR_TITLE = 'Two-factor authentication';

/** Offers to end the sessions that started before two-factor authentication was turned on, because they did not require a code. */
function OtherSessionsCard({ visit, count }: { readonly visit: SignedInVisit; readonly count: number }) {
  const browsers = count === 1 ? '1 other browser is' : `${count} other browsers are`;
  return (
    <Card title="Other sessions">
      <ActionForm
        visit={visit}
        action={`${SECURITY_PATH}/sessions/end-others`}
        button="End all other sessions"
      >
        {browsers} signed in to this account without a code. Save the recovery codes first, because this
        button leaves the page.
      </ActionForm>
    </Card>
  );
}

export function enrollmentPage(visit: SignedInVisit, { uri, secret }: Enrollment, errors: FieldErrors = []) {
  const content = (
    <>
      <SecurityBreadcrumbs />
      <Form visit={visit} action={TWO_FACTOR_PATH}>
        <ol class="steps">
          <li>
            Scan this QR code with your authenticator app, or enter the secret in the app.
            <QrCode text={uri} />
            <Copyable id="secret" text={grouped(secret)} label="Copy secret" />
          </li>
          <li>
            <Field
              name="code"
              label="Code from the app"
              help="The six digits that the app shows now."
              inputmode="numeric"
              autocomplete="one-time-code"
              isLiteral
              errors={errors}
            />
            <SubmitButton>Turn on two-factor authentication</SubmitButton>
          </li>
        </ol>
      </Form>
    </>
  );
  return page(visit, { title: TWO_FACTOR_TITLE, content, errors });
}

type NewCodes = {
  readonly codes: readonly string[];
  readonly notice: string;
  /** Number of other sessions that the page offers to end. */
  readonly otherSessions: number;
};

export function recoveryCodesPage(visit: SignedInVisit, { codes, notice, otherSessions }: NewCodes) {
  const content = (
    <>
      <section class="card">
        <p>
          {notice} If you lose your phone, sign in with a recovery code instead of a code from the app. Each
          recovery code works once. They are not shown again: print them or save them in your password
          manager.
        </p>
        <Copyable id="codes" text={codes.join('\n')} label="Copy recovery codes" />
        <LinkButton path={SECURITY_PATH}>I have saved the codes</LinkButton>
      </section>
      {otherSessions > 0 && <OtherSessionsCard visit={visit} count={otherSessions} />}
    </>
  );
  return page(visit, { title: 'Recovery codes', content });
}

/** A QR code, black on white in every theme so that cameras can read it. */
function QrCode({ text }: { readonly text: string }) {
  return (
    <div class="qr" role="img" aria-label="QR code of the secret">
      <Raw markup={renderSVG(text, { border: 4 })} />
    </div>
  );
}

/** A secret in groups of four characters. */
function grouped(secret: string): string {
  return secret.replace(/....(?=.)/g, '$& ');
}
