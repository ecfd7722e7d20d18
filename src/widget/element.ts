import { installOwnWidget } from './ownWidget.ts';

/** Entry point of `/widget/postern.js`. */
installOwnWidget('postern-captcha', 'postern');
