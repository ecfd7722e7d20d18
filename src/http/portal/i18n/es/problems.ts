import type { Catalog } from '../catalog.ts';

export const problems: Catalog['problems'] = {
  'path-unknown': 'Esta ruta no existe. Compruebe que esté bien escrita.',
  'method-not-allowed': 'Esta ruta no admite este método. El encabezado Allow indica los métodos admitidos.',
  'request-malformed': 'No se pudo leer la solicitud. Compruebe la sintaxis y vuelva a intentarlo.',
  'body-too-large': 'El cuerpo de la solicitud supera el tamaño que acepta esta ruta.',
  'rate-limited':
    'Se han recibido demasiadas solicitudes desde esta dirección. Espere los segundos que indica el encabezado Retry-After.',
  'key-rate-limited':
    'Se han enviado demasiadas solicitudes con esta clave de API o con el conjunto de las claves de API de su usuario. Espere los segundos que indica el encabezado Retry-After.',
  'internal-error':
    'Se ha producido un error interno. El registro del servidor contiene más detalles con este identificador de solicitud.',
  unavailable: 'El servicio no está disponible temporalmente. Vuelva a intentarlo en unos instantes.',
  maintenance:
    'El servicio está en modo de mantenimiento y rechaza los cambios. Vuelva a intentarlo más tarde.',
  'operation-sunset': 'Esta operación se ha retirado. La documentación indica cuál la sustituye.',

  'key-not-accepted':
    'El encabezado X-API-Key debe contener una clave de API válida. Esta falta, tiene un formato incorrecto, es desconocida, se ha revocado o ha caducado.',
  'scope-not-enough':
    'Esta clave de API no tiene el ámbito adecuado. La Platform API requiere una clave con el ámbito portal.',
  'key-read-only': 'Esta clave de API es de solo lectura. Utilice una clave con acceso de escritura.',
  'key-organization-only':
    'Esta clave de API solo tiene acceso a una organización. Utilice una clave sin esta restricción.',

  'media-type-unsupported':
    'Esta operación requiere un cuerpo JSON, incluso con DELETE. Envíelo con el encabezado Content-Type: application/json.',
  'json-malformed':
    'El cuerpo debe ser JSON codificado en UTF-8 con la estructura que espera esta operación.',
  'field-unknown': 'El cuerpo contiene un campo que esta operación no acepta. Elimínelo.',
  'field-mistyped': 'Un valor del cuerpo tiene un tipo incorrecto.',
  'query-malformed': 'Un parámetro de consulta tiene un valor no válido.',

  'sitekey-malformed': 'La clave de sitio debe constar de 32 dígitos hexadecimales. Cópiela de la propiedad.',
  'origin-missing': 'La solicitud no tiene el encabezado Origin. Los puzles solo se emiten a páginas web.',
  'property-unknown': 'No hay ninguna propiedad activa con esta clave de sitio.',
  'origin-not-allowed':
    'Esta página no pertenece al dominio de la propiedad. Compruebe el dominio y la configuración de subdominios y localhost.',
  'origin-without-domain':
    'Esta página tiene un nombre de host sin punto o una dirección IP, que ninguna propiedad puede tener como dominio. Abra la página con un nombre de host completo, por ejemplo, intranet.example.com, y utilícelo como dominio de la propiedad.',

  'rule-blocked': 'Una regla del operador o del sitio web bloquea esta solicitud.',
  'organization-name-empty': 'La organización necesita un nombre.',
  'organization-name-too-long': 'El nombre de una organización puede tener 128 caracteres como máximo.',
  'organization-name-malformed':
    'El nombre de la organización contiene caracteres no permitidos: caracteres de control, caracteres de formato invisibles (como los de unión) o paréntesis angulares.',
  'organization-name-taken': 'El propietario ya tiene una organización con este nombre.',
  'organizations-limit':
    'El plan del usuario no permite más organizaciones. Elimine una organización o solicite otro plan al operador.',
  'organization-unknown': 'La organización solicitada no existe.',
  'organization-not-yours': 'El usuario no es miembro de esta organización.',
  'organization-not-owned': 'Solo el propietario de la organización puede realizar esta acción.',
  'organization-id-not-empty':
    'El servidor asigna el identificador de las organizaciones nuevas. Omita el identificador o envíe una cadena vacía.',
  'organization-id-empty': 'Falta el identificador de la organización.',
  'organization-owner-read-only':
    'Esta operación no puede cambiar el propietario de una organización. Omita el propietario o envíe el actual.',
  'organization-id-malformed':
    'Este identificador de organización no es válido. Cópielo de la lista de organizaciones.',

  'batch-malformed': 'El cuerpo debe ser una matriz con al menos un elemento.',
  'batch-too-large': 'Un lote puede tener 128 elementos como máximo. Divídalo en varios lotes.',
  'property-name-empty': 'La propiedad necesita un nombre.',
  'property-name-too-long': 'El nombre de una propiedad puede tener 128 caracteres como máximo.',
  'property-name-malformed':
    'El nombre de la propiedad contiene caracteres no permitidos: caracteres de control, caracteres de formato invisibles (como los de unión) o paréntesis angulares.',
  'property-name-taken': 'La organización ya tiene una propiedad con este nombre.',
  'domain-empty': 'La propiedad necesita un dominio.',
  'domain-localhost':
    'El dominio no puede ser localhost. Utilice un dominio público y permita localhost en la configuración.',
  'domain-is-address': 'El dominio no puede ser una dirección IP. Utilice un nombre de dominio.',
  'domain-not-valid': 'El dominio no es un nombre de dominio válido. Introduzca un nombre como example.com.',
  'domain-single-label':
    'El dominio no contiene ningún punto. Utilice el nombre completo del host, por ejemplo, intranet.example.com, y abra las páginas con el widget con ese nombre.',
  'domain-is-suffix':
    'El dominio es un sufijo público, en el que distintos propietarios registran nombres. Utilice el dominio de su sitio web, por ejemplo, example.co.uk.',
  'domain-unresolved':
    'El dominio no se resuelve en el DNS. Compruebe que esté bien escrito o publique primero un registro DNS.',
  'dns-unanswered':
    'Los servidores DNS no respondieron a tiempo para este dominio. Vuelva a intentarlo más tarde.',
  'domain-malformed':
    'El dominio debe ser solo un nombre de host, como example.com, sin esquema, puerto, ruta, espacios ni comodines.',
  'sitekey-read-only':
    'La clave de sitio de una propiedad no se puede cambiar. Omita la clave de sitio o envíe la actual.',
  'property-id-empty': 'Falta el identificador de la propiedad.',
  'property-id-malformed':
    'Este identificador de propiedad no es válido. Cópielo de la lista de propiedades.',
  'property-gone': 'Esta propiedad no existe o se ha eliminado.',
  'property-id-repeated': 'El lote contiene esta propiedad más de una vez. Inclúyala solo una vez.',
  'property-not-yours':
    'Esta propiedad pertenece a una organización a la que la clave de API no tiene acceso.',
  'properties-limit':
    'El plan del propietario de la organización no permite más propiedades. Elimine algunas propiedades o solicite otro plan al operador.',
  'level-malformed': 'El nivel debe ser un número entero entre 1 y 255.',
  'growth-unknown': 'El crecimiento debe ser constant, slow, medium o fast.',
  'challenge-unknown': 'El tipo de trabajo (challenge) debe ser blake2b o argon2id.',
  'validity-malformed':
    'La validez (validity_seconds) debe ser un número entero de segundos entre 60 y 172800.',
  'allow-subdomains-malformed': 'allow_subdomains debe ser true o false.',
  'allow-localhost-malformed': 'allow_localhost debe ser true o false.',
  'enabled-malformed': 'enabled debe ser true o false.',
  'allowance-malformed':
    'El número de verificaciones por solución (max_replay_count) debe ser un número entero entre 1 y 1000000.',

  'rules-invalid':
    'Las reglas tienen errores, por lo que no se cambió nada; data.errors los indica con sus posiciones.',
  'rules-changed-meanwhile':
    'Las reglas se cambiaron mientras tanto. Vuelva a cargar la página y repita el cambio.',
  'rule-unknown': 'La lista no tiene ninguna regla con este identificador; puede que se haya eliminado.',
  'rules-number-malformed':
    'La revisión de las reglas (revision) y la posición de una regla (position) deben ser números enteros desde 0.',
  'address-malformed': 'La dirección de cliente debe ser una dirección IPv4 o IPv6.',
  'page-path-malformed':
    'La ruta de una página debe empezar por una sola barra y tener como máximo 2048 caracteres.',
  'task-unknown':
    'El usuario no tiene ninguna tarea con este identificador. Las tareas finalizadas se conservan durante 7 días.',
  'task-key-revoked': 'La clave de API que inició esta tarea se revocó antes de que la tarea se ejecutara.',
  'task-account-disabled':
    'El usuario que inició esta tarea se desactivó antes de que la tarea se ejecutara.',
  'import-not-applied':
    'No se ha aplicado nada de esta importación porque se rechazó otra de sus propiedades.',
  'task-queue-full':
    'El usuario tiene demasiadas tareas en espera. Vuelva a intentarlo cuando hayan finalizado algunas.',

  'plan-name-malformed':
    'El nombre de un plan debe constar de 1 a 64 letras minúsculas, dígitos y guiones, y empezar por una letra o un dígito.',
  'plan-unknown': 'Este plan no existe.',

  'email-malformed': 'Esta dirección de correo electrónico no es válida.',
  'email-domain-malformed':
    'El dominio de esta dirección de correo electrónico no es válido; compruebe sus caracteres internacionales o las partes que empiezan por xn--.',
  'email-taken': 'Ya existe un usuario con esta dirección de correo electrónico.',
  'password-too-short': 'Una contraseña debe tener al menos 8 caracteres.',
  'password-too-long': 'Una contraseña puede tener 256 caracteres como máximo.',
  'password-common':
    'Esta contraseña es muy común o repite un patrón corto, por lo que los atacantes la prueban primero. Elija otra.',
  'password-guessable':
    'Esta contraseña se basa en el nombre del producto, en su organización o en su dirección de correo electrónico y es demasiado fácil de adivinar. Elija otra.',
  'passwords-busy':
    'El servidor está comprobando demasiadas contraseñas en este momento. Vuelva a intentarlo en unos instantes.',
  'account-name-empty': 'El usuario necesita un nombre.',
  'account-name-too-long': 'El nombre de un usuario puede tener 128 caracteres como máximo.',
  'account-name-malformed':
    'El nombre del usuario contiene caracteres no permitidos: caracteres de control, caracteres de formato invisibles (como los de unión) o paréntesis angulares.',
  'account-unknown': 'Este usuario no existe.',
  'account-disabled': 'Este usuario se ha desactivado.',
  'admin-only': 'Solo un administrador puede realizar esta acción.',
  'admin-last':
    'Es el último administrador que puede iniciar sesión. Convierta primero a otro usuario en administrador.',
  'member-is-owner':
    'Este usuario es el propietario de la organización, por lo que no se puede añadir ni quitar como miembro.',
  'member-unknown': 'Este usuario no es miembro de la organización.',

  'member-already': 'El usuario con esta dirección de correo electrónico ya es miembro de la organización.',
  'invitation-unknown':
    'Esta invitación no es válida: se ha utilizado, se ha cancelado o ha caducado. Solicite otra.',
  'invitation-not-yours':
    'Esta invitación es para otra dirección de correo electrónico. Inicie sesión con esa dirección.',
  'invitations-limit': 'La organización tiene demasiadas invitaciones pendientes. Cancele algunas de ellas.',

  'key-name-empty': 'La clave de API necesita un nombre.',
  'key-name-too-long': 'El nombre de una clave de API puede tener 128 caracteres como máximo.',
  'key-name-malformed':
    'El nombre de la clave de API contiene caracteres no permitidos: caracteres de control, caracteres de formato invisibles (como los de unión) o paréntesis angulares.',
  'key-malformed':
    'Una clave de API debe tener entre 32 y 256 caracteres imprimibles. Una clave que empieza por postern_ debe estar completa y sin modificar.',
  'key-taken': 'Esta clave de API ya existe.',
  'keys-limit':
    'Un usuario puede tener 100 claves de API activas como máximo. Revoque una que ya no sea necesaria.',
  'key-unknown': 'Esta clave de API no existe.',
  'key-revoked': 'Esta clave de API ya se ha revocado.',
  'key-expiry-past': 'La fecha de caducidad de la clave de API ya ha pasado. Elija una fecha futura.',
  'key-rate-malformed':
    'La frecuencia de una clave de API debe ser un número de solicitudes por segundo entre 0.001 y 1000000000.',
  'key-burst-malformed':
    'La ráfaga de una clave de API debe ser un número entero de solicitudes entre 1 y 1000000000.',
  'key-rate-too-high':
    'Solo un administrador puede asignar a una clave de API una frecuencia o una ráfaga superior al límite configurado.',
  'scope-unknown': 'El ámbito de una clave de API debe ser portal o verify.',

  'credentials-wrong': 'La dirección de correo electrónico o la contraseña no son correctas.',
  'password-wrong': 'Esta no es su contraseña actual.',
  'two-factor-required':
    'Esta instalación requiere la autenticación de dos factores, por lo que no se puede desactivar.',
  'user-disabled':
    'Esta cuenta está desactivada. Póngase en contacto con un administrador de esta instalación.',
  'code-wrong': 'Este código no es correcto o ya se ha utilizado.',
  'setup-closed': 'La configuración inicial ha finalizado: ya hay un usuario que puede iniciar sesión.',
  'setup-token-wrong':
    'Este no es el enlace de configuración más reciente. El registro contiene el enlace que el servidor mostró la última vez que se inició.',
  'name-not-typed': 'Este no es el nombre. Introdúzcalo exactamente como se muestra encima del campo.',
  'password-link-unknown':
    'Este enlace no es válido: se ha utilizado, ha caducado o la contraseña se ha cambiado desde entonces. Solicite otro a un administrador.',
  'form-sent-before':
    'Este formulario ya se ha enviado. Su resultado no se vuelve a mostrar. Envíelo de nuevo solo si desea un resultado nuevo.',
  'day-malformed': 'Introduzca una fecha, por ejemplo, 2027-01-31.',
  'search-too-long': 'Introduzca 512 caracteres como máximo.',
  'rate-not-a-number':
    'Introduzca un número, con un punto delante de los decimales (por ejemplo, 0.5), o deje el campo vacío.',
  'maintenance-word': 'Seleccione si el modo de mantenimiento está activado o desactivado.',
  'repeats-too-few':
    'Para aceptar soluciones repetidas, introduzca un número entre 2 y 1000000. Para aceptar cada solución una sola vez, desmarque la casilla.',
  'state-word': 'Seleccione si la propiedad está activada o desactivada.',
  'quota-malformed': 'Introduzca un número entero entre 0 y 1000000000.',
  'validity-out-of-range': 'Introduzca una duración en segundos enteros, de 1 minuto a 48 horas.',
  'level-not-custom':
    'Se ha introducido un nivel exacto. Seleccione «Personalizada» para utilizarlo o borre el campo.',
  'import-file-missing': 'Elija un archivo CSV o JSON.',
  'import-empty': 'El archivo no contiene propiedades.',
  'import-too-large': 'El archivo supera los 768 KiB. Divídalo en varios archivos.',
  'import-too-many': 'El archivo contiene más de 1000 propiedades. Divídalo en varios archivos.',
  'import-not-utf8': 'El archivo no está en UTF-8. Guárdelo como UTF-8.',
  'import-csv-malformed': 'No se pudo leer el archivo CSV.',
  'import-json-malformed': 'No se pudo leer el archivo JSON. Debe ser una matriz de objetos.',
  'import-column-unknown': 'El archivo tiene una columna que no forma parte del formato.',
  'import-column-repeated': 'El archivo tiene una columna repetida.',
  'import-value-malformed': 'El elemento no es un objeto.',
  'import-member-unknown': 'El objeto tiene un campo que no forma parte del formato.',
  'import-sitekey-unknown': 'Ninguna propiedad de esta organización tiene esta clave de sitio.',
  'import-sitekey-repeated': 'Una fila anterior tiene la misma clave de sitio.',
  'key-secret-replaced': 'Este secreto de la clave de API se ha reemplazado; utilice el secreto actual.',
  'key-old-secret-ended': 'Esta clave de API no tiene ningún secreto anterior que siga siendo válido.',
  'keep-old-malformed':
    'Un secreto anterior puede seguir siendo válido durante 0, 3600, 86400 o 604800 segundos (keep_old_seconds).',
  'period-reversed': 'El último día es anterior al primero. Introduzca un día que no sea anterior.',
  'period-future': 'Las estadísticas terminan hoy (UTC). Introduzca días hasta hoy.',
  'period-too-old':
    'Las estadísticas se conservan durante dos años. Introduzca un día de los últimos 730 días.',
  'period-too-long':
    'Un intervalo personalizado tiene como máximo 366 días. Introduzca días más próximos entre sí.',
  'action-unknown': 'Seleccione uno de los grupos de acciones de la lista.',
};
