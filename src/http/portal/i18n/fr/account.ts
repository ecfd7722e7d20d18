import type { Catalog } from '../catalog.ts';

export const account: Catalog['account'] = {
  fields: {
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    currentPassword: 'Mot de passe actuel',
    newPassword: 'Nouveau mot de passe',
    newPasswordHelp:
      '8 caractères minimum. Les mots de passe courants ou basés sur votre adresse e-mail ou votre organisation sont rejetés. Une suite de plusieurs mots aléatoires convient bien.',
  },
  signIn: {
    title: 'Se connecter',
    button: 'Se connecter',
    forgot: 'Mot de passe oublié ?',
    kept: '<strong>Votre session a pris fin.</strong> Connectez-vous pour continuer : le formulaire que vous venez d’envoyer sera ensuite traité, sans que vous ayez à le remplir à nouveau.',
  },
  forgot: {
    title: 'Mot de passe oublié ?',
    users: {
      title: 'Demander à un administrateur',
      text: 'Un administrateur de cette installation peut créer un lien de mot de passe pour vous. Ce lien fonctionne une seule fois et vous permet de choisir un nouveau mot de passe. Postern n’envoie aucun e-mail : c’est donc l’administrateur qui vous transmet le lien.',
    },
    administrators: {
      title: 'Pour les administrateurs',
      portal:
        'Connectez-vous, ouvrez <link>Utilisateurs</link>, sélectionnez l’utilisateur et créez un lien de mot de passe.',
      command:
        'Si aucun administrateur ne peut se connecter, exécutez cette commande sur le serveur. Elle demande un nouveau mot de passe et déconnecte l’utilisateur de tous les navigateurs :',
      copy: 'Copier la commande',
    },
    back: 'Retour à la connexion',
  },
  code: {
    title: 'Saisir votre code',
    label: 'Code',
    help: 'Les six chiffres affichés par votre application d’authentification ou l’un de vos codes de récupération.',
    button: 'Se connecter',
    lost: {
      summary: 'Vous avez perdu votre téléphone et vos codes de récupération ?',
      text: 'Un administrateur peut désactiver votre authentification à deux facteurs sur la page de votre compte utilisateur. Si aucun administrateur ne peut se connecter, l’exploitant de ce serveur peut exécuter cette commande :',
    },
  },
  signedOut: 'Vous êtes déconnecté.',
  confirm: {
    title: 'Confirmer votre mot de passe',
    reason: 'Cette page exige votre mot de passe. Il ne vous sera plus demandé pendant 15 minutes.',
    reasonForm:
      'Cette action exige votre mot de passe. Elle se poursuivra dès que vous l’aurez saisi, et il ne vous sera plus demandé pendant 15 minutes.',
    button: 'Continuer',
    sessionOver:
      'Votre session vient de prendre fin. Sélectionnez à nouveau « Continuer », puis connectez-vous.',
  },
  profile: {
    title: 'Profil',
    details: 'Compte',
    email: 'Adresse e-mail',
    role: 'Rôle',
    roles: { administrator: 'Administrateur', user: 'Utilisateur' },
    name: 'Nom',
    nameHelp: 'Les autres membres de vos organisations voient ce nom.',
    save: 'Enregistrer le nom',
    saved: 'Votre nom a été modifié.',
  },
  security: {
    title: 'Sécurité',
    password: {
      title: 'Mot de passe',
      text: 'La modification de votre mot de passe vous déconnecte de tous les autres navigateurs.',
      change: 'Modifier le mot de passe',
    },
    twoFactor: {
      title: 'Authentification à deux facteurs',
      on: 'Activée',
      off: 'Désactivée',
      onText_one:
        'Pour vous connecter, vous devez également saisir un code. Il vous reste {{count}} code de récupération.',
      onText_other:
        'Pour vous connecter, vous devez également saisir un code. Il vous reste {{count}} codes de récupération.',
      offText:
        'Votre mot de passe suffit pour se connecter. Un second facteur protège votre compte en cas de vol du mot de passe.',
      manage: 'Gérer l’authentification à deux facteurs',
      setUp: 'Configurer l’authentification à deux facteurs',
    },
    sessions: {
      title: 'Sessions',
      caption: 'Navigateurs dans lesquels vous êtes connecté',
      browser: 'Navigateur',
      address: 'Adresse',
      lastUsed: 'Dernière utilisation',
      signedIn: 'Connexion',
      action: 'Action',
      current: 'Ce navigateur',
      none: 'Il n’y a aucune session.',
      end: 'Mettre fin à la session',
      endNamed: 'Mettre fin à la session : {{browser}}, {{address}}',
      endTitle: 'Mettre fin à cette session ?',
      endText:
        '{{browser}} à l’adresse {{address}} est immédiatement déconnecté. La saisie dans les formulaires ouverts est conservée jusqu’à ce que l’utilisateur se reconnecte.',
      ended: 'La session a pris fin.',
      endOthers: 'Mettre fin à toutes les autres sessions',
      endOthersTitle: 'Mettre fin à toutes les autres sessions ?',
      endOthersText_one:
        '{{count}} autre navigateur est immédiatement déconnecté. Ce navigateur reste connecté.',
      endOthersText_other:
        '{{count}} autres navigateurs sont immédiatement déconnectés. Ce navigateur reste connecté.',
      othersEnded: 'Toutes les autres sessions ont pris fin.',
    },
    unknownBrowser: 'Navigateur inconnu',
    browserOn: '{{browser}} sur {{system}}',
  },
  passwordChange: {
    title: 'Modifier le mot de passe',
    button: 'Modifier le mot de passe',
    others: 'Cette action vous déconnecte de tous les autres navigateurs.',
    changed: 'Votre mot de passe a été modifié. Toutes les autres sessions ont pris fin.',
  },
  passwordLink: {
    title: 'Choisir un mot de passe',
    signInAs: 'Ce mot de passe vous permet de vous connecter en tant que <strong>{{email}}</strong>.',
    button: 'Définir le mot de passe',
    set: 'Votre mot de passe a été défini. Utilisez-le pour vous connecter.',
    noLink: 'Pour choisir un mot de passe, ouvrez le lien qu’un administrateur vous a envoyé.',
    toSignIn: 'Aller à la page de connexion',
    created: {
      title: 'Lien de mot de passe',
      send: 'Envoyez ce lien à <strong>{{email}}</strong> par un canal privé : toute personne disposant du lien peut choisir le mot de passe de cet utilisateur.',
      limits:
        'Le lien fonctionne une seule fois. Il expire au bout de trois jours ou dès que le mot de passe est modifié d’une autre manière. Il ne sera plus affiché.',
      copy: 'Copier le lien',
      toUser: 'Aller à l’utilisateur',
    },
  },
  openLink: {
    title: 'Ouvrir un lien',
    field: 'Lien',
    help: 'Collez le lien complet ou la partie qui suit « token= ».',
    button: 'Ouvrir le lien',
    invalid:
      'Il ne s’agit ni d’un lien ni d’un jeton de ce serveur. Copiez le lien complet et collez-le ici.',
  },
  twoFactor: {
    title: 'Authentification à deux facteurs',
    required: 'Cette installation exige l’authentification à deux facteurs. Configurez-la pour continuer.',
    about:
      'Après votre mot de passe, vous saisissez également un code fourni par une application d’authentification sur votre téléphone. Votre mot de passe seul ne suffit donc plus pour se connecter. Toutes les applications d’authentification (TOTP) conviennent.',
    start: 'Commencer la configuration',
    scan: 'Scannez ce code QR avec votre application d’authentification ou saisissez la clé secrète dans l’application.',
    qrCode: 'Code QR de la clé secrète',
    copySecret: 'Copier la clé secrète',
    code: 'Code de l’application',
    codeHelp: 'Les six chiffres que l’application affiche en ce moment.',
    turnOn: 'Activer l’authentification à deux facteurs',
    turnedOn: 'L’authentification à deux facteurs a été activée.',
    turnedOff: 'L’authentification à deux facteurs a été désactivée.',
    turnOffTitle: 'Désactivation',
    turnOffText:
      'Votre mot de passe suffit alors pour se connecter. Vos codes de récupération cessent de fonctionner.',
    turnOff: 'Désactiver l’authentification à deux facteurs',
    recovery: {
      title: 'Codes de récupération',
      left_one: 'Il vous reste {{count}} code de récupération. Chaque code fonctionne une seule fois.',
      left_other: 'Il vous reste {{count}} codes de récupération. Chaque code fonctionne une seule fois.',
      renew: 'Créer de nouveaux codes de récupération',
      renewTitle: 'Créer de nouveaux codes de récupération ?',
      renewText:
        'Vos codes de récupération actuels cessent immédiatement de fonctionner, y compris ceux que vous avez imprimés ou enregistrés.',
      renewed: 'Vos anciens codes de récupération ne fonctionnent plus.',
      about:
        'Si vous perdez votre téléphone, connectez-vous avec un code de récupération au lieu d’un code de l’application. Chaque code de récupération fonctionne une seule fois. Ces codes ne seront plus affichés : imprimez-les ou enregistrez-les dans votre gestionnaire de mots de passe.',
      copy: 'Copier les codes de récupération',
      saved: 'J’ai enregistré les codes',
    },
    others: {
      title: 'Autres sessions',
      text_one:
        '{{count}} autre navigateur est connecté à ce compte sans code. Enregistrez d’abord les codes de récupération, car mettre fin à la session vous fait quitter cette page.',
      text_other:
        '{{count}} autres navigateurs sont connectés à ce compte sans code. Enregistrez d’abord les codes de récupération, car mettre fin aux sessions vous fait quitter cette page.',
    },
  },
  shortcuts: {
    title: 'Raccourcis clavier',
    text: 'Les raccourcis fonctionnent sur toutes les pages tant qu’aucun champ n’est actif. Ils nécessitent JavaScript.',
    caption: 'Touches et fonctions associées',
    keys: 'Touches',
    action: 'Action',
    thenKey: 'puis',
    search: 'Rechercher',
    list: 'Afficher cette liste',
    goTo: 'Ouvrir la page : {{page}}',
    use: 'Utiliser les raccourcis clavier dans ce navigateur',
    useHelp: 'Désactivez les raccourcis s’ils perturbent la saisie vocale ou un autre outil.',
  },
};
