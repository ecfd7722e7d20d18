import type { Catalog } from '../catalog.ts';

export const dashboard: Catalog['dashboard'] = {
  title: 'Tableau de bord',
  ranges: {
    label: 'Période',
    '24h': '24 heures',
    '7d': '7 jours',
    '30d': '30 jours',
    '1y': '1 an',
    custom: 'Période personnalisée',
    from: 'Premier jour',
    to: 'Dernier jour',
    help: 'Les jours sont en UTC. Les périodes de 7 jours maximum comprises dans les 30 derniers jours sont affichées par heure.',
    show: 'Afficher la période',
  },
  unknownRange: {
    title: 'Période inconnue',
    text: 'Choisissez l’une de ces périodes : 24 heures, 7 jours, 30 jours, 1 an ou une période personnalisée.',
  },
  compare: {
    on: 'Comparer à la période précédente',
    off: 'Masquer la période précédente',
  },
  download: {
    csv: 'CSV',
    json: 'JSON',
    csvLabel: 'Télécharger au format CSV',
    jsonLabel: 'Télécharger au format JSON',
  },
  live: {
    on: 'En direct',
    offline: 'Reconnexion en cours…',
    ended: 'Les chiffres ne sont plus actualisés, car votre session a pris fin. <link>Se reconnecter</link>',
  },
  figures: {
    label: 'Chiffres clés',
    issued: 'Puzzles fournis',
    verified: 'Solutions vérifiées',
    repeated: 'Répétitions',
    failed: 'Échecs',
    accepted: 'Taux d’acceptation',
    solveTime: 'Temps de résolution médian',
    difficulty: 'Difficulté',
    notes: {
      issued: 'Puzzles demandés par des navigateurs.',
      verified: 'Solutions acceptées, comptées une fois chacune.',
      repeated: 'Vérifications répétées acceptées.',
      failed: 'Vérifications rejetées.',
      accepted: 'Part des vérifications acceptées dans l’ensemble des vérifications.',
      solveTime: 'Valeur indiquée par les navigateurs des visiteurs.',
      difficulty: 'Difficulté actuelle d’un puzzle pour un nouveau visiteur.',
      deletedProperties: 'Puzzles de propriétés supprimées.',
    },
  },
  change: {
    previous: '{{value}} auparavant',
    more: '{{change}} de plus que sur la période précédente ({{previous}})',
    less: '{{change}} de moins que sur la période précédente ({{previous}})',
    same: 'sans changement par rapport à la période précédente ({{previous}})',
    points: '{{value}} points',
    noteHour:
      'Les variations comparent les heures terminées de cette période aux mêmes heures de la période précédente.',
    noteDay:
      'Les variations comparent les jours terminés de cette période au même nombre de jours précédents.',
  },
  difficulty: {
    constant:
      'La difficulté est de {{level}}, le niveau de cette propriété : elle ne change jamais, car la croissance est définie sur « Constante ».',
    level: 'La difficulté est de {{level}}, le niveau de cette propriété, car le trafic est habituel.',
    raised:
      'La difficulté est de {{difficulty}} : les puzzles exigent {{factor}} fois le travail du niveau {{level}}, car les visiteurs ont récemment demandé plus de quatre fois plus de puzzles que d’habitude.',
    disabled: 'La propriété est désactivée et ne fournit donc aucun puzzle. Son niveau est de {{level}}.',
  },
  chart: {
    title: 'Évolution',
    issued: 'Puzzles fournis',
    verified: 'Solutions vérifiées',
    failed: 'Échecs',
    previous: 'Puzzles fournis sur la période précédente',
    zone: 'Les heures sont dans votre fuseau horaire, {{zone}}.',
    hours: 'Les heures sont en UTC.',
    days: 'Chaque jour est un jour en UTC.',
    unfinishedHour: 'La partie en pointillés est l’heure en cours, qui n’est pas encore terminée.',
    unfinishedDay: 'La partie en pointillés est la journée en cours, qui n’est pas encore terminée.',
  },
  numbers: {
    title: 'Chiffres',
    hours_one: '{{count}} heure',
    hours_other: '{{count}} heures',
    days_one: '{{count}} jour',
    days_other: '{{count}} jours',
    captionHour: 'Par heure, en UTC, de la plus ancienne à la plus récente',
    captionDay: 'Par jour, en UTC, du plus ancien au plus récent',
    from: 'Début',
    unfinished: '(en cours)',
  },
  solveTimes: {
    title: 'Temps de résolution',
    none: 'Aucun widget n’a indiqué de temps de résolution.',
    share: '{{percent}} en moins de',
    wasm: 'Avec WebAssembly',
    help_one:
      'D’après {{count}} solution acceptée, selon le navigateur du visiteur ; le serveur ne peut pas contrôler cette valeur. Précision de 12,5 %.',
    help_other:
      'D’après {{count}} solutions acceptées, selon les navigateurs des visiteurs ; le serveur ne peut pas contrôler ces valeurs. Précision de 12,5 %.',
    few: 'Il y a moins de {{minimum}} temps de résolution : les pourcentages élevés ne sont pas encore fiables.',
  },
  advice: {
    fast: 'Au niveau {{level}}, 95 % des visiteurs attendent moins de {{time}}. Au niveau {{other}}, ce serait au plus {{otherTime}} : si vous constatez des abus, un niveau plus élevé est possible.',
    fits: 'Au niveau {{level}}, 95 % des visiteurs attendent moins de {{time}}. Au niveau {{other}}, ce serait au plus {{otherTime}} : le niveau convient donc à ces visiteurs.',
    slow: 'Au niveau {{level}}, 95 % des visiteurs attendent moins de {{time}}, mais c’est long. Au niveau {{other}}, ce serait environ {{otherTime}}.',
    wait: 'Au niveau {{level}}, 95 % des visiteurs attendent moins de {{time}}.',
    slowest: 'Au niveau {{level}}, 95 % des visiteurs attendent moins de {{time}}, mais c’est long.',
    notEnough:
      'Pas assez de données pour un conseil sur le niveau : {{samples}} temps de résolution sur {{minimum}} au niveau {{level}} au cours des {{days}} derniers jours.',
    source:
      'D’après {{samples}} temps de résolution des {{days}} derniers jours, tous avec ce niveau et ce type de travail. Les navigateurs indiquent ces temps : un client peut donc les falsifier.',
  },
  empty: {
    title: 'Aucun visiteur pour le moment',
    text: 'Cette page affiche les puzzles, les vérifications et les temps de résolution. Aucun navigateur n’a encore demandé de puzzle pour cette propriété. Les chiffres apparaissent quelques secondes après le premier visiteur.',
    action: 'Ajouter le widget à votre page',
    rangeTitle: 'Aucun visiteur sur cette période',
    rangeText:
      'Cette propriété n’a eu aucun visiteur sur cette période. Choisissez une période plus longue pour voir les visiteurs précédents.',
    showYear: 'Afficher 1 an',
  },
  rejections: {
    title: 'Échecs de vérification',
    none: 'Aucune vérification n’a échoué.',
    other: 'Autre',
    reasons: {
      'error-other': {
        title: 'Propriété désactivée ou erreur du serveur',
        advice:
          'Vérifiez si la propriété est désactivée. Si elle est activée, le journal du serveur indique la raison.',
      },
      'solution-duplicates': {
        title: 'Solutions en double',
        advice: 'Le widget n’en envoie jamais. Un programme essaie de deviner.',
      },
      'solution-invalid': {
        title: 'Solution incorrecte',
        advice:
          'Un programme évite le travail nécessaire. Si de véritables visiteurs signalent ce problème, vérifiez que la page charge le widget depuis ce serveur.',
      },
      'solution-bad-format': {
        title: 'Aucune solution',
        advice:
          'Le champ est vide ou a été rempli par un autre produit. Vérifiez que le formulaire attend le widget et que le backend envoie le champ sans le modifier.',
      },
      'puzzle-expired': {
        title: 'Puzzle expiré',
        advice:
          'Le formulaire est resté ouvert plus longtemps que la validité du puzzle, ou le backend effectue la vérification trop tard. Vous pouvez augmenter la validité dans les paramètres de la propriété.',
      },
      'property-invalid': {
        title: 'Propriété incorrecte',
        advice:
          'La clé de site attendue par le backend diffère de celle de la page, ou la propriété a été supprimée.',
      },
      'property-owner-mismatch': {
        title: 'Clé d’API d’un autre utilisateur',
        advice:
          'L’utilisateur de la clé d’API n’est pas membre de l’organisation. Utilisez la clé d’un membre.',
      },
      'solution-verified-before': {
        title: 'Déjà vérifiée',
        advice:
          'Un formulaire a été envoyé deux fois ou une solution a été réutilisée. Si votre backend vérifie volontairement plusieurs fois, acceptez les solutions répétées dans les paramètres de la propriété.',
      },
      'integrity-error': {
        title: 'Signature non valide',
        advice:
          'Le puzzle a été fourni par un autre serveur ou il a été modifié. Vérifiez que la page et le backend utilisent le même serveur.',
      },
      'org-scope-error': {
        title: 'Clé d’API d’une autre organisation',
        advice:
          'La clé d’API est limitée à une autre organisation. Utilisez une clé valable pour cette organisation ou pour toutes les organisations.',
      },
    },
  },
  system: {
    intro:
      'Ces statistiques comptent les requêtes qui n’appartiennent à aucune propriété : formulaires sans solution, puzzles d’autres serveurs et requêtes pour des propriétés supprimées. Les statistiques d’une propriété se trouvent dans son tableau de bord.',
    emptyTitle: 'Aucune requête sur cette période',
    emptyText:
      'Il n’y a eu aucune requête sans propriété sur cette période. Si des backends envoient des solutions non valides, elles apparaissent ici avec la raison.',
  },
};
