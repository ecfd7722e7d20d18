import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { Visit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';

export const FORGOT_PASSWORD_PATH = '/portal/forgot-password';

/** Explains how a user gets a new password: the server sends no email. */
export function showForgotPassword(visit: Visit) {
  const content = (
    <>
      <Card title={t('account.forgot.users.title')}>
        <p>{t('account.forgot.users.text')}</p>
      </Card>
      <Card title={t('account.forgot.administrators.title')}>
        <p>
          {rich('account.forgot.administrators.portal', {
            link: (text) => <a href="/portal/system/users">{text}</a>,
          })}
        </p>
        <p>{t('account.forgot.administrators.command')}</p>
        <Copyable
          id="command"
          text="postern users passwd --email YOU@EXAMPLE.COM"
          label={t('account.forgot.administrators.copy')}
        />
      </Card>
      <p class="below">
        <a href="/portal/login">{t('account.forgot.back')}</a>
      </p>
    </>
  );
  return page(visit, { title: t('account.forgot.title'), content });
}
