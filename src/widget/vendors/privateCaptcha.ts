import { installOwnWidget } from '../ownWidget.ts';

/** Entry point of `/widget/js/privatecaptcha.js`. Private Captcha's attributes have the same names as Postern's. */
installOwnWidget({
  cssClass: 'private-captcha',
  fieldName: 'private-captcha-solution',
  eventPrefix: 'privatecaptcha',
  global: 'privateCaptcha',
});
