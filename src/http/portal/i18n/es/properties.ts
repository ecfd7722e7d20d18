import type { Catalog } from '../catalog.ts';

export const properties: Catalog['properties'] = {
  tabs: {
    dashboard: 'Panel',
    integration: 'Integración',
    playground: 'Área de pruebas',
    settings: 'Configuración',
  },
  notAccepted: 'No aceptado',
  disabled:
    'Esta propiedad está desactivada: no emite puzles y sus soluciones se rechazan. <link>Activarla en la configuración</link>',
  waiting:
    'La operación está tardando más de lo habitual, quizá porque el DNS es lento. El cambio continúa en segundo plano y su resultado aparecerá en la lista de tareas.',
  form: {
    general: 'General',
    domainHelp:
      'El nombre de host de sus páginas, por ejemplo, example.com. Puede pegar la dirección de una página. El nombre debe poder resolverse en el DNS.',
    reduced: '«{{url}}» se ha reducido a su host, porque el dominio no lleva esquema, puerto ni ruta.',
    difficulty: 'Dificultad',
    levelLabel: 'Dificultad de los puzles',
    presets: {
      low: 'Baja',
      normal: 'Normal',
      high: 'Alta',
      very_high: 'Muy alta',
      custom: 'Personalizada',
    },
    purposes: {
      low: 'Para formularios que los bots rara vez utilizan.',
      normal: 'Para la mayoría de los formularios.',
      high: 'Para formularios que los bots envían a menudo.',
      very_high: 'Durante un ataque. Los dispositivos antiguos requieren paciencia.',
      custom: 'Un nivel exacto, que se introduce más abajo.',
    },
    presetCost: 'Aproximadamente {{laptop}} en un portátil y {{phone}} en un teléfono lento.',
    customCost:
      'Nivel {{level}}: aproximadamente {{laptop}} en un portátil y {{phone}} en un teléfono lento.',
    exact: 'Nivel exacto y crecimiento',
    customLevel: 'Nivel exacto',
    customLevelHelp:
      'De {{min}} a {{max}}. Un aumento de 8 duplica el trabajo necesario. Se utiliza solo con «Personalizada».',
    challenges: {
      blake2b: 'BLAKE2b: en todos los widgets',
      argon2id: 'argon2id: necesita memoria',
    },
    growths: {
      constant: 'Constante: la dificultad nunca aumenta',
      slow: 'Lento',
      medium: 'Medio',
      fast: 'Rápido',
    },
    costs: 'Coste de otros niveles',
    solutions: 'Soluciones',
    validity: 'Validez',
    validityHelp:
      'Durante cuánto tiempo son válidos un puzle y su solución, de 1 minuto a 48 horas. El widget sustituye los puzles caducados.',
    validityUnit: 'Unidad de la validez',
    units: { seconds: 'Segundos', minutes: 'Minutos', hours: 'Horas' },
    acceptRepeated: 'Aceptar soluciones repetidas',
    acceptRepeatedHelp:
      'Marque esta casilla solo si su backend verifica el mismo formulario más de una vez. De lo contrario, cada solución se acepta una sola vez.',
    repeatsHelp:
      'Cuántas veces se acepta una solución mientras es válida, de {{min}} a {{max}}. Se utiliza solo si se aceptan soluciones repetidas.',
  },
  cost: {
    underMillisecond: 'menos de {{duration}}',
    caption: 'Trabajo medio de un puzle; ocho niveles más lo duplican',
    level: 'Nivel',
    attempts: 'Intentos',
    laptop: 'Portátil',
    phone: 'Teléfono lento',
    bot: 'Bot, un núcleo',
    source:
      'Los tiempos son promedios. Los de un portátil y un bot se calculan a partir de velocidades medidas. Para un teléfono lento se supone un millón de intentos por segundo, aproximadamente los mismos que un navegador de escritorio sin WebAssembly.',
  },
  create: {
    title: 'Crear propiedad',
    button: 'Crear propiedad',
    anyway: 'Crear de todos modos',
    done: 'Se ha creado «{{name}}». Añada el código que aparece más abajo a sus páginas y a su backend.',
  },
  duplicate: {
    link: 'Duplicar propiedad',
    title: 'Duplicar propiedad',
    text: 'La copia tiene la configuración que aparece más abajo y su propia clave de sitio. «{{name}}» no cambia.',
    name: '{{name}} (copia)',
    button: 'Crear copia',
    done: 'Se ha creado «{{name}}». Sus páginas y su backend necesitan la clave de sitio de esta propiedad.',
  },
  settings: {
    save: 'Guardar configuración',
    saveAnyway: 'Guardar de todos modos',
    saved: 'Se ha guardado la configuración.',
    unchanged: 'No se ha cambiado nada en la configuración.',
    sitekey: 'Clave de sitio',
    sitekeyHelp: 'La clave de sitio es pública, porque sus páginas la contienen. Nunca cambia.',
    copySitekey: 'Copiar clave de sitio',
  },
  dangerZone: 'Zona de peligro',
  state: {
    enabled: 'Activada',
    disabled: 'Desactivada',
    isEnabled: 'La propiedad está activada',
    isDisabled: 'La propiedad está desactivada',
    enabledHelp: 'Emite puzles y su backend puede verificar las soluciones.',
    disabledHelp:
      'No emite puzles y sus soluciones se rechazan. Conserva su configuración, su clave de sitio y sus estadísticas.',
    disable: 'Desactivar propiedad',
    enable: 'Activar propiedad',
    disableTitle: '¿Desactivar «{{name}}»?',
    consequence:
      'El widget de {{domain}} deja de funcionar de inmediato: ya no recibe puzles y su backend rechaza las soluciones. Los visitantes no podrán enviar formularios que requieran una solución. Puede volver a activar la propiedad en cualquier momento.',
    nowEnabled: 'La propiedad está activada.',
    nowDisabled: 'La propiedad está desactivada.',
  },
  delete: {
    heading: 'Eliminar esta propiedad',
    help: 'Su widget y sus verificaciones dejan de funcionar de inmediato y se eliminan sus estadísticas. Esta acción no se puede deshacer.',
    button: 'Eliminar propiedad',
    title: '¿Eliminar esta propiedad?',
    warning:
      'El widget de {{domain}} deja de funcionar de inmediato: ya no recibe puzles y las soluciones se rechazan. Se eliminan las estadísticas de la propiedad. Esta acción no se puede deshacer.',
    done: 'Se ha eliminado «{{name}}».',
  },
  dns: {
    title: 'Este dominio no se resuelve',
    unanswered: 'Los servidores DNS que utiliza Postern no respondieron a tiempo para <code></code>.',
    unresolved: 'Los servidores DNS que utiliza Postern no tienen ninguna dirección para <code></code>.',
    advice:
      'Si el nombre está bien escrito y sus visitantes pueden resolverlo, por ejemplo, en una red cerrada, continúe sin la comprobación. Quedará constancia en el registro de auditoría.',
    reserved:
      'Los nombres que terminan en <code></code> están reservados y nunca se resuelven en el DNS público (RFC 2606, RFC 6761). Para una prueba en Internet, utilice <example></example>, que sí se resuelve.',
    example:
      'Para una prueba en Internet, utilice <example></example>, que sí se resuelve. Los nombres que terminan en <test></test>, <reserved></reserved> o <invalid></invalid> están reservados y nunca se resuelven en el DNS público (RFC 2606, RFC 6761).',
    settings:
      'Para desactivar la comprobación para todos los dominios, el operador de este servidor puede establecer <check></check>; <servers></servers> selecciona otros servidores DNS.',
    skip: '{{button}}, sin la comprobación de DNS.',
  },
  playground: {
    title: 'Pruebe un nivel',
    level: 'Nivel',
    levelHelp: 'El nivel de esta propiedad es {{level}}. Probar otro nivel no lo cambia.',
    show: 'Probar este nivel',
    text: 'Marque la casilla. Su navegador resuelve entonces un puzle de nivel {{level}}, como el navegador de un visitante. El puzle es solo para esta prueba: no se contabiliza y ningún backend lo acepta.',
    noScript: 'El widget requiere JavaScript.',
    solving: 'Resolviendo…',
    measuredWasm:
      'Su navegador ha tardado {{elapsed}} ms y ha hecho al menos {{attempts}} intentos, con WebAssembly: unos {{rate}} millones por segundo.',
    measuredScript:
      'Su navegador ha tardado {{elapsed}} ms y ha hecho al menos {{attempts}} intentos, sin WebAssembly: unos {{rate}} millones por segundo.',
    failed: 'El puzle no se ha resuelto: {{reason}}',
    costTitle: 'Coste de este nivel',
    cost: 'Un puzle de nivel {{level}} requiere unos {{attempts}} intentos de media. El número depende del azar: algunos visitantes necesitan la mitad y otros, el doble. Un portátil tarda {{laptop}} y un teléfono lento, {{phone}}. Un bot dedica {{bot}} de un núcleo del procesador a cada formulario que envía.',
    testIntegration: 'Para ver cada paso de una verificación real, <link>pruebe la integración</link>.',
  },
  transfer: {
    link: 'Importación y exportación',
    title: 'Importar y exportar propiedades',
    exportTitle: 'Exportación',
    exportText:
      'Un archivo con todas las propiedades de esta organización y su configuración, con los nombres de la Platform API. Puede cambiar el archivo e importarlo de nuevo.',
    exportCsv: 'Exportar CSV',
    exportJson: 'Exportar JSON',
    importTitle: 'Importación',
    importText:
      'Una propiedad con la clave de sitio de una propiedad existente cambia esa propiedad. Una propiedad sin clave de sitio se crea. Los ajustes que el archivo omite conservan su valor o reciben el predeterminado. Antes de que se aplique nada, se muestran todos los cambios.',
    file: 'Archivo CSV o JSON',
    fileHelp: '{{count}} propiedades y {{size}} como máximo.',
    createsUnknown: 'Crear propiedades cuya clave de sitio no esté en esta organización',
    createsUnknownHelp:
      'Reciben claves de sitio nuevas. Utilice esta opción para copiar propiedades de otra organización u otro servidor.',
    preview: 'Previsualizar importación',
    previewTitle: 'Vista previa de la importación',
    nothing: 'El archivo no cambia nada: todas las propiedades tienen ya esta configuración.',
    summary: {
      create_one: 'Se creará {{count}} propiedad.',
      create_other: 'Se crearán {{count}} propiedades.',
      update_one: 'Se cambiará {{count}} propiedad.',
      update_other: 'Se cambiarán {{count}} propiedades.',
      keep_one: '{{count}} propiedad permanece igual.',
      keep_other: '{{count}} propiedades permanecen igual.',
      reject_one: '{{count}} propiedad tiene un problema. Corrija el archivo e impórtelo de nuevo.',
      reject_other: '{{count}} propiedades tienen problemas. Corrija el archivo e impórtelo de nuevo.',
    },
    all: 'Se aplican todos los cambios o ninguno. Los dominios de las propiedades nuevas y cambiadas se consultan primero en el DNS.',
    skipDns: 'Importar sin la comprobación de DNS',
    skipDnsHelp:
      'Para dominios que solo se resuelven en su red. Quedará constancia en el registro de auditoría.',
    apply_one: 'Importar {{count}} propiedad',
    apply_other: 'Importar {{count}} propiedades',
    another: 'Elegir otro archivo',
    problems: 'Problemas',
    changes: 'Cambios',
    line: 'Línea',
    position: 'N.º',
    property: 'Propiedad',
    column: 'Columna',
    problem: 'Problema',
    change: 'Cambio',
    created: 'Nueva propiedad para {{domain}}',
    createdNewSitekey: 'Nueva propiedad para {{domain}}, con una clave de sitio nueva',
    fromTo: '<name></name>: {{before}} → {{after}}',
    more_one: '{{count}} más no se muestra.',
    more_other: '{{count}} más no se muestran.',
    done_one: 'Se ha importado {{count}} propiedad.',
    done_other: 'Se han importado {{count}} propiedades.',
    notApplied: 'No se ha importado nada debido a los problemas que se indican más abajo.',
    yes: 'sí',
    no: 'no',
  },
};
