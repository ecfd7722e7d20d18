import type { Catalog } from '../catalog.ts';

export const admin: Catalog['admin'] = {
  system: 'Système',
  tabs: {
    overview: 'Vue d’ensemble',
    users: 'Utilisateurs',
    plans: 'Formules',
    statistics: 'Statistiques',
    settings: 'Paramètres',
  },
  overview: {
    installation: 'Installation',
    version: 'Version',
    schema: 'Schéma de la base de données',
    time: 'Heure du serveur',
    address: 'Votre adresse',
    storage: 'Stockage',
    rows: {
      accounts: 'Utilisateurs',
      organizations: 'Organisations',
      properties: 'Propriétés',
      apiKeys: 'Clés d’API',
      invitations: 'Invitations en cours',
      unfinishedTasks: 'Tâches non terminées',
      finishedTasks: 'Tâches terminées',
      auditEntries: 'Entrées du journal d’audit',
    },
    files: {
      caption: 'Fichiers de la base de données',
      file: 'Fichier',
      size: 'Taille',
      none: 'Il n’y a aucun fichier.',
    },
  },
  maintenance: {
    title: 'Mode maintenance',
    on: 'Activé',
    off: 'Désactivé',
    offText: 'Le serveur accepte les modifications.',
    onText: 'Le serveur rejette les modifications. Les visiteurs peuvent toujours résoudre des puzzles.',
    turnOn: 'Activer le mode maintenance',
    turnOff: 'Désactiver le mode maintenance',
    turnOnTitle: 'Activer le mode maintenance ?',
    whileOn: 'Tant que le mode maintenance est activé :',
    effects: {
      codes:
        'Les puzzles sont fournis et les solutions sont vérifiées comme d’habitude. Une solution acceptée reçoit <code>success: true</code> avec le code 9 au lieu de 0.',
      backends:
        'Les backends qui contrôlent <code>success</code>, comme ceux qui utilisent le code de ce portail, continuent d’accepter les formulaires. <strong>Les backends qui exigent le code 0 rejettent tous les formulaires</strong> jusqu’à la désactivation du mode maintenance.',
      changes:
        'Les modifications effectuées dans le portail et via la Platform API sont rejetées avec le statut 503. Les tâches attendent.',
      banner: 'Chaque page du portail affiche une bannière.',
    },
    turnedOn: 'Le mode maintenance a été activé.',
    turnedOff: 'Le mode maintenance a été désactivé.',
    staysOn:
      'Le mode maintenance a été désactivé ici, mais il reste en vigueur : il est activé dans la configuration, ou le serveur ne peut pas écrire dans la base de données.',
  },
  settings: {
    title: 'Paramètres en vigueur',
    caption: 'Les valeurs secrètes sont masquées. Le serveur lit ses paramètres au démarrage.',
    variable: 'Variable',
    value: 'Valeur',
    source: 'Source',
    meaning: 'Signification',
    none: 'Les paramètres de ce serveur sont inconnus.',
    sources: {
      flag: 'Ligne de commande',
      environment: 'Environnement',
      file: 'Fichier',
      default: 'Valeur par défaut',
    },
  },
  plans: {
    title: 'Formules',
    caption: 'Chaque utilisateur a une formule, qui limite le nombre d’organisations et de propriétés',
    plan: 'Formule',
    organizations: 'Organisations',
    properties: 'Propriétés au total',
    action: 'Action',
    none: 'Il n’y a aucune formule.',
    change: 'Modifier la formule',
    changeNamed: 'Modifier la formule : {{name}}',
    form: 'Créer ou modifier une formule',
    name: 'Nom',
    nameHelp:
      'Pour modifier une formule, saisissez son nom. Pour une nouvelle formule, utilisez des lettres minuscules, des chiffres et des tirets.',
    effect:
      'Les limites s’appliquent immédiatement. Les utilisateurs qui les dépassent déjà conservent leurs organisations et leurs propriétés.',
    save: 'Enregistrer la formule',
    saved: 'La formule {{name}} a été enregistrée.',
  },
  users: {
    title: 'Utilisateurs',
    create: 'Créer un utilisateur',
    search: 'Rechercher des utilisateurs',
    searchField: 'Adresse e-mail ou nom',
    caption: 'Du plus ancien au plus récent',
    user: 'Utilisateur',
    status: 'État',
    plan: 'Formule',
    owns: 'Propriétaire de',
    created: 'Création',
    none: 'Il n’y a aucun utilisateur.',
    noMatch: 'Aucun utilisateur n’a une adresse e-mail ou un nom contenant ce texte.',
    organizations_one: '{{count}} organisation',
    organizations_other: '{{count}} organisations',
    statuses: {
      active: 'Actif',
      administrator: 'Administrateur',
      disabled: 'Désactivé',
      noPassword: 'Pas encore de mot de passe',
    },
    endAll: {
      title: 'Sessions',
      text: 'Si vous pensez que des sessions ont été volées, déconnectez tous les utilisateurs. Les clés d’API continuent de fonctionner.',
      button: 'Mettre fin à toutes les sessions de tous les utilisateurs',
      question: 'Mettre fin à toutes les sessions de tous les utilisateurs ?',
      consequence:
        'Tous les utilisateurs sont immédiatement déconnectés de tous les navigateurs et doivent se reconnecter. Seule votre session dans ce navigateur est maintenue. Les clés d’API continuent de fonctionner.',
      ended_one: '{{count}} session a pris fin.',
      ended_other: '{{count}} sessions ont pris fin.',
    },
  },
  newUser: {
    title: 'Créer un utilisateur',
    intro:
      'La page suivante affiche un lien. Envoyez-le à l’utilisateur, qui pourra s’en servir pour choisir un mot de passe.',
    name: 'Nom',
    nameHelp: 'Valeur par défaut : l’adresse e-mail. L’utilisateur peut modifier le nom.',
    administrator: 'Administrateur',
    administratorHelp:
      'Les administrateurs peuvent tout consulter et tout modifier dans cette installation, y compris les utilisateurs et leurs mots de passe.',
    button: 'Créer l’utilisateur',
    created: 'L’utilisateur a été créé',
  },
  user: {
    about: 'Informations',
    name: 'Nom',
    status: 'État',
    owns: 'Propriétaire de',
    apiKeys: 'Clés d’API',
    signedIn: 'Connecté',
    browsers_one: 'dans {{count}} navigateur',
    browsers_other: 'dans {{count}} navigateurs',
    twoFactor: 'Authentification à deux facteurs',
    on: 'Activée',
    off: 'Désactivée',
    created: 'Création',
    plan: {
      title: 'Formule',
      label: 'Formule et quotas',
      option: '{{name}} ({{organizations}} organisations, {{properties}} propriétés)',
      save: 'Enregistrer la formule',
      saved: 'La formule a été changée.',
    },
    signIn: {
      title: 'Connexion',
      forgot:
        'Si l’utilisateur a oublié son mot de passe, créez un lien qui lui permet d’en choisir un nouveau.',
      noPassword:
        'L’utilisateur n’a pas encore de mot de passe. Créez un lien qui lui permet d’en choisir un.',
      linkLimits: 'Le lien fonctionne une seule fois et expire au bout de trois jours.',
      createLink: 'Créer un lien de mot de passe',
      sessions:
        'Mettez fin à toutes les sessions si l’utilisateur a perdu un appareil ou est resté connecté dans un navigateur.',
      endSessions: 'Mettre fin à toutes les sessions',
      endSessionsTitle: 'Mettre fin à toutes les sessions de cet utilisateur ?',
      endSessionsText:
        'L’utilisateur {{email}} est immédiatement déconnecté de tous les navigateurs. Les clés d’API continuent de fonctionner.',
      sessionsEnded: 'Toutes les sessions de l’utilisateur ont pris fin.',
      lostPhone:
        'Si l’utilisateur a perdu son téléphone et ses codes de récupération, désactivez l’authentification à deux facteurs.',
      resetTwoFactor: 'Désactiver l’authentification à deux facteurs',
      resetTwoFactorTitle: 'Désactiver l’authentification à deux facteurs de cet utilisateur ?',
      resetTwoFactorText:
        'Le mot de passe de {{email}} suffit alors pour se connecter. Toutes les sessions de l’utilisateur prennent fin. Assurez-vous que la demande provient bien de cet utilisateur.',
      wasReset:
        'L’authentification à deux facteurs a été désactivée. Toutes les sessions de l’utilisateur ont pris fin.',
      wasOff:
        'L’authentification à deux facteurs était déjà désactivée. Toutes les sessions de l’utilisateur ont pris fin.',
    },
    role: {
      title: 'Administrateur',
      isAdmin:
        'Cet utilisateur est administrateur et peut tout consulter et tout modifier dans cette installation.',
      isNotAdmin:
        'Les administrateurs peuvent tout consulter et tout modifier dans cette installation, y compris les utilisateurs et leurs mots de passe.',
      grant: 'Nommer administrateur',
      grantTitle: 'Nommer cet utilisateur administrateur ?',
      grantText:
        '{{email}} pourra tout consulter et tout modifier dans cette installation, y compris tous les utilisateurs, leurs mots de passe et votre propre compte.',
      granted: 'L’utilisateur est désormais administrateur.',
      remove: 'Retirer le rôle d’administrateur',
      removeTitle: 'Retirer le rôle d’administrateur ?',
      removeText:
        '{{email}} perd immédiatement l’accès aux pages du système. Les organisations et les clés d’API de l’utilisateur sont conservées.',
      removed: 'L’utilisateur n’est plus administrateur.',
    },
    disable: {
      title: 'Zone de danger',
      text: 'Un utilisateur désactivé ne peut pas se connecter. Vous pourrez le réactiver.',
      button: 'Désactiver l’utilisateur',
      question: 'Désactiver cet utilisateur ?',
      consequence:
        '{{email}} ne peut plus se connecter, et toutes les clés d’API de l’utilisateur sont rejetées, y compris celles que des backends utilisent pour la vérification. Les organisations et les propriétés de l’utilisateur continuent de fonctionner.',
      disabled: 'L’utilisateur a été désactivé.',
      since: 'L’utilisateur a été désactivé {{time}}.',
      enable: 'Activer l’utilisateur',
      enabled: 'L’utilisateur a été activé.',
    },
  },
};
