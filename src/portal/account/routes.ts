import {
  ALWAYS,
  DESTRUCTIVE,
  ENROLLMENT,
  NOT_HELD,
  publicRoute,
  type Route,
  route,
  SENSITIVE,
} from '../kit/route.ts';
import { openLink } from '../kit/secretLink.tsx';
import {
  changePassword,
  choosePassword,
  confirm,
  showChoosePassword,
  showConfirm,
  showPassword,
} from './passwords.tsx';
import { endOtherSessions, endSession, showSecurity } from './security.tsx';
import {
  changeEmail,
  changeProfile,
  savePreferences,
  showPreferences,
  showProfile,
  showShortcuts,
} from './settings.tsx';
import {
  showForgotPassword,
  showSignIn,
  showSignInCode,
  signIn,
  signInWithCode,
  signOut,
} from './signIn.tsx';
import {
  confirmTwoFactor,
  disableTwoFactor,
  renewRecoveryCodes,
  showTwoFactor,
  startTwoFactor,
} from './twoFactor.tsx';

/** Sign-in, and the settings of the user's account. */
// biome-ignore format: a table reads best with a row on a line
export const ACCOUNT_ROUTES: readonly Route[] = [
  publicRoute('GET', '/portal/login', showSignIn),
  publicRoute('POST', '/portal/login', signIn, ALWAYS),
  publicRoute('GET', '/portal/login/code', showSignInCode),
  publicRoute('POST', '/portal/login/code', signInWithCode, ALWAYS),
  publicRoute('GET', '/portal/forgot-password', showForgotPassword),
  publicRoute('GET', '/portal/preferences', showPreferences),
  publicRoute('POST', '/portal/preferences', savePreferences, ALWAYS),
  route('POST', '/portal/logout', 'session', signOut, { ...ALWAYS, ...ENROLLMENT, ...NOT_HELD }),
  route('GET', '/portal/confirm', 'session', showConfirm, ENROLLMENT),
  route('POST', '/portal/confirm', 'session', confirm, { ...ALWAYS, ...ENROLLMENT, ...NOT_HELD }),
  route('GET', '/portal/shortcuts', 'session', showShortcuts),
  route('GET', '/portal/settings/profile', 'session', showProfile),
  route('POST', '/portal/settings/profile', 'session', changeProfile),
  route('POST', '/portal/settings/profile/email', 'session', changeEmail),
  route('GET', '/portal/settings/security', 'session', showSecurity),
  route('POST', '/portal/settings/security/sessions/end-others', 'session', endOtherSessions, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('POST', '/portal/settings/security/sessions/:session/end', 'ownSession', endSession, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('GET', '/portal/settings/security/password', 'session', showPassword),
  route('POST', '/portal/settings/security/password', 'session', changePassword),
  route('GET', '/portal/settings/security/two-factor', 'session', showTwoFactor, ENROLLMENT),
  route('POST', '/portal/settings/security/two-factor', 'session', confirmTwoFactor, { ...SENSITIVE, ...ENROLLMENT }),
  route('POST', '/portal/settings/security/two-factor/begin', 'session', startTwoFactor, { ...SENSITIVE, ...ENROLLMENT }),
  route('POST', '/portal/settings/security/two-factor/recovery-codes', 'session', renewRecoveryCodes, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('POST', '/portal/settings/security/two-factor/disable', 'session', disableTwoFactor, DESTRUCTIVE),
  publicRoute('GET', '/portal/password', showChoosePassword),
  publicRoute('POST', '/portal/password/open', openLink('password'), ALWAYS),
  publicRoute('POST', '/portal/password', choosePassword),
];
