import type { Catalog } from '../catalog.ts';

export const organizations: Catalog['organizations'] = {
  name: 'Nombre',
  ownedByYou: 'Usted es el propietario',
  ownedBy: 'Propietario: {{email}}',
  properties_one: '{{count}} propiedad',
  properties_other: '{{count}} propiedades',
  tabs: {
    properties: 'Propiedades',
    apiKeys: 'Claves de API',
    members: 'Miembros',
    activity: 'Actividad',
    settings: 'Configuración',
  },
  list: {
    title: 'Organizaciones',
    heading: 'Sus organizaciones',
    caption: 'Sus organizaciones, con los recuentos de las últimas 24 horas',
    organization: 'Organización',
    properties: 'Propiedades',
    members: 'Miembros',
    text: 'Nombre',
    noMatches: 'No hay ninguna organización que coincida.',
  },
  create: {
    button: 'Crear organización',
    explanation:
      'Las propiedades pertenecen a organizaciones. Los miembros de una organización gestionan sus propiedades de forma conjunta.',
    nameHelp: 'Por ejemplo, el nombre de su empresa. Usted será el propietario.',
    done: 'Se ha creado la organización «{{name}}».',
  },
  members: {
    title: 'Miembros',
    member: 'Miembro',
    role: 'Rol',
    since: 'Miembro desde',
    actions: 'Acciones',
    owner: 'Propietario',
    you: '(usted)',
    transfer: 'Convertir en propietario',
    transferLabel: 'Convertir en propietario: {{name}}',
    remove: 'Quitar miembro',
    removeLabel: 'Quitar miembro: {{name}}',
    removeTitle: '¿Quitar a {{name}}?',
    removeText:
      '{{name}} pierde el acceso a esta organización, también con sus claves de API. Se cancelan las invitaciones pendientes que haya creado. Su cuenta se conserva.',
    removed: '{{name}} ya no es miembro.',
  },
  invitations: {
    heading: 'Invitaciones pendientes',
    none: 'No hay ninguna invitación pendiente.',
    address: 'Dirección de correo electrónico',
    expires: 'Caducidad',
    withdraw: 'Cancelar invitación',
    withdrawLabel: 'Cancelar invitación: {{email}}',
    withdrawTitle: '¿Cancelar la invitación para {{email}}?',
    withdrawText: 'El enlace que ha enviado deja de funcionar.',
    withdrawn: 'Se ha cancelado la invitación para {{email}}.',
    invite: 'Invitar a un miembro',
    create: 'Crear invitación',
    explanation:
      'Un miembro puede ver las propiedades de esta organización y sus estadísticas, y puede crear, cambiar y eliminar propiedades.',
    emailHelp:
      'Solo un usuario con esta dirección puede aceptar la invitación. Si vuelve a invitar a la misma dirección, el enlace anterior deja de funcionar.',
    linkHeading: 'Enlace de invitación',
    linkText:
      'Postern no envía correos electrónicos, por lo que debe hacer llegar este enlace a {{email}} por su cuenta. El enlace se muestra una sola vez, funciona una sola vez y caduca {{time}}.',
    copyLink: 'Copiar enlace',
    linkSecret: 'El enlace es secreto: no lo envíe a otras personas.',
    sent: 'Lo he enviado',
  },
  invitation: {
    title: 'Ha recibido una invitación',
    text: '{{inviter}} le invita a «{{organization}}». Sus miembros gestionan sus propiedades y ven sus estadísticas.',
    validity: 'La invitación es para {{email}} y caduca {{time}}.',
    signedIn: 'Ha iniciado sesión como {{email}}.',
    otherAddress:
      'Ha iniciado sesión como {{current}}, que es otra dirección. Cierre la sesión y continúe como {{email}}.',
    accept: 'Aceptar invitación',
    signOut: 'Cerrar sesión',
    signedOut: 'Ha cerrado la sesión.',
    accepted: 'Ahora es miembro de «{{name}}».',
    signIn: 'Iniciar sesión',
    signInText: 'Si esta dirección tiene una cuenta aquí, inicie sesión con ella.',
    signInToAccept: 'Iniciar sesión para aceptar',
    createAccount: 'Crear cuenta',
    createAccountText:
      'Si esta dirección aún no tiene una cuenta aquí, cree una y, a continuación, inicie sesión con ella.',
    yourName: 'Su nombre',
    yourNameHelp: 'Los demás miembros ven este nombre.',
    password: 'Contraseña',
    accountCreated:
      'Inicie sesión como {{email}} para aceptar la invitación. Si ya tenía una cuenta, su contraseña no ha cambiado.',
    noLink:
      'Para aceptar una invitación, abra el enlace que le ha enviado el propietario de la organización.',
    invalidTitle: 'Esta invitación no es válida',
    alreadyAccepted: 'Si ya la ha aceptado, <link>vaya a sus organizaciones</link>.',
  },
  settings: {
    rename: 'Cambiar nombre de la organización',
    renamed: 'Se ha cambiado el nombre de la organización.',
    ownership: 'Propietario',
    ownershipText:
      'Usted es el propietario de esta organización. Para transferirla, elija «Convertir en propietario» para otro miembro en la <link>lista de miembros</link>. Seguirá siendo miembro y podrá abandonar la organización después.',
    delete: 'Eliminar organización',
    deleteHeading: 'Zona de peligro',
    deleteText:
      'Se eliminan la organización y sus propiedades, y las propiedades dejan de funcionar de inmediato.',
    details: 'Detalles',
    owner: 'Propietario',
    yourRole: 'Su rol',
    member: 'Miembro',
    memberSince: 'Miembro desde {{time}}',
    ownerOnly:
      'Solo el propietario puede cambiar el nombre de la organización, invitar a miembros y eliminarla.',
    leaveHeading: 'Abandonar',
    leaveText:
      'Usted y sus claves de API pierden el acceso a las propiedades de la organización. Las propiedades siguen funcionando. Para volver a unirse a la organización, necesita una invitación nueva.',
    leave: 'Abandonar organización',
    leaveTitle: '¿Abandonar «{{name}}»?',
    left: 'Ha abandonado «{{name}}».',
    cannotLeave: 'No es posible',
    ownerCannotLeave:
      'El propietario de una organización no puede abandonarla. Convierta primero a otro miembro en propietario o elimine la organización.',
  },
  delete: {
    title: '¿Eliminar esta organización?',
    button: 'Eliminar organización',
    empty: 'La organización no tiene propiedades. {{rest}}',
    stops_one:
      'Su propiedad deja de funcionar de inmediato: los widgets ya no reciben puzles y las soluciones se rechazan. {{rest}}',
    stops_other:
      'Sus {{count}} propiedades dejan de funcionar de inmediato: los widgets ya no reciben puzles y las soluciones se rechazan. {{rest}}',
    rest: 'Los miembros pierden el acceso y las claves de API de esta organización dejan de funcionar. Esta acción no se puede deshacer.',
    done: 'Se han eliminado «{{name}}» y sus propiedades.',
  },
  transfer: {
    title: '¿Transferir esta organización?',
    button: 'Transferir organización',
    question: '¿Transferir «{{organization}}» a {{user}}?',
    consequences: {
      owner:
        'Solo el nuevo propietario puede cambiarle el nombre, eliminarla o transferirla, así como invitar o quitar miembros.',
      member:
        'Usted sigue siendo miembro y puede gestionar sus propiedades. No podrá deshacer la transferencia por su cuenta.',
      plan: 'La organización y sus propiedades se contabilizan en el plan del nuevo propietario en lugar de en el suyo.',
      rest: 'Las propiedades y las claves de API no cambian.',
    },
    done: '{{name}} es ahora el propietario de esta organización.',
    problems: {
      'account-disabled': 'Este usuario está desactivado y no puede ser el propietario.',
      'organization-name-taken':
        'Este usuario ya es propietario de una organización con este nombre. Cambie primero el nombre de una de las dos.',
      'organizations-limit': 'El plan de este usuario no permite más organizaciones.',
      'properties-limit':
        'El plan de este usuario no permite añadir las propiedades de esta organización a las suyas.',
    },
  },
};
