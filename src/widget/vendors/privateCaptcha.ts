import { installOwnWidget } from '../ownWidget.ts';

/** The entry of `/widget/js/privatecaptcha.js`. Private Captcha's attributes have the same names as ours. */
installOwnWidget({
  cssClass: 'private-captcha',
  fieldName: 'private-captcha-solution',
  eventPrefix: 'privatecaptcha',
  global: 'privateCaptcha',
});
