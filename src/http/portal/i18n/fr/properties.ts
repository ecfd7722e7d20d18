import type { Catalog } from '../catalog.ts';

export const properties: Catalog['properties'] = {
  tabs: {
    dashboard: 'Tableau de bord',
    integration: 'Intégration',
    playground: 'Essai',
    rules: 'Règles',
    settings: 'Paramètres',
  },
  notAccepted: 'Formulaire non accepté',
  disabled:
    'Cette propriété est désactivée : elle ne fournit aucun puzzle et ses solutions sont rejetées. <link>L’activer dans les paramètres</link>',
  waiting:
    'L’opération prend plus de temps que d’habitude, peut-être en raison de la lenteur du DNS. La modification se poursuit en arrière-plan et son résultat apparaîtra dans la liste des tâches.',
  form: {
    general: 'Général',
    domainHelp:
      'Le nom d’hôte de vos pages, par exemple example.com. Vous pouvez coller l’adresse d’une page. Le nom doit pouvoir être résolu par le DNS.',
    reduced: '« {{url}} » a été réduit à son nom d’hôte, car le domaine n’a ni schéma, ni port, ni chemin.',
    difficulty: 'Difficulté',
    levelLabel: 'Difficulté des puzzles',
    presets: {
      low: 'Faible',
      normal: 'Normale',
      high: 'Élevée',
      very_high: 'Très élevée',
      custom: 'Personnalisée',
    },
    purposes: {
      low: 'Pour les formulaires que les bots utilisent rarement.',
      normal: 'Pour la plupart des formulaires.',
      high: 'Pour les formulaires que les bots envoient souvent.',
      very_high: 'En cas d’attaque. Les appareils anciens demandent de la patience.',
      custom: 'Un niveau précis, à saisir ci-dessous.',
    },
    presetCost: 'Environ {{laptop}} sur un ordinateur portable, {{phone}} sur un téléphone lent.',
    exact: 'Niveau précis et croissance',
    customLevel: 'Niveau précis',
    customLevelHelp:
      'De {{min}} à {{max}}. Une augmentation de 8 double le travail nécessaire. Utilisé uniquement avec « Personnalisée ».',
    challenges: {
      blake2b: 'BLAKE2b : dans tous les widgets',
      argon2id: 'argon2id : nécessite de la mémoire',
    },
    growths: {
      constant: 'Constante : la difficulté n’augmente jamais',
      slow: 'Lente',
      medium: 'Moyenne',
      fast: 'Rapide',
    },
    costs: 'Coût des autres niveaux',
    solutions: 'Solutions',
    validity: 'Validité',
    validityHelp:
      'Durée pendant laquelle un puzzle et sa solution sont valides, de 1 minute à 48 heures. Le widget remplace les puzzles expirés.',
    validityUnit: 'Unité de la validité',
    units: { seconds: 'Secondes', minutes: 'Minutes', hours: 'Heures' },
    acceptRepeated: 'Accepter les solutions répétées',
    acceptRepeatedHelp:
      'Cochez cette case uniquement si votre backend vérifie plusieurs fois le même formulaire. Sinon, chaque solution est acceptée une seule fois.',
    repeatsHelp:
      'Nombre de fois qu’une solution est acceptée tant qu’elle est valide, de {{min}} à {{max}}. Utilisé uniquement si les solutions répétées sont acceptées.',
  },
  cost: {
    underMillisecond: 'moins de {{duration}}',
    caption: 'Travail moyen nécessaire pour un puzzle ; huit niveaux de plus le doublent',
    level: 'Niveau',
    ofLevel: 'Coût moyen d’un puzzle au niveau {{level}}',
    device: 'Appareil',
    time: 'Temps ({{kind}})',
    price: 'Prix par million ({{kind}})',
    tooLow: 'argon2id commence au niveau {{level}}. En dessous, tous les puzzles utilisent BLAKE2b.',
    hashes: 'Hachages',
    hashesOf: '{{hashes}} {{kind}}',
    solvers: {
      slowPhone: 'Téléphone lent',
      phone: 'Téléphone',
      laptop: 'Ordinateur portable',
      serverCore: 'Cœur de serveur',
      gpu: 'GPU',
    },
    source:
      'Les temps sont des moyennes. Ceux d’un ordinateur portable et d’un cœur de serveur sont mesurés, ceux d’un GPU (NVIDIA RTX 4090) reposent sur des bancs d’essai publiés et ceux des téléphones sont des estimations. Les prix correspondent à un million de puzzles sur du matériel loué ; du temps de calcul volé ne coûte rien. <link>Sources et conseils</link>',
  },
  create: {
    title: 'Créer une propriété',
    button: 'Créer la propriété',
    anyway: 'Créer quand même',
    done: '« {{name}} » a été créée. Ajoutez le code ci-dessous à ses pages et à son backend.',
  },
  duplicate: {
    link: 'Dupliquer la propriété',
    title: 'Dupliquer la propriété',
    text: 'La copie a les paramètres ci-dessous et sa propre clé de site. « {{name}} » ne change pas.',
    name: '{{name}} (copie)',
    button: 'Créer la copie',
    done: '« {{name}} » a été créée. Ses pages et son backend ont besoin de sa propre clé de site.',
  },
  settings: {
    save: 'Enregistrer les paramètres',
    saveAnyway: 'Enregistrer quand même',
    saved: 'Les paramètres ont été enregistrés.',
    unchanged: 'Aucun paramètre n’a été modifié.',
    sitekey: 'Clé de site',
    sitekeyHelp: 'La clé de site est publique, car vos pages la contiennent. Elle ne change jamais.',
    copySitekey: 'Copier la clé de site',
  },
  dangerZone: 'Zone de danger',
  state: {
    enabled: 'Activée',
    disabled: 'Désactivée',
    isEnabled: 'La propriété est activée',
    isDisabled: 'La propriété est désactivée',
    enabledHelp: 'Elle fournit des puzzles et votre backend peut vérifier leurs solutions.',
    disabledHelp:
      'Elle ne fournit aucun puzzle et ses solutions sont rejetées. Elle conserve ses paramètres, sa clé de site et ses statistiques.',
    disable: 'Désactiver la propriété',
    enable: 'Activer la propriété',
    disableTitle: 'Désactiver « {{name}} » ?',
    consequence:
      'Le widget sur {{domain}} cesse immédiatement de fonctionner : il ne reçoit plus de puzzles et votre backend rejette les solutions. Les visiteurs ne peuvent plus envoyer les formulaires qui exigent une solution. Vous pouvez réactiver la propriété à tout moment.',
    nowEnabled: 'La propriété est activée.',
    nowDisabled: 'La propriété est désactivée.',
  },
  delete: {
    heading: 'Supprimer cette propriété',
    help: 'Son widget et ses vérifications cessent immédiatement de fonctionner et ses statistiques sont supprimées. Cette action est irréversible.',
    button: 'Supprimer la propriété',
    title: 'Supprimer cette propriété ?',
    warning:
      'Le widget sur {{domain}} cesse immédiatement de fonctionner : il ne reçoit plus de puzzles et les solutions sont rejetées. Les statistiques de la propriété sont supprimées. Cette action est irréversible.',
    done: '« {{name}} » a été supprimée.',
  },
  dns: {
    title: 'Ce domaine ne peut pas être résolu',
    unanswered: 'Les serveurs DNS utilisés par Postern n’ont pas répondu à temps pour <code></code>.',
    unresolved: 'Les serveurs DNS utilisés par Postern n’ont aucune adresse pour <code></code>.',
    advice:
      'Si le nom est correctement orthographié et que vos visiteurs peuvent le résoudre, par exemple sur un réseau fermé, continuez sans la vérification. Le journal d’audit en garde la trace.',
    reserved:
      'Les noms qui se terminent par <code></code> sont réservés et ne peuvent jamais être résolus par le DNS public (RFC 2606, RFC 6761). Pour un essai sur Internet, utilisez <example></example>, qui peut être résolu.',
    example:
      'Pour un essai sur Internet, utilisez <example></example>, qui peut être résolu. Les noms qui se terminent par <test></test>, <reserved></reserved> ou <invalid></invalid> sont réservés et ne peuvent jamais être résolus par le DNS public (RFC 2606, RFC 6761).',
    settings:
      'Pour désactiver la vérification pour tous les domaines, l’exploitant de ce serveur peut définir <check></check> ; <servers></servers> permet de choisir d’autres serveurs DNS.',
    skip: '{{button}}, sans la vérification DNS.',
  },
  playground: {
    title: 'Essayer un niveau',
    level: 'Niveau',
    levelHelp: 'Le niveau de cette propriété est {{level}}. Essayer un autre niveau ne le modifie pas.',
    show: 'Essayer ce niveau',
    text: 'Cochez la case. Votre navigateur résout alors un puzzle de niveau {{level}}, comme celui d’un visiteur. Le puzzle sert uniquement à cet essai : il n’est pas compté et aucun backend ne l’accepte.',
    noScript: 'Le widget nécessite JavaScript.',
    solving: 'Résolution en cours…',
    measuredWasm:
      'Votre navigateur a mis {{elapsed}} ms et a effectué au moins {{attempts}} tentatives, avec WebAssembly : environ {{rate}} million(s) par seconde.',
    measuredScript:
      'Votre navigateur a mis {{elapsed}} ms et a effectué au moins {{attempts}} tentatives, sans WebAssembly : environ {{rate}} million(s) par seconde.',
    measuredArgon2id:
      'Votre navigateur a mis {{elapsed}} ms et a calculé au moins {{attempts}} hachages argon2id : environ {{rate}} par seconde.',
    failed: 'Le puzzle n’a pas été résolu : {{reason}}',
    costTitle: 'Coût de ce niveau',
    cost: 'Un puzzle de niveau {{level}} exige en moyenne environ {{attempts}} tentatives. Ce nombre dépend du hasard : certains visiteurs en ont besoin de moitié moins, d’autres du double. Il faut {{laptop}} à un ordinateur portable et {{phone}} à un téléphone lent. Un bot consacre {{bot}} d’un cœur de processeur à chaque formulaire qu’il envoie.',
    testIntegration:
      'Pour suivre chaque étape d’une véritable vérification, <link>testez l’intégration</link>.',
  },
  transfer: {
    link: 'Importer et exporter',
    title: 'Importer et exporter des propriétés',
    exportTitle: 'Exportation',
    exportText:
      'Un fichier contenant toutes les propriétés de cette organisation et leurs paramètres, avec les noms de la Platform API. Vous pouvez modifier le fichier et l’importer à nouveau.',
    exportCsv: 'Exporter en CSV',
    exportJson: 'Exporter en JSON',
    importTitle: 'Importation',
    importText:
      'Une propriété qui porte la clé de site d’une propriété existante modifie celle-ci. Une propriété sans clé de site est créée. Les paramètres absents du fichier conservent leur valeur ou reçoivent leur valeur par défaut. Avant toute modification, vous voyez l’ensemble des changements.',
    file: 'Fichier CSV ou JSON',
    fileHelp: '{{count}} propriétés et {{size}} au maximum.',
    createsUnknown: 'Créer les propriétés dont la clé de site n’existe pas dans cette organisation',
    createsUnknownHelp:
      'Elles reçoivent de nouvelles clés de site. Utilisez cette option pour copier des propriétés depuis une autre organisation ou un autre serveur.',
    preview: 'Prévisualiser l’importation',
    previewTitle: 'Aperçu de l’importation',
    nothing: 'Le fichier ne modifie rien : toutes les propriétés ont déjà ces paramètres.',
    summary: {
      create_one: '{{count}} propriété sera créée.',
      create_other: '{{count}} propriétés seront créées.',
      update_one: '{{count}} propriété sera modifiée.',
      update_other: '{{count}} propriétés seront modifiées.',
      keep_one: '{{count}} propriété reste inchangée.',
      keep_other: '{{count}} propriétés restent inchangées.',
      reject_one: '{{count}} propriété présente un problème. Corrigez le fichier et importez-le à nouveau.',
      reject_other:
        '{{count}} propriétés présentent des problèmes. Corrigez le fichier et importez-le à nouveau.',
    },
    all: 'Soit toutes les modifications sont effectuées, soit aucune ne l’est. Les domaines des propriétés nouvelles et modifiées sont d’abord recherchés dans le DNS.',
    skipDns: 'Importer sans la vérification DNS',
    skipDnsHelp:
      'Pour les domaines qui ne peuvent être résolus que sur votre réseau. Le journal d’audit en garde la trace.',
    apply_one: 'Importer {{count}} propriété',
    apply_other: 'Importer {{count}} propriétés',
    another: 'Choisir un autre fichier',
    problems: 'Problèmes',
    changes: 'Modifications',
    line: 'Ligne',
    position: 'Nº',
    property: 'Propriété',
    column: 'Colonne',
    problem: 'Problème',
    change: 'Modification',
    created: 'Nouvelle propriété pour {{domain}}',
    createdNewSitekey: 'Nouvelle propriété pour {{domain}}, avec une nouvelle clé de site',
    fromTo: '<name></name> : {{before}} → {{after}}',
    more_one: '{{count}} autre n’est pas affichée.',
    more_other: '{{count}} autres ne sont pas affichées.',
    done_one: '{{count}} propriété a été importée.',
    done_other: '{{count}} propriétés ont été importées.',
    notApplied: 'Rien n’a été importé, en raison des problèmes ci-dessous.',
    yes: 'oui',
    no: 'non',
  },
};
