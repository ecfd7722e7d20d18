import type { Catalog } from '../catalog.ts';

export const home: Catalog['home'] = {
  title: 'Accueil',
  createProperty: 'Créer une propriété',
  chooseOrganization: 'À quelle organisation la propriété appartient-elle ?',
  firstOrganization: {
    title: 'Créer votre première organisation',
    text: 'Les propriétés appartiennent à des organisations, dont les membres les gèrent ensemble. Créez une organisation ou demandez au propriétaire d’une organisation de vous inviter.',
  },
  firstProperty: {
    title: 'Protéger votre premier formulaire',
    text: 'Une propriété est un site web dont les formulaires doivent être protégés. Créez-en une, ajoutez deux lignes à votre page et envoyez une requête depuis votre backend. Cela prend environ cinq minutes.',
    action: 'Protéger votre première propriété',
  },
  list: {
    heading: 'Propriétés',
    caption: 'Propriétés, avec les chiffres des dernières 24 heures',
    property: 'Propriété',
    sitekey: 'Clé de site',
    difficulty: 'Difficulté',
    level: 'niveau {{level}}',
    disabled: 'Désactivée',
    text: 'Nom, domaine ou clé de site',
    state: 'Afficher',
    states: {
      all: 'Toutes les propriétés',
      disabled: 'Désactivées',
      unverified: 'Sans aucune solution vérifiée',
      spike: 'Trafic plus élevé que d’habitude',
    },
    order: 'Trier par',
    orders: {
      use: 'Nombre de puzzles',
      nameUp: 'Nom, de A à Z',
      nameDown: 'Nom, de Z à A',
      newest: 'Plus récentes d’abord',
      oldest: 'Plus anciennes d’abord',
    },
    filter: 'Appliquer',
    noMatches: 'Aucune propriété ne correspond.',
    cut: 'Seuls les 1 000 résultats les plus récents sont affichés. Saisissez un texte plus long pour en trouver d’autres.',
  },
  attention: {
    heading: 'Points à examiner',
    none: 'Aucun point ne nécessite votre attention.',
    spike_one: 'Le trafic de cette propriété est bien plus élevé que d’habitude :',
    spike_other: 'Le trafic de ces propriétés est bien plus élevé que d’habitude :',
    difficulty_one: 'Un trafic élevé a augmenté la difficulté de cette propriété :',
    difficulty_other: 'Un trafic élevé a augmenté la difficulté de ces propriétés :',
    difficultyOf: '{{property}} (difficulté {{difficulty}}, niveau {{level}})',
    keys_one: 'Cette clé d’API expire bientôt :',
    keys_other: 'Ces clés d’API expirent bientôt :',
    keyExpires: '{{key}} ({{time}})',
    showKeys: 'Afficher les clés d’API',
    tasks:
      'Certaines modifications demandées par vos clés d’API au cours des sept derniers jours ont été rejetées :',
    showTasks: 'Afficher les tâches',
    twoFactor:
      'Vous êtes administrateur et n’utilisez pas l’authentification à deux facteurs. Activez-la pour protéger l’installation en cas de vol de votre mot de passe.',
    setUpTwoFactor: 'Configurer l’authentification à deux facteurs',
    unverified_one:
      'Aucune solution n’a jamais été vérifiée pour cette propriété. Vérifiez l’intégration dans son backend :',
    unverified_other:
      'Aucune solution n’a jamais été vérifiée pour ces propriétés. Vérifiez l’intégration dans leurs backends :',
    disabled_one: 'Cette propriété est désactivée et ne fournit aucun puzzle :',
    disabled_other: 'Ces propriétés sont désactivées et ne fournissent aucun puzzle :',
    showAll: 'Tout afficher',
  },
  installation: {
    heading: 'Cette installation au cours des dernières 24 heures',
    statistics: 'Statistiques du système',
    issued: 'Puzzles fournis',
    verified: 'Solutions vérifiées',
    accepted: 'Acceptées',
    properties: 'Propriétés',
    organizations: 'Organisations',
    users: 'Utilisateurs',
  },
  search: {
    title: 'Recherche',
    for: 'Résultats pour « {{text}} »',
    properties: 'Propriétés',
    organizations: 'Organisations',
    users: 'Utilisateurs',
    more: 'Afficher tous les résultats dans la liste',
    start: 'Que recherchez-vous ?',
    none: 'Aucun résultat pour « {{text}} »',
    scope:
      'La recherche porte sur le nom des organisations, ainsi que sur le nom, le domaine et la clé de site des propriétés. Les six premiers chiffres d’une clé de site suffisent.',
    scopeOfAdministrator:
      'La recherche porte sur le nom des organisations, sur le nom, le domaine et la clé de site des propriétés, ainsi que sur le nom et l’adresse e-mail des utilisateurs. Les six premiers chiffres d’une clé de site suffisent. Seules les propriétés de vos organisations sont trouvées.',
  },
};
