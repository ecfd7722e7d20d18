import type { Catalog } from '../catalog.ts';

export const components: Catalog['components'] = {
  cancel: 'Cancelar',
  optional: '(opcional)',
  reveal: 'Mostrar los caracteres: {{field}}',
  copy: 'Copiar',
  copied: 'Copiado',
  copyNamed: 'Copiar {{name}}',
  sitekeyOf: 'la clave de sitio de la propiedad {{name}}',
  close: 'Cerrar',
  confirmName: 'Escriba «{{name}}» para confirmar',
  breadcrumbs: 'Está aquí',
  views: 'Vistas',
  pager: {
    label: 'Páginas',
    previous: 'Anterior',
    next: 'Siguiente',
    page: 'Página {{page}}',
  },
  time: {
    utc: '{{time}} UTC',
    justNow: 'hace un momento',
    soon: 'en menos de un minuto',
    local: '{{time}} en su zona horaria',
  },
  numbers: {
    underTenth: 'menos del {{percent}}',
    milliseconds: '{{value}} ms',
    seconds: '{{value}} s',
    minutes: '{{value}} min',
    hours: '{{value}} h',
  },
  sparkline: {
    label:
      'Puzles por hora en las últimas 24 horas: {{now}} en esta hora, {{most}} en la hora de mayor actividad',
    none: 'No hay puzles en las últimas 24 horas',
  },
  lastDay: {
    series: 'Últimas 24 horas',
    issued: 'Emitidos',
    verified: 'Verificadas',
    failed: 'Fallidas',
    accepted: 'Tasa de aceptación',
  },
  strength: {
    weak: 'Débil: fácil de adivinar.',
    fair: 'Aceptable: es mejor una contraseña más larga.',
    strong: 'Segura.',
  },
  clientAddress: {
    address: 'Su dirección de cliente es <code></code>. {{reason}}',
    unknown: 'desconocida',
    shared:
      'Si su conexión a Internet tiene otra dirección, es posible que el servidor trate a todos los visitantes como un único cliente, con un límite de frecuencia y una dificultad compartidos. {{advice}}',
    countedAs: 'Contabilizada como',
    header: 'Encabezado <code></code>',
    notSent: 'No enviado',
    caption: 'Direcciones de esta solicitud, empezando por la conexión',
    addressColumn: 'Dirección',
    trustedColumn: 'Proxy de confianza',
    yes: 'Sí',
    no: 'No',
    closed: 'La conexión se cerró antes de que el servidor pudiera leer su dirección.',
    reasons: {
      noProxies: 'Es la dirección de la conexión: no hay ningún proxy de confianza.',
      headerIgnored:
        'Es la dirección de la conexión: no hay ningún proxy de confianza, por lo que el servidor ignora el encabezado {{header}}.',
      connectionNotTrusted:
        'Es la dirección de la conexión. No es la de un proxy de confianza, por lo que el servidor ignora el encabezado {{header}}.',
      senderNotTrusted:
        'Un proxy de confianza la envió en el encabezado {{header}}. La dirección en sí no es la de un proxy de confianza, por lo que el servidor ignora las direcciones que la preceden.',
      noHeader:
        'La conexión procede de un proxy de confianza que no envió ninguna dirección en el encabezado {{header}}.',
      allTrusted:
        'Es la primera dirección del encabezado {{header}} y todas las direcciones son de proxies de confianza.',
      entryMalformed:
        'La entrada que la precede en el encabezado {{header}} no es una dirección válida, por lo que el servidor ignora el resto.',
      tooManyHops:
        'El encabezado {{header}} contiene más de 32 proxies de confianza seguidos. El servidor ignora el resto.',
      connectionClosed: 'La conexión ya estaba cerrada.',
    },
    advice: {
      'proxies-none': 'Si el servidor está detrás de un proxy, añada el proxy a POSTERN_TRUSTED_PROXIES.',
      'not-trusted': 'Si es la dirección de su proxy, añádala a POSTERN_TRUSTED_PROXIES.',
      'header-ended':
        'Configure el proxy para que envíe la dirección del cliente en este encabezado, o establezca POSTERN_CLIENT_IP_HEADER en el encabezado que envía.',
      'entry-malformed': 'Compruebe lo que su proxy escribe en el encabezado.',
      'hops-too-many':
        'Compruebe lo que su proxy escribe en el encabezado e indique menos redes en POSTERN_TRUSTED_PROXIES.',
      'connection-closed': 'Vuelva a cargar la página.',
    },
  },
};
