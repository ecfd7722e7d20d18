import type { Catalog } from '../catalog.ts';

export const kit: Catalog['kit'] = {
  skip: 'Ir al contenido',
  errorTitle: 'Error: {{title}}',
  errors: 'Se ha producido un problema',
  menu: 'Menú',
  navigation: {
    label: 'Portal',
    home: 'Inicio',
    organizations: 'Organizaciones',
    activity: 'Actividad',
    account: 'Cuenta',
    profile: 'Perfil',
    security: 'Seguridad',
    apiKeys: 'Claves de API',
    administration: 'Administración',
    system: 'Sistema',
    users: 'Usuarios',
    help: 'Ayuda',
    docs: 'Documentación',
    apiReference: 'Referencia de la API',
    demo: 'Demostración',
    shortcuts: 'Atajos de teclado',
    signOut: 'Cerrar sesión',
  },
  help: {
    link: 'Ayuda',
    label: 'Ayuda de esta página (se abre en una pestaña nueva)',
  },
  search: {
    label: 'Buscar organizaciones, propiedades, claves de sitio y usuarios',
    placeholder: 'Buscar',
  },
  preferences: {
    title: 'Idioma y tema',
    language: 'Idioma',
    theme: 'Tema',
    themes: { auto: 'Igual que el sistema', light: 'Claro', dark: 'Oscuro' },
    save: 'Guardar preferencias',
    unknown: 'Seleccione uno de los idiomas y uno de los temas del formulario.',
  },
  maintenance: {
    banner:
      '<strong>El modo de mantenimiento está activado.</strong> Es posible consultar las páginas, pero los cambios se rechazan. Las soluciones de los visitantes se siguen verificando.',
    switch: 'Ir al ajuste del modo de mantenimiento',
    later: 'Intente realizar los cambios más tarde.',
  },
  keyWarnings: {
    expires_one: 'La clave de API {{key}} caduca en menos de un día, el {{time}}.',
    expires_other: 'La clave de API {{key}} caduca en menos de {{count}} días, el {{time}}.',
    more_one: '{{count}} clave más caduca en las próximas dos semanas.',
    more_other: '{{count}} claves más caducan en las próximas dos semanas.',
    advice: 'Cree una clave nueva y sustituya la anterior antes de que caduque.',
  },
  exportLimit: {
    title: 'Demasiadas exportaciones',
    text: 'Como máximo {{count}} de sus exportaciones y {{total}} exportaciones de todos los usuarios pueden ejecutarse a la vez. Espere a que termine una de ellas e inténtelo de nuevo.',
  },
  notFound: {
    title: 'Página no encontrada',
    text: 'Esta página no existe o no tiene acceso a ella.',
  },
  notAllowed: {
    title: 'Acceso denegado',
    administrators: 'Esta página es solo para administradores de esta instalación.',
  },
  startPage: 'Ir a la página de inicio',
  throttled: {
    seconds_one:
      'Ha habido demasiados intentos fallidos. Espere {{count}} segundo y vuelva a intentarlo. Este intento no se ha comprobado.',
    seconds_other:
      'Ha habido demasiados intentos fallidos. Espere {{count}} segundos y vuelva a intentarlo. Este intento no se ha comprobado.',
    minutes_one:
      'Ha habido demasiados intentos fallidos. Espere {{count}} minuto y vuelva a intentarlo. Este intento no se ha comprobado.',
    minutes_other:
      'Ha habido demasiados intentos fallidos. Espere {{count}} minutos y vuelva a intentarlo. Este intento no se ha comprobado.',
  },
  failure: {
    failed: { title: 'Se ha producido un error', text: 'El registro del servidor contiene más detalles.' },
    invalid: {
      title: 'Solicitud no válida',
      text: 'No se pudo leer la solicitud. Abra la página de nuevo.',
    },
    unavailable: {
      title: 'No disponible',
      text: 'El servidor no está disponible temporalmente. Vuelva a intentarlo en unos instantes.',
    },
    tooMany: {
      title: 'Demasiadas solicitudes',
      text: 'Usted u otras personas con la misma dirección de red han solicitado muchas páginas en poco tiempo. Espere unos segundos y vuelva a cargar la página.',
    },
    wrongHost: {
      title: 'Nombre de host incorrecto',
      text: 'El portal no está disponible con este nombre de host. Abra {{url}}. Para utilizar también este nombre, el operador de este servidor puede establecer POSTERN_BASE_URL o añadir el nombre a POSTERN_ALLOWED_HOSTS.',
    },
  },
  checks: {
    notAccepted: 'No aceptado',
    otherOrigin:
      'Este formulario se envió desde una página de otro servidor. Abra la página en este servidor y vuelva a intentarlo.',
    invalidToken:
      'Este formulario pertenece a otra sesión. Vuelva atrás, cargue la página de nuevo y vuelva a intentarlo.',
    notAForm: 'La solicitud no es un formulario de este servidor o es demasiado grande.',
    tooSlow: 'El formulario ha tardado demasiado en llegar. Vuelva atrás y envíelo de nuevo.',
    busy: 'El servidor está ocupado. Vuelva atrás y envíe el formulario de nuevo en unos instantes.',
    enrollFirst:
      'Esta instalación requiere la autenticación de dos factores. Configúrela primero y vuelva a intentarlo. No se ha cambiado nada.',
  },
  interrupted: {
    signInNotKept:
      'La sesión había finalizado, por lo que no se ha cambiado nada. El formulario contiene una contraseña, un código o un archivo, o es demasiado grande, y no se ha conservado. Inicie sesión y rellénelo de nuevo.',
    passwordNotKept:
      'Aún no se ha cambiado nada. El formulario contiene una contraseña, un código o un archivo, o es demasiado grande, y no se ha conservado. Confirme su contraseña y rellénelo de nuevo.',
    expired:
      'Confirmó su contraseña más de 15 minutos después de enviar el formulario. No se ha cambiado nada. Envíe el formulario de nuevo.',
    otherUser: 'Otro usuario rellenó el formulario, por lo que se ha descartado. No se ha cambiado nada.',
    repeated: 'Este formulario ya se había procesado, por lo que no se ha procesado de nuevo.',
  },
  kept: {
    maintenance: {
      title: 'En mantenimiento',
      reason: 'El servidor rechaza los cambios durante el mantenimiento, por lo que no se ha cambiado nada.',
      advice:
        'Esta página conserva los datos introducidos. Envíelos de nuevo cuando finalice el mantenimiento.',
    },
    restarted: {
      title: 'Compruebe el formulario',
      reason:
        'El servidor se reinició mientras introducía su contraseña, por lo que no sabe si ya ha procesado este formulario.',
      advice: 'Compruebe si se ha realizado el cambio. Si no es así, envíe el formulario de nuevo.',
    },
    earlierSession: {
      title: 'Compruebe el formulario',
      reason:
        'Ha vuelto a iniciar sesión después de abrir este formulario, por lo que aún no se ha procesado.',
      advice: 'Compruebe los datos introducidos y envíelos de nuevo.',
    },
    send: 'Enviar formulario',
    sendAgain: 'Enviar de nuevo',
    file: 'El archivo no se ha conservado. Vuelva atrás y envíe el formulario de nuevo.',
  },
};
