import { installOwnWidget } from '../ownWidget.ts';

/** Entry point of `/widget/js/privatecaptcha.js`. Private Captcha's attributes have the same names as Postern's. */
installOwnWidget('private-captcha', 'privateCaptcha');
