import type { Catalog } from '../catalog.ts';

export const dashboard: Catalog['dashboard'] = {
  title: 'Panel',
  ranges: {
    label: 'Intervalo',
    '24h': '24 horas',
    '7d': '7 días',
    '30d': '30 días',
    '1y': '1 año',
    custom: 'Intervalo personalizado',
    from: 'Primer día',
    to: 'Último día',
    help: 'Los días están en UTC. Los intervalos de hasta 7 días dentro de los últimos 30 días se muestran por horas.',
    show: 'Mostrar intervalo',
  },
  unknownRange: {
    title: 'Intervalo desconocido',
    text: 'Elija uno de estos intervalos: 24 horas, 7 días, 30 días, 1 año o un intervalo personalizado.',
  },
  compare: {
    on: 'Comparar con el periodo anterior',
    off: 'Ocultar el periodo anterior',
  },
  download: {
    csv: 'CSV',
    json: 'JSON',
    csvLabel: 'Descargar como CSV',
    jsonLabel: 'Descargar como JSON',
  },
  live: {
    on: 'En directo',
    offline: 'Restableciendo la conexión…',
    ended:
      'Los números ya no se actualizan porque la sesión ha finalizado. <link>Iniciar sesión de nuevo</link>',
  },
  figures: {
    label: 'Cifras',
    issued: 'Emitidos',
    verified: 'Verificadas',
    repeated: 'Repetidas',
    failed: 'Fallidas',
    accepted: 'Tasa de aceptación',
    solveTime: 'Tiempo de resolución (mediana)',
    difficulty: 'Dificultad',
    notes: {
      issued: 'Puzles solicitados por los navegadores.',
      verified: 'Soluciones aceptadas, cada una contada una sola vez.',
      repeated: 'Verificaciones repetidas aceptadas.',
      failed: 'Verificaciones rechazadas.',
      accepted: 'Verificaciones aceptadas respecto al total de verificaciones.',
      solveTime: 'Según los datos de los navegadores de los visitantes.',
      difficulty: 'Dificultad actual de un puzle para un visitante nuevo.',
      deletedProperties: 'Puzles de propiedades eliminadas.',
    },
  },
  change: {
    previous: 'Antes: {{value}}',
    more: '{{change}} más que en el periodo anterior ({{previous}})',
    less: '{{change}} menos que en el periodo anterior ({{previous}})',
    same: 'igual que en el periodo anterior ({{previous}})',
    points: '{{value}} puntos',
    noteHour:
      'Los cambios comparan las horas finalizadas de este intervalo con las mismas horas del periodo anterior.',
    noteDay:
      'Los cambios comparan los días finalizados de este intervalo con el mismo número de días del periodo anterior.',
  },
  difficulty: {
    constant:
      'La dificultad es {{level}}, el nivel de esta propiedad: nunca cambia, porque el crecimiento es constante.',
    level: 'La dificultad es {{level}}, el nivel de esta propiedad, porque el tráfico es el habitual.',
    raised:
      'La dificultad es {{difficulty}}: los puzles requieren {{factor}} veces el trabajo del nivel {{level}}, porque los visitantes han solicitado recientemente más de cuatro veces los puzles habituales.',
    disabled: 'La propiedad está desactivada, por lo que no emite puzles. Su nivel es {{level}}.',
  },
  chart: {
    title: 'Evolución',
    issued: 'Emitidos',
    verified: 'Verificadas',
    failed: 'Fallidas',
    previous: 'Emitidos en el periodo anterior',
    zone: 'Las horas están en su zona horaria, {{zone}}.',
    hours: 'Las horas están en UTC.',
    days: 'Cada día es un día en UTC.',
    unfinishedHour: 'La parte discontinua es la hora actual, que aún no ha terminado.',
    unfinishedDay: 'La parte discontinua es el día de hoy, que aún no ha terminado.',
  },
  numbers: {
    title: 'Números',
    hours_one: '{{count}} hora',
    hours_other: '{{count}} horas',
    days_one: '{{count}} día',
    days_other: '{{count}} días',
    captionHour: 'Por horas, en UTC, las más antiguas primero',
    captionDay: 'Por días, en UTC, los más antiguos primero',
    from: 'Desde',
    unfinished: '(aún sin terminar)',
  },
  solveTimes: {
    title: 'Tiempos de resolución',
    none: 'Ningún widget ha comunicado un tiempo de resolución.',
    share: '{{percent}} en un máximo de',
    wasm: 'Con WebAssembly',
    help_one:
      'De {{count}} solución aceptada, según los datos del navegador del visitante; el servidor no puede comprobarlos. Precisión del 12,5 %.',
    help_other:
      'De {{count}} soluciones aceptadas, según los datos de los navegadores de los visitantes; el servidor no puede comprobarlos. Precisión del 12,5 %.',
    few: 'Hay menos de {{minimum}} tiempos de resolución, por lo que los porcentajes altos todavía no son fiables.',
  },
  advice: {
    fast: 'En el nivel {{level}}, el 95 % de los visitantes espera menos de {{time}}. En el nivel {{other}} serían como máximo {{otherTime}}, así que hay margen para un nivel más alto si observa abusos.',
    fits: 'En el nivel {{level}}, el 95 % de los visitantes espera menos de {{time}}. En el nivel {{other}} serían como máximo {{otherTime}}, así que el nivel es adecuado para estos visitantes.',
    slow: 'En el nivel {{level}}, el 95 % de los visitantes espera menos de {{time}}, pero es mucho tiempo. En el nivel {{other}} serían unos {{otherTime}}.',
    wait: 'En el nivel {{level}}, el 95 % de los visitantes espera menos de {{time}}.',
    slowest:
      'En el nivel {{level}}, el 95 % de los visitantes espera menos de {{time}}, pero es mucho tiempo.',
    notEnough:
      'No hay datos suficientes para una recomendación sobre el nivel: {{samples}} de {{minimum}} tiempos de resolución en el nivel {{level}} en los últimos {{days}} días.',
    source:
      'De {{samples}} tiempos de resolución de los últimos {{days}} días, todos con este nivel y tipo de trabajo. Los navegadores comunican los tiempos, así que los clientes pueden falsificarlos.',
  },
  empty: {
    title: 'Aún no hay visitantes',
    text: 'Esta página muestra puzles, verificaciones y tiempos de resolución. Ningún navegador ha solicitado todavía un puzle para esta propiedad; los números aparecen unos segundos después del primer visitante.',
    action: 'Añadir el widget a su página',
    rangeTitle: 'No hay visitantes en este intervalo',
    rangeText:
      'Esta propiedad no tuvo visitantes en este intervalo. Elija un intervalo más largo para ver los visitantes anteriores.',
    showYear: 'Mostrar 1 año',
  },
  rejections: {
    title: 'Verificaciones fallidas',
    none: 'No ha fallado ninguna verificación.',
    other: 'Otros motivos',
    reasons: {
      'error-other': {
        title: 'Propiedad desactivada o error del servidor',
        advice:
          'Compruebe si la propiedad está desactivada. Si está activada, el registro del servidor indica el motivo.',
      },
      'solution-duplicates': {
        title: 'Soluciones duplicadas',
        advice: 'El widget nunca las envía. Un programa está probando valores al azar.',
      },
      'solution-invalid': {
        title: 'Solución incorrecta',
        advice:
          'Un programa se salta el trabajo necesario. Si lo notifican visitantes reales, compruebe que la página cargue el widget desde este servidor.',
      },
      'solution-bad-format': {
        title: 'Sin solución',
        advice:
          'El campo está vacío o lo ha rellenado otro producto. Compruebe que el formulario espere al widget y que el backend envíe el campo sin modificarlo.',
      },
      'puzzle-expired': {
        title: 'Puzle caducado',
        advice:
          'El formulario estuvo abierto más tiempo del que el puzle es válido o el backend verifica demasiado tarde. Puede aumentar la validez en la configuración de la propiedad.',
      },
      'property-invalid': {
        title: 'Propiedad incorrecta',
        advice:
          'La clave de sitio que espera el backend es distinta de la de la página, o la propiedad se ha eliminado.',
      },
      'property-owner-mismatch': {
        title: 'Clave de API de otro usuario',
        advice:
          'El usuario de la clave de API no es miembro de la organización. Utilice la clave de un miembro.',
      },
      'solution-verified-before': {
        title: 'Ya verificada',
        advice:
          'Se envió un formulario dos veces o se reutilizó una solución. Si su backend verifica más de una vez de forma intencionada, acepte soluciones repetidas en la configuración de la propiedad.',
      },
      'integrity-error': {
        title: 'Firma no válida',
        advice:
          'Otro servidor emitió el puzle o el puzle se modificó. Compruebe que la página y el backend utilicen el mismo servidor.',
      },
      'org-scope-error': {
        title: 'Clave de API de otra organización',
        advice:
          'La clave de API está limitada a otra organización. Utilice una clave para esta organización o para todas las organizaciones.',
      },
    },
  },
  system: {
    intro:
      'Estas estadísticas cuentan las solicitudes que no pertenecen a ninguna propiedad: formularios sin solución, puzles de otros servidores y solicitudes para propiedades eliminadas. Las estadísticas de una propiedad se encuentran en su panel.',
    emptyTitle: 'No hay solicitudes en este intervalo',
    emptyText:
      'No hubo solicitudes sin propiedad en este intervalo. Si los backends envían soluciones no válidas, aparecen aquí con el motivo.',
  },
};
