import type { Catalog } from '../catalog.ts';

export const kit: Catalog['kit'] = {
  skip: 'Aller au contenu',
  errorTitle: 'Erreur : {{title}}',
  errors: 'Un problème est survenu',
  menu: 'Menu',
  navigation: {
    label: 'Portail',
    home: 'Accueil',
    organizations: 'Organisations',
    activity: 'Activité',
    account: 'Compte',
    profile: 'Profil',
    security: 'Sécurité',
    apiKeys: 'Clés d’API',
    administration: 'Administration',
    system: 'Système',
    users: 'Utilisateurs',
    help: 'Aide',
    docs: 'Documentation',
    apiReference: 'Référence de l’API',
    demo: 'Démo',
    shortcuts: 'Raccourcis clavier',
    signOut: 'Se déconnecter',
  },
  help: {
    link: 'Aide',
    label: 'Aide sur cette page (s’ouvre dans un nouvel onglet)',
  },
  search: {
    label: 'Rechercher des organisations, des propriétés, des clés de site et des utilisateurs',
    placeholder: 'Rechercher',
  },
  preferences: {
    title: 'Langue et thème',
    language: 'Langue',
    theme: 'Thème',
    themes: { auto: 'Identique au système', light: 'Clair', dark: 'Sombre' },
    save: 'Enregistrer les préférences',
    unknown: 'Sélectionnez l’une des langues et l’un des thèmes du formulaire.',
  },
  maintenance: {
    banner:
      '<strong>Le mode maintenance est activé.</strong> Vous pouvez consulter les pages, mais les modifications sont rejetées. Les solutions des visiteurs sont toujours vérifiées.',
    switch: 'Accéder au réglage du mode maintenance',
    later: 'Réessayez d’effectuer vos modifications plus tard.',
  },
  keyWarnings: {
    expires_one: 'La clé d’API {{key}} expire dans moins d’un jour, le {{time}}.',
    expires_other: 'La clé d’API {{key}} expire dans moins de {{count}} jours, le {{time}}.',
    more_one: '{{count}} autre clé expire dans les deux prochaines semaines.',
    more_other: '{{count}} autres clés expirent dans les deux prochaines semaines.',
    advice: 'Créez une clé et remplacez l’ancienne avant qu’elle n’expire.',
  },
  exportLimit: {
    title: 'Trop d’exports',
    text: 'Au maximum {{count}} de vos exports et {{total}} exports de tous les utilisateurs peuvent s’exécuter en même temps. Attendez que l’un d’eux soit terminé, puis réessayez.',
  },
  notFound: {
    title: 'Page introuvable',
    text: 'Cette page n’existe pas ou vous n’y avez pas accès.',
  },
  notAllowed: {
    title: 'Accès refusé',
    administrators: 'Cette page est réservée aux administrateurs de cette installation.',
  },
  startPage: 'Aller à la page d’accueil',
  failure: {
    failed: {
      title: 'Une erreur s’est produite',
      text: 'Le journal du serveur contient plus de détails.',
    },
    invalid: {
      title: 'Requête non valide',
      text: 'La requête n’a pas pu être lue. Ouvrez à nouveau la page.',
    },
    unavailable: {
      title: 'Service indisponible',
      text: 'Le serveur est temporairement indisponible. Réessayez dans quelques instants.',
    },
    tooMany: {
      title: 'Trop de requêtes',
      text: 'Vous ou d’autres personnes à la même adresse réseau avez demandé de nombreuses pages en peu de temps. Attendez quelques secondes, puis rechargez la page.',
    },
    wrongHost: {
      title: 'Nom d’hôte incorrect',
      text: 'Le portail n’est pas disponible sous ce nom d’hôte. Ouvrez {{url}}. Pour utiliser également ce nom, l’exploitant de ce serveur peut définir POSTERN_BASE_URL ou ajouter le nom à POSTERN_ALLOWED_HOSTS.',
    },
  },
  throttled: {
    seconds_one:
      'Trop de tentatives ont échoué. Attendez {{count}} seconde, puis réessayez. Cette tentative n’a pas été vérifiée.',
    seconds_other:
      'Trop de tentatives ont échoué. Attendez {{count}} secondes, puis réessayez. Cette tentative n’a pas été vérifiée.',
    minutes_one:
      'Trop de tentatives ont échoué. Attendez {{count}} minute, puis réessayez. Cette tentative n’a pas été vérifiée.',
    minutes_other:
      'Trop de tentatives ont échoué. Attendez {{count}} minutes, puis réessayez. Cette tentative n’a pas été vérifiée.',
  },
  checks: {
    notAccepted: 'Formulaire non accepté',
    otherOrigin:
      'Une page d’un autre serveur a envoyé ce formulaire. Ouvrez la page sur ce serveur et réessayez.',
    invalidToken:
      'Ce formulaire appartient à une autre session. Revenez en arrière, rechargez la page et réessayez.',
    notAForm: 'La requête n’est pas un formulaire de ce serveur ou elle est trop volumineuse.',
    tooSlow: 'L’envoi du formulaire a pris trop de temps. Revenez en arrière et renvoyez-le.',
    busy: 'Le serveur est surchargé. Revenez en arrière et renvoyez le formulaire dans quelques instants.',
    enrollFirst:
      'Cette installation exige l’authentification à deux facteurs. Configurez-la d’abord, puis réessayez. Aucune modification n’a été effectuée.',
  },
  interrupted: {
    signInNotKept:
      'Votre session avait pris fin, donc aucune modification n’a été effectuée. Le formulaire contient un mot de passe, un code ou un fichier, ou il est trop volumineux, et n’a pas été conservé. Connectez-vous, puis remplissez-le à nouveau.',
    passwordNotKept:
      'Aucune modification n’a encore été effectuée. Le formulaire contient un mot de passe, un code ou un fichier, ou il est trop volumineux, et n’a pas été conservé. Confirmez votre mot de passe, puis remplissez-le à nouveau.',
    expired:
      'Vous avez confirmé votre mot de passe plus de 15 minutes après l’envoi du formulaire. Aucune modification n’a été effectuée. Renvoyez le formulaire.',
    otherUser:
      'Le formulaire a été rempli par un autre utilisateur et a donc été ignoré. Aucune modification n’a été effectuée.',
    repeated: 'Ce formulaire avait déjà été traité. Il n’a pas été traité une nouvelle fois.',
  },
  kept: {
    maintenance: {
      title: 'Maintenance en cours',
      reason:
        'Le serveur rejette les modifications en mode maintenance, donc aucune modification n’a été effectuée.',
      advice: 'Cette page conserve votre saisie. Renvoyez-la lorsque la maintenance sera terminée.',
    },
    restarted: {
      title: 'Vérifier le formulaire',
      reason:
        'Le serveur a redémarré pendant que vous saisissiez votre mot de passe. Il ne sait donc pas s’il a traité ce formulaire.',
      advice: 'Vérifiez si la modification a été effectuée. Si ce n’est pas le cas, renvoyez le formulaire.',
    },
    earlierSession: {
      title: 'Vérifier le formulaire',
      reason:
        'Vous vous êtes reconnecté depuis que vous avez ouvert ce formulaire. Il n’a donc pas encore été traité.',
      advice: 'Vérifiez votre saisie, puis renvoyez-la.',
    },
    send: 'Envoyer le formulaire',
    sendAgain: 'Renvoyer',
    file: 'Le fichier n’a pas été conservé. Revenez en arrière et renvoyez le formulaire.',
  },
};
