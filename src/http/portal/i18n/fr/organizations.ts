import type { Catalog } from '../catalog.ts';

export const organizations: Catalog['organizations'] = {
  name: 'Nom',
  ownedByYou: 'Vous en êtes propriétaire',
  ownedBy: 'Propriétaire : {{email}}',
  properties_one: '{{count}} propriété',
  properties_other: '{{count}} propriétés',
  tabs: {
    properties: 'Propriétés',
    apiKeys: 'Clés d’API',
    members: 'Membres',
    activity: 'Activité',
    settings: 'Paramètres',
  },
  list: {
    title: 'Organisations',
    heading: 'Vos organisations',
    caption: 'Vos organisations, avec les chiffres des dernières 24 heures',
    organization: 'Organisation',
    properties: 'Propriétés',
    members: 'Membres',
    text: 'Nom',
    noMatches: 'Aucune organisation ne correspond.',
  },
  create: {
    button: 'Créer une organisation',
    explanation:
      'Les propriétés appartiennent à des organisations. Les membres d’une organisation gèrent ses propriétés ensemble.',
    nameHelp: 'Par exemple, le nom de votre entreprise. Vous en serez propriétaire.',
    done: 'L’organisation « {{name}} » a été créée.',
  },
  members: {
    title: 'Membres',
    member: 'Membre',
    role: 'Rôle',
    since: 'Arrivée',
    actions: 'Actions',
    owner: 'Propriétaire',
    you: '(vous)',
    transfer: 'Nommer propriétaire',
    transferLabel: 'Nommer propriétaire : {{name}}',
    remove: 'Retirer le membre',
    removeLabel: 'Retirer le membre : {{name}}',
    removeTitle: 'Retirer {{name}} ?',
    removeText:
      '{{name}} perd l’accès à cette organisation, y compris avec ses clés d’API. Les invitations en cours créées par ce membre sont annulées. Son compte est conservé.',
    removed: '{{name}} n’est plus membre.',
  },
  invitations: {
    heading: 'Invitations en cours',
    none: 'Il n’y a aucune invitation en cours.',
    address: 'Adresse e-mail',
    expires: 'Expiration',
    withdraw: 'Annuler l’invitation',
    withdrawLabel: 'Annuler l’invitation : {{email}}',
    withdrawTitle: 'Annuler l’invitation destinée à {{email}} ?',
    withdrawText: 'Le lien que vous avez envoyé cesse de fonctionner.',
    withdrawn: 'L’invitation destinée à {{email}} a été annulée.',
    invite: 'Inviter un membre',
    create: 'Créer une invitation',
    explanation:
      'Un membre peut consulter les propriétés de cette organisation et leurs statistiques, ainsi que créer, modifier et supprimer des propriétés.',
    emailHelp:
      'Seul un utilisateur possédant cette adresse peut accepter l’invitation. Si vous invitez à nouveau la même adresse, le lien précédent cesse de fonctionner.',
    linkHeading: 'Lien d’invitation',
    linkText:
      'Envoyez vous-même ce lien à {{email}}, car Postern n’envoie aucun e-mail. Le lien n’est affiché qu’une fois, fonctionne une seule fois et expire {{time}}.',
    copyLink: 'Copier le lien',
    linkSecret: 'Le lien est secret : ne l’envoyez à personne d’autre.',
    sent: 'Je l’ai envoyé',
  },
  invitation: {
    title: 'Vous avez reçu une invitation',
    text: '{{inviter}} vous invite à rejoindre « {{organization}} ». Les membres de cette organisation gèrent ses propriétés et consultent leurs statistiques.',
    validity: 'L’invitation est destinée à {{email}} et expire {{time}}.',
    signedIn: 'Vous êtes connecté en tant que {{email}}.',
    otherAddress:
      'Vous êtes connecté en tant que {{current}}, ce qui est une autre adresse. Déconnectez-vous, puis continuez en tant que {{email}}.',
    accept: 'Accepter l’invitation',
    signOut: 'Se déconnecter',
    signedOut: 'Vous êtes déconnecté.',
    accepted: 'Vous êtes désormais membre de « {{name}} ».',
    signIn: 'Se connecter',
    signInText: 'Si un compte existe ici pour cette adresse, utilisez-le pour vous connecter.',
    signInToAccept: 'Se connecter pour accepter',
    createAccount: 'Créer un compte',
    createAccountText:
      'S’il n’existe pas encore de compte ici pour cette adresse, créez-en un, puis utilisez-le pour vous connecter.',
    yourName: 'Votre nom',
    yourNameHelp: 'Les autres membres voient ce nom.',
    password: 'Mot de passe',
    accountCreated:
      'Connectez-vous en tant que {{email}} pour accepter l’invitation. Si vous aviez déjà un compte, son mot de passe n’a pas changé.',
    noLink:
      'Pour accepter une invitation, ouvrez le lien que le propriétaire de l’organisation vous a envoyé.',
    invalidTitle: 'Cette invitation n’est pas valide',
    alreadyAccepted: 'Si vous l’avez déjà acceptée, <link>accédez à vos organisations</link>.',
  },
  settings: {
    rename: 'Renommer l’organisation',
    renamed: 'L’organisation a été renommée.',
    ownership: 'Transfert de l’organisation',
    ownershipText:
      'Vous êtes propriétaire de cette organisation. Pour la transférer, choisissez « Nommer propriétaire » pour un autre membre dans la <link>liste des membres</link>. Vous restez membre et pouvez ensuite quitter l’organisation.',
    delete: 'Supprimer l’organisation',
    deleteHeading: 'Zone de danger',
    deleteText:
      'L’organisation et ses propriétés sont supprimées, et les propriétés cessent immédiatement de fonctionner.',
    details: 'Détails',
    owner: 'Propriétaire',
    yourRole: 'Votre rôle',
    member: 'Membre',
    memberSince: 'Membre, a rejoint l’organisation {{time}}',
    ownerOnly: 'Seul le propriétaire peut renommer l’organisation, inviter des membres et la supprimer.',
    leaveHeading: 'Quitter l’organisation',
    leaveText:
      'Vous et vos clés d’API perdez l’accès aux propriétés de l’organisation. Les propriétés continuent de fonctionner. Pour rejoindre à nouveau l’organisation, vous aurez besoin d’une nouvelle invitation.',
    leave: 'Quitter l’organisation',
    leaveTitle: 'Quitter « {{name}} » ?',
    left: 'Vous avez quitté « {{name}} ».',
    cannotLeave: 'Action impossible',
    ownerCannotLeave:
      'Le propriétaire d’une organisation ne peut pas la quitter. Nommez d’abord un autre membre propriétaire ou supprimez l’organisation.',
  },
  delete: {
    title: 'Supprimer cette organisation ?',
    button: 'Supprimer l’organisation',
    empty: 'L’organisation n’a aucune propriété. {{rest}}',
    stops_one:
      'Sa propriété cesse immédiatement de fonctionner : les widgets ne reçoivent plus de puzzles et les solutions sont rejetées. {{rest}}',
    stops_other:
      'Ses {{count}} propriétés cessent immédiatement de fonctionner : les widgets ne reçoivent plus de puzzles et les solutions sont rejetées. {{rest}}',
    rest: 'Les membres perdent leur accès et les clés d’API de cette organisation cessent de fonctionner. Cette action est irréversible.',
    done: '« {{name}} » et ses propriétés ont été supprimées.',
  },
  transfer: {
    title: 'Transférer cette organisation ?',
    button: 'Transférer l’organisation',
    question: 'Transférer « {{organization}} » à {{user}} ?',
    consequences: {
      owner:
        'Seul le nouveau propriétaire peut renommer, supprimer ou transférer l’organisation, et inviter ou retirer des membres.',
      member:
        'Vous restez membre et pouvez gérer ses propriétés. Vous ne pouvez pas annuler le transfert vous-même.',
      plan: 'L’organisation et ses propriétés sont décomptées de la formule du nouveau propriétaire et non plus de la vôtre.',
      rest: 'Les propriétés et les clés d’API ne changent pas.',
    },
    done: '{{name}} est désormais propriétaire de cette organisation.',
    problems: {
      'account-disabled': 'Cet utilisateur est désactivé et ne peut pas devenir propriétaire.',
      'organization-name-taken':
        'Cet utilisateur est déjà propriétaire d’une organisation portant ce nom ; renommez d’abord l’une des deux.',
      'organizations-limit': 'La formule de cet utilisateur ne permet pas d’avoir plus d’organisations.',
      'properties-limit':
        'La formule de cet utilisateur ne permet pas d’ajouter les propriétés de cette organisation aux siennes.',
    },
  },
};
