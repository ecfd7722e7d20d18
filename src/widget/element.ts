import { installOwnWidget } from './ownWidget.ts';

/** Entry point of `/widget/postern.js`. */
installOwnWidget({
  cssClass: 'postern-captcha',
  fieldName: 'postern-captcha-solution',
  eventPrefix: 'postern',
  global: 'postern',
});
