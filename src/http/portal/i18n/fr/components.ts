import type { Catalog } from '../catalog.ts';

export const components: Catalog['components'] = {
  cancel: 'Annuler',
  optional: '(facultatif)',
  reveal: 'Afficher les caractères : {{field}}',
  copy: 'Copier',
  copied: 'Copié',
  copyNamed: 'Copier {{name}}',
  sitekeyOf: 'la clé de site de la propriété {{name}}',
  close: 'Fermer',
  confirmName: 'Saisissez « {{name}} » pour confirmer',
  breadcrumbs: 'Vous êtes ici',
  views: 'Vues',
  pager: {
    label: 'Pages',
    previous: 'Précédent',
    next: 'Suivant',
    page: 'Page {{page}}',
  },
  time: {
    utc: '{{time}} UTC',
    justNow: 'à l’instant',
    soon: 'dans moins d’une minute',
    local: '{{time}} dans votre fuseau horaire',
  },
  numbers: {
    underTenth: 'moins de {{percent}}',
    milliseconds: '{{value}} ms',
    seconds: '{{value}} s',
    minutes: '{{value}} min',
    hours: '{{value}} h',
  },
  sparkline: {
    label:
      'Puzzles par heure au cours des dernières 24 heures : {{now}} pour l’heure en cours, {{most}} pour l’heure la plus chargée',
    none: 'Aucun puzzle au cours des dernières 24 heures',
  },
  lastDay: {
    series: 'Dernières 24 heures',
    issued: 'Puzzles fournis',
    verified: 'Solutions vérifiées',
    failed: 'Échecs',
    accepted: 'Taux d’acceptation',
  },
  strength: {
    weak: 'Faible : facile à deviner.',
    fair: 'Moyen : un mot de passe plus long est préférable.',
    strong: 'Fort.',
  },
  clientAddress: {
    address: 'Votre adresse client est <code></code>. {{reason}}',
    unknown: 'inconnue',
    shared:
      'Si votre connexion à Internet a une autre adresse, le serveur traite peut-être tous les visiteurs comme un seul client, avec une limite de débit et une difficulté communes. {{advice}}',
    countedAs: 'Comptée comme',
    header: 'En-tête <code></code>',
    notSent: 'Non envoyé',
    caption: 'Adresses de cette requête, en commençant par la connexion',
    addressColumn: 'Adresse',
    trustedColumn: 'Proxy de confiance',
    yes: 'Oui',
    no: 'Non',
    closed: 'La connexion a été fermée avant que le serveur puisse lire son adresse.',
    reasons: {
      noProxies:
        'Il s’agit de l’adresse de la connexion : aucun proxy n’est défini comme proxy de confiance.',
      headerIgnored:
        'Il s’agit de l’adresse de la connexion : aucun proxy n’est défini comme proxy de confiance, donc le serveur ignore l’en-tête {{header}}.',
      connectionNotTrusted:
        'Il s’agit de l’adresse de la connexion. Ce n’est pas celle d’un proxy de confiance, donc le serveur ignore l’en-tête {{header}}.',
      senderNotTrusted:
        'Un proxy de confiance l’a envoyée dans l’en-tête {{header}}. Elle n’est pas elle-même celle d’un proxy de confiance, donc le serveur ignore les adresses qui la précèdent.',
      noHeader:
        'La connexion provient d’un proxy de confiance qui n’a envoyé aucune adresse dans l’en-tête {{header}}.',
      allTrusted:
        'Il s’agit de la première adresse de l’en-tête {{header}}, et toutes les adresses sont celles de proxys de confiance.',
      entryMalformed:
        'L’entrée qui la précède dans l’en-tête {{header}} n’est pas une adresse valide, donc le serveur ignore le reste.',
      tooManyHops:
        'L’en-tête {{header}} contient plus de 32 proxys de confiance consécutifs. Le serveur ignore le reste.',
      connectionClosed: 'La connexion était déjà fermée.',
    },
    advice: {
      'proxies-none':
        'Si le serveur se trouve derrière un proxy, ajoutez ce proxy à POSTERN_TRUSTED_PROXIES.',
      'not-trusted': 'S’il s’agit de l’adresse de votre proxy, ajoutez-la à POSTERN_TRUSTED_PROXIES.',
      'header-ended':
        'Configurez le proxy pour qu’il envoie l’adresse du client dans cet en-tête, ou définissez POSTERN_CLIENT_IP_HEADER sur l’en-tête qu’il envoie.',
      'entry-malformed': 'Vérifiez ce que votre proxy écrit dans l’en-tête.',
      'hops-too-many':
        'Vérifiez ce que votre proxy écrit dans l’en-tête et indiquez moins de réseaux dans POSTERN_TRUSTED_PROXIES.',
      'connection-closed': 'Rechargez la page.',
    },
  },
};
