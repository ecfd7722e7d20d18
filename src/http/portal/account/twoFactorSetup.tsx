import { renderSVG } from 'uqr';
import type { Enrollment } from '../../../platform/authentication/totp.ts';
import { Raw } from '../../jsx/runtime.ts';
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import type { SignedInVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { EndOthersButton, SECURITY_PATH, securityCrumbs, TWO_FACTOR_PATH } from './security.tsx';

/** Offers to end the sessions that started before two-factor authentication was turned on, because they did not require a code. */
function OtherSessionsCard({ visit, count }: { readonly visit: SignedInVisit; readonly count: number }) {
  return (
    <Card title={t('account.twoFactor.others.title')}>
      <p>{t('account.twoFactor.others.text', { count })}</p>
      <EndOthersButton visit={visit} count={count} />
    </Card>
  );
}

export function enrollmentPage(visit: SignedInVisit, { uri, secret }: Enrollment, errors: FieldErrors = []) {
  const content = (
    <Form visit={visit} action={TWO_FACTOR_PATH}>
      <ol class="steps">
        <li>
          {t('account.twoFactor.scan')}
          <QrCode text={uri} />
          <Copyable id="secret" text={grouped(secret)} label={t('account.twoFactor.copySecret')} />
        </li>
        <li>
          <Field
            name="code"
            label={t('account.twoFactor.code')}
            help={t('account.twoFactor.codeHelp')}
            inputmode="numeric"
            autocomplete="one-time-code"
            isLiteral
            errors={errors}
          />
          <SubmitButton>{t('account.twoFactor.turnOn')}</SubmitButton>
        </li>
      </ol>
    </Form>
  );
  const title = t('account.twoFactor.title');
  return page(visit, { title, breadcrumbs: securityCrumbs(), content, errors });
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
          {notice} {t('account.twoFactor.recovery.about')}
        </p>
        <Copyable id="codes" text={codes.join('\n')} label={t('account.twoFactor.recovery.copy')} />
        <LinkButton path={SECURITY_PATH}>{t('account.twoFactor.recovery.saved')}</LinkButton>
      </section>
      {otherSessions > 0 && <OtherSessionsCard visit={visit} count={otherSessions} />}
    </>
  );
  return page(visit, { title: t('account.twoFactor.recovery.title'), content });
}

/** A QR code, black on white in every theme so that cameras can read it. */
function QrCode({ text }: { readonly text: string }) {
  return (
    <div class="qr" role="img" aria-label={t('account.twoFactor.qrCode')}>
      <Raw markup={renderSVG(text, { border: 4 })} />
    </div>
  );
}

/** A secret in groups of four characters. */
function grouped(secret: string): string {
  return secret.replace(/....(?=.)/g, '$& ');
}
