import type { Catalog } from '../catalog.ts';

export const integration: Catalog['integration'] = {
  values: {
    title: 'Valores',
    text: 'Todo lo que necesitan su página y su backend.',
    sitekey: 'Clave de sitio',
    script: 'URL del script',
    endpoint: 'URL de verificación',
    pinned: 'URL del script de esta versión',
    integrity: 'Integridad de esta versión',
    copy: 'Copiar el valor de «{{name}}»',
  },
  page: {
    title: 'Añada el widget a su página',
    text: 'El widget es un elemento de su formulario. Envía su solución en el campo <code>postern-captcha-solution</code>.',
    tabs: 'Framework',
    html: 'HTML',
    shared: 'Todos los componentes utilizan este módulo:',
    component: 'El componente:',
    more: '<link>Más información sobre frameworks</link>, por ejemplo, sobre la renderización en el servidor y los eventos.',
    pinned: 'Fijar la versión del script',
    pinnedText:
      'Los navegadores comprueban la integridad de este script y lo guardan en caché de forma permanente. Actualice su página cuando actualice Postern.',
    codeName: 'el código para {{name}}',
    fileName: 'el archivo {{name}}',
    pinnedName: 'el script de esta versión',
  },
  backend: {
    title: 'Verifique la solución en su backend',
    text: 'Antes de procesar el formulario, su backend verifica la solución. Cada una de estas funciones la verifica y comprueba que procede de su página.',
    tabs: 'Lenguaje',
    requires: {
      javascript: 'Requiere Node 18 o posterior, Deno o Bun.',
      python: 'Requiere Python 3 y ningún paquete.',
      php: 'Requiere PHP 8 con allow_url_fopen activado, que es el valor predeterminado.',
      ruby: 'Requiere Ruby 2.7 o posterior y ninguna gema.',
      java: 'Requiere Java 11 o posterior y ninguna biblioteca.',
      go: 'Solo requiere la biblioteca estándar.',
      curl: 'Requiere un shell con curl y grep.',
    },
  },
  key: {
    text: 'Su backend necesita una clave de API en lugar de <code></code>. Cree una aquí y el código que aparece más abajo la contendrá. Solo puede verificar soluciones de esta organización.',
    other:
      'Si ya tiene una clave con el ámbito «Verificación de captchas», utilice esa. <link>Mostrar claves de API</link>',
    button: 'Crear clave de API',
    shown:
      '<strong>El código que aparece más abajo contiene la nueva clave de API, que se muestra una sola vez.</strong> Copie el código antes de salir de esta página y guarde la clave en su servidor, nunca en una página. Si la pierde, cree una nueva.',
    label: 'Clave de API',
    copy: 'Copiar clave de API',
  },
  vendors: {
    title: 'Sustituir otro CAPTCHA',
    text: 'Si su página y su backend se crearon para otro proveedor, cambie solo el nombre de host, la clave de sitio y el secreto. Como secreto, utilice una clave de API con el ámbito «Verificación de captchas».',
    tabs: 'Proveedor',
    page: 'Utilice este código en la página. El formulario envía el campo <code></code>:',
    endpoint: 'Utilice esta URL de verificación en el backend:',
    pageName: 'el código de la página para {{name}}',
    endpointName: 'la URL de verificación para {{name}}',
    guide: '<link>Leer la guía de migración</link>',
  },
  test: {
    title: 'Pruebe la integración',
    text: 'Vea cada paso de una verificación real: su navegador obtiene un puzle para una de sus páginas y lo resuelve, y este servidor verifica la solución igual que para su backend.',
    open: 'Probar la integración',
    page: 'Dirección de su página',
    pageHelp:
      'La dirección de la página que contiene el widget. La prueba obtiene un puzle como lo hace un visitante de esa página.',
    use: 'Utilizar esta dirección',
    run: 'Ejecutar prueba',
    again: 'Ejecutar prueba de nuevo',
    noScript: 'La prueba requiere JavaScript.',
    uncounted:
      'La prueba utiliza un puzle real con la dificultad actual, pero no aparece en las estadísticas ni aumenta la dificultad.',
    stepsTitle: 'Pasos',
    waiting: 'Sin iniciar',
    running: 'En curso…',
    skipped: 'No alcanzado',
    steps: {
      fetch: 'Obtener un puzle',
      fetchMeaning:
        'El widget solicita un puzle para la clave de sitio. El servidor comprueba que la propiedad esté activada y que la página pueda utilizarla, y firma el puzle.',
      fetchDone: 'Se han recibido {{bytes}} bytes en {{ms}} ms. La dificultad es {{level}}.',
      solve: 'Resolverlo en el navegador',
      solveMeaning:
        'El navegador busca números que encajen en el puzle. Este es el trabajo que ralentiza a los bots.',
      solveDone: 'Resuelto en {{ms}} ms, {{how}}. La solución tiene {{bytes}} caracteres.',
      wasm: 'con WebAssembly',
      script: 'sin WebAssembly',
      send: 'Enviar la solución para su verificación',
      sendMeaning:
        'Su formulario envía la solución a su backend y este la envía a este servidor con una clave de API. La prueba la envía directamente.',
      sendDone: 'Se han enviado {{sent}} bytes y se ha recibido la respuesta en {{ms}} ms.',
      verdict: 'Leer el resultado',
      verdictMeaning:
        'Su backend acepta el formulario si «success» es true y «origin» es el host de su página.',
    },
    success: 'La solución se ha aceptado. Código {{code}}, origen {{origin}}.',
    rejected: 'La solución se ha rechazado con el código {{code}} ({{name}}). {{advice}}',
    answer: 'Respuesta del servidor',
    causes: {
      'property-unknown':
        'La propiedad está desactivada o se ha eliminado. Si está desactivada, actívela en la configuración.',
      'origin-missing':
        'Falta la dirección de la página. Introduzca la dirección de la página que contiene el widget.',
      'origin-not-allowed':
        'La propiedad no permite esta página: {{host}} no es {{domain}}. En la configuración, cambie el dominio o permita subdominios o localhost.',
      'origin-without-domain':
        '{{host}} es un nombre de host sin punto o una dirección IP y no puede ser el dominio de una propiedad. Abra la página con un nombre de host completo, por ejemplo, intranet.example.com, y establézcalo como dominio en la configuración.',
      unavailable:
        'El servidor no puede leer su base de datos en este momento. Vuelva a intentarlo y consulte su registro.',
      expired: 'Esta página es demasiado antigua. Vuelva a cargarla y ejecute la prueba de nuevo.',
      'rate-limited':
        'Las pruebas de esta propiedad han solicitado demasiados puzles. Espere un minuto y ejecute la prueba de nuevo.',
      network:
        'El navegador no ha podido conectar con el servidor. Es posible que una extensión o un problema de red bloquee la solicitud. En su propia página, una política de seguridad de contenido puede tener el mismo efecto: permita este servidor en connect-src y script-src.',
      widget:
        'El widget no se ha cargado. Es posible que una extensión lo bloquee. En su propia página, una política de seguridad de contenido puede tener el mismo efecto: permita este servidor en script-src.',
      solve: 'El navegador no ha podido resolver el puzle: {{reason}}',
      session:
        'El servidor ha rechazado la solicitud, quizá porque la sesión ha finalizado. Vuelva a cargar la página.',
    },
    advice: {
      'error-other':
        'La propiedad está desactivada o el servidor tiene un problema. Compruebe la configuración de la propiedad y el registro del servidor.',
      'puzzle-expired':
        'El puzle ha caducado. Ejecute la prueba de nuevo o aumente la validez en la configuración.',
      'solution-verified-before': 'Esta solución ya se había verificado. Ejecute la prueba de nuevo.',
      other: 'Ejecute la prueba de nuevo. Si vuelve a fallar, consulte el registro del servidor.',
    },
    pageMalformed: 'Introduzca la dirección de una página, por ejemplo, www.example.com/login.',
  },
};
