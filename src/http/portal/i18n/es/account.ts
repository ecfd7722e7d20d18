import type { Catalog } from '../catalog.ts';

export const account: Catalog['account'] = {
  fields: {
    email: 'Dirección de correo electrónico',
    password: 'Contraseña',
    currentPassword: 'Contraseña actual',
    newPassword: 'Nueva contraseña',
    newPasswordHelp:
      'Al menos 8 caracteres. Se rechazan las contraseñas comunes y las basadas en su dirección de correo electrónico o en su organización. Varias palabras al azar son una buena opción.',
  },
  signIn: {
    title: 'Iniciar sesión',
    button: 'Iniciar sesión',
    forgot: '¿Ha olvidado la contraseña?',
    kept: '<strong>La sesión ha finalizado.</strong> Inicie sesión para continuar: a continuación se procesará el formulario que acaba de enviar y no tendrá que rellenarlo de nuevo.',
  },
  forgot: {
    title: '¿Ha olvidado la contraseña?',
    users: {
      title: 'Póngase en contacto con un administrador',
      text: 'Un administrador de esta instalación puede crear un enlace de contraseña para usted. El enlace funciona una sola vez y le permite elegir una contraseña nueva. Postern no envía correos electrónicos, por lo que el administrador le facilitará el enlace.',
    },
    administrators: {
      title: 'Para administradores',
      portal:
        'Inicie sesión, abra <link>Usuarios</link>, seleccione el usuario y cree un enlace de contraseña.',
      command:
        'Si ningún administrador puede iniciar sesión, ejecute este comando en el servidor. El comando solicita una contraseña nueva y cierra todas las sesiones del usuario:',
      copy: 'Copiar comando',
    },
    back: 'Volver al inicio de sesión',
  },
  code: {
    title: 'Introduzca el código',
    label: 'Código',
    help: 'Los seis dígitos de su aplicación de autenticación o uno de sus códigos de recuperación.',
    button: 'Iniciar sesión',
    lost: {
      summary: '¿Ha perdido el teléfono y los códigos de recuperación?',
      text: 'Un administrador puede desactivar la autenticación de dos factores en la página de su cuenta de usuario. Si ningún administrador puede iniciar sesión, el operador de este servidor puede ejecutar este comando:',
    },
  },
  signedOut: 'Ha cerrado la sesión.',
  confirm: {
    title: 'Confirme su contraseña',
    reason: 'Esta página requiere su contraseña. No se le volverá a solicitar durante 15 minutos.',
    reasonForm:
      'Esta acción requiere su contraseña. Continuará en cuanto la introduzca y no se le volverá a solicitar durante 15 minutos.',
    button: 'Continuar',
    sessionOver:
      'La sesión acaba de finalizar. Seleccione Continuar de nuevo y, a continuación, inicie sesión.',
  },
  profile: {
    title: 'Perfil',
    details: 'Cuenta',
    email: 'Dirección de correo electrónico',
    role: 'Rol',
    roles: { administrator: 'Administrador', user: 'Usuario' },
    name: 'Nombre',
    nameHelp: 'Los demás miembros de sus organizaciones ven este nombre.',
    save: 'Guardar nombre',
    saved: 'Se ha cambiado su nombre.',
  },
  security: {
    title: 'Seguridad',
    password: {
      title: 'Contraseña',
      text: 'Al cambiar la contraseña, se cierra su sesión en todos los demás navegadores.',
      change: 'Cambiar contraseña',
    },
    twoFactor: {
      title: 'Autenticación de dos factores',
      on: 'Activada',
      off: 'Desactivada',
      onText_one:
        'Para iniciar sesión, también debe introducir un código. Le queda {{count}} código de recuperación.',
      onText_other:
        'Para iniciar sesión, también debe introducir un código. Le quedan {{count}} códigos de recuperación.',
      offText:
        'La contraseña basta para iniciar sesión. Un segundo factor protege su cuenta si le roban la contraseña.',
      manage: 'Gestionar la autenticación de dos factores',
      setUp: 'Configurar la autenticación de dos factores',
    },
    sessions: {
      title: 'Sesiones',
      caption: 'Navegadores en los que ha iniciado sesión',
      browser: 'Navegador',
      address: 'Dirección',
      lastUsed: 'Último uso',
      signedIn: 'Inicio de sesión',
      action: 'Acción',
      current: 'Este navegador',
      none: 'No hay ninguna sesión.',
      end: 'Finalizar sesión',
      endNamed: 'Finalizar sesión: {{browser}}, {{address}}',
      endTitle: '¿Finalizar esta sesión?',
      endText:
        'La sesión de {{browser}} en {{address}} se cierra de inmediato. Los datos introducidos en sus formularios abiertos se conservan hasta que el usuario vuelva a iniciar sesión.',
      ended: 'Se ha finalizado la sesión.',
      endOthers: 'Finalizar todas las demás sesiones',
      endOthersTitle: '¿Finalizar todas las demás sesiones?',
      endOthersText_one:
        'La sesión se cierra de inmediato en {{count}} navegador más. En este navegador permanece abierta.',
      endOthersText_other:
        'La sesión se cierra de inmediato en {{count}} navegadores más. En este navegador permanece abierta.',
      othersEnded: 'Se han finalizado todas las demás sesiones.',
    },
    unknownBrowser: 'Navegador desconocido',
    browserOn: '{{browser}} en {{system}}',
  },
  passwordChange: {
    title: 'Cambiar contraseña',
    button: 'Cambiar contraseña',
    others: 'Esta acción cierra su sesión en todos los demás navegadores.',
    changed: 'Se ha cambiado la contraseña. Se han finalizado todas las demás sesiones.',
  },
  passwordLink: {
    title: 'Elija una contraseña',
    signInAs: 'Con esta contraseña iniciará sesión como <strong>{{email}}</strong>.',
    button: 'Establecer contraseña',
    set: 'Se ha establecido la contraseña. Inicie sesión con ella.',
    noLink: 'Para elegir una contraseña, abra el enlace que le ha enviado un administrador.',
    toSignIn: 'Ir a la página de inicio de sesión',
    created: {
      title: 'Enlace de contraseña',
      send: 'Envíe este enlace a <strong>{{email}}</strong> por un canal privado: cualquiera que tenga el enlace puede elegir la contraseña de este usuario.',
      limits:
        'El enlace funciona una sola vez. Caduca al cabo de tres días o en cuanto la contraseña se cambie de otro modo. No se vuelve a mostrar.',
      copy: 'Copiar enlace',
      toUser: 'Ir al usuario',
    },
  },
  openLink: {
    title: 'Abrir un enlace',
    field: 'Enlace',
    help: 'Pegue el enlace completo o la parte que sigue a «token=».',
    button: 'Abrir el enlace',
    invalid: 'No es un enlace ni un token de este servidor. Copie el enlace completo y péguelo aquí.',
  },
  twoFactor: {
    title: 'Autenticación de dos factores',
    required: 'Esta instalación requiere la autenticación de dos factores. Configúrela para continuar.',
    about:
      'Después de introducir la contraseña, también debe introducir un código de una aplicación de autenticación de su teléfono, de modo que la contraseña por sí sola no baste para iniciar sesión. Sirve cualquier aplicación de autenticación (TOTP).',
    start: 'Iniciar configuración',
    scan: 'Escanee este código QR con su aplicación de autenticación o introduzca el secreto en la aplicación.',
    qrCode: 'Código QR del secreto',
    copySecret: 'Copiar secreto',
    code: 'Código de la aplicación',
    codeHelp: 'Los seis dígitos que muestra ahora la aplicación.',
    turnOn: 'Activar la autenticación de dos factores',
    turnedOn: 'Se ha activado la autenticación de dos factores.',
    turnedOff: 'Se ha desactivado la autenticación de dos factores.',
    turnOffTitle: 'Desactivar',
    turnOffText:
      'La contraseña bastará entonces para iniciar sesión. Los códigos de recuperación dejarán de funcionar.',
    turnOff: 'Desactivar la autenticación de dos factores',
    recovery: {
      title: 'Códigos de recuperación',
      left_one: 'Le queda {{count}} código de recuperación. Cada código funciona una sola vez.',
      left_other: 'Le quedan {{count}} códigos de recuperación. Cada código funciona una sola vez.',
      renew: 'Crear nuevos códigos de recuperación',
      renewTitle: '¿Crear nuevos códigos de recuperación?',
      renewText:
        'Los códigos de recuperación actuales dejan de funcionar de inmediato, incluidos los que haya impreso o guardado.',
      renewed: 'Los códigos de recuperación anteriores ya no funcionan.',
      about:
        'Si pierde el teléfono, inicie sesión con un código de recuperación en lugar de un código de la aplicación. Cada código de recuperación funciona una sola vez. No se vuelven a mostrar: imprímalos o guárdelos en su gestor de contraseñas.',
      copy: 'Copiar códigos de recuperación',
      saved: 'He guardado los códigos',
    },
    others: {
      title: 'Otras sesiones',
      text_one:
        'Hay {{count}} navegador más con una sesión de esta cuenta iniciada sin código. Guarde primero los códigos de recuperación, porque al finalizar la sesión se abandona esta página.',
      text_other:
        'Hay {{count}} navegadores más con una sesión de esta cuenta iniciada sin código. Guarde primero los códigos de recuperación, porque al finalizar las sesiones se abandona esta página.',
    },
  },
  shortcuts: {
    title: 'Atajos de teclado',
    text: 'Los atajos funcionan en todas las páginas mientras ningún campo tenga el foco. Requieren JavaScript.',
    caption: 'Teclas y su función',
    keys: 'Teclas',
    action: 'Acción',
    thenKey: 'y después',
    search: 'Buscar',
    list: 'Mostrar esta lista',
    goTo: 'Ir a: {{page}}',
    use: 'Utilizar atajos de teclado en este navegador',
    useHelp: 'Desactive los atajos si interfieren con la entrada por voz u otra herramienta.',
  },
};
