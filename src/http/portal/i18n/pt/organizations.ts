import type { Catalog } from '../catalog.ts';

export const organizations: Catalog['organizations'] = {
  name: 'Nome',
  ownedByYou: 'Você é o proprietário',
  ownedBy: 'Proprietário: {{email}}',
  properties_one: '{{count}} propriedade',
  properties_other: '{{count}} propriedades',
  tabs: {
    properties: 'Propriedades',
    apiKeys: 'Chaves de API',
    members: 'Membros',
    activity: 'Atividade',
    settings: 'Configurações',
  },
  list: {
    title: 'Organizações',
    heading: 'Suas organizações',
    caption: 'Suas organizações, com as contagens das últimas 24 horas',
    organization: 'Organização',
    properties: 'Propriedades',
    members: 'Membros',
    text: 'Nome',
    noMatches: 'Nenhuma organização corresponde à pesquisa.',
  },
  create: {
    button: 'Criar organização',
    explanation:
      'As propriedades pertencem a organizações. Os membros de uma organização gerenciam as propriedades dela em conjunto.',
    nameHelp: 'Por exemplo, o nome da sua empresa. Você será o proprietário.',
    done: 'A organização “{{name}}” foi criada.',
  },
  members: {
    title: 'Membros',
    member: 'Membro',
    role: 'Função',
    since: 'Membro desde',
    actions: 'Ações',
    owner: 'Proprietário',
    you: '(você)',
    transfer: 'Tornar proprietário',
    transferLabel: 'Tornar proprietário: {{name}}',
    remove: 'Remover membro',
    removeLabel: 'Remover membro: {{name}}',
    removeTitle: 'Remover {{name}}?',
    removeText:
      '{{name}} perde o acesso a esta organização, inclusive com suas chaves de API. Os convites pendentes criados por esse membro são cancelados. A conta dele é mantida.',
    removed: '{{name}} não é mais membro.',
  },
  invitations: {
    heading: 'Convites pendentes',
    none: 'Não há convites pendentes.',
    address: 'Endereço de e-mail',
    expires: 'Expiração',
    withdraw: 'Cancelar convite',
    withdrawLabel: 'Cancelar convite: {{email}}',
    withdrawTitle: 'Cancelar o convite para {{email}}?',
    withdrawText: 'O link que você enviou deixa de funcionar.',
    withdrawn: 'O convite para {{email}} foi cancelado.',
    invite: 'Convidar membro',
    create: 'Criar convite',
    explanation:
      'Um membro pode ver as propriedades desta organização e as estatísticas delas e pode criar, alterar e excluir propriedades.',
    emailHelp:
      'Somente um usuário com este endereço pode aceitar o convite. Se você convidar o endereço novamente, o link anterior deixa de funcionar.',
    linkHeading: 'Link de convite',
    linkText:
      'Envie você mesmo este link a {{email}}, porque o Postern não envia e-mails. O link é exibido uma única vez, funciona uma única vez e expira {{time}}.',
    copyLink: 'Copiar link',
    linkSecret: 'O link é secreto: não o envie a outras pessoas.',
    sent: 'Já enviei',
  },
  invitation: {
    title: 'Você recebeu um convite',
    text: '{{inviter}} convida você para “{{organization}}”. Os membros dessa organização gerenciam as propriedades dela e veem as estatísticas.',
    validity: 'O convite é para {{email}} e expira {{time}}.',
    signedIn: 'Você entrou como {{email}}.',
    otherAddress: 'Você entrou como {{current}}, que é outro endereço. Saia e continue como {{email}}.',
    accept: 'Aceitar convite',
    signOut: 'Sair',
    signedOut: 'Você saiu.',
    accepted: 'Você agora é membro de “{{name}}”.',
    signIn: 'Entrar',
    signInText: 'Se este endereço já tem uma conta aqui, entre com ela.',
    signInToAccept: 'Entrar para aceitar',
    createAccount: 'Criar conta',
    createAccountText: 'Se este endereço ainda não tem uma conta aqui, crie uma e depois entre com ela.',
    yourName: 'Seu nome',
    yourNameHelp: 'Os outros membros veem este nome.',
    password: 'Senha',
    accountCreated:
      'Entre como {{email}} para aceitar o convite. Se você já tinha uma conta, a senha dela não foi alterada.',
    noLink: 'Para aceitar um convite, abra o link que o proprietário da organização enviou a você.',
    invalidTitle: 'Este convite não é válido',
    alreadyAccepted: 'Se você já o aceitou, <link>vá para suas organizações</link>.',
  },
  settings: {
    rename: 'Renomear organização',
    renamed: 'A organização foi renomeada.',
    ownership: 'Propriedade da organização',
    ownershipText:
      'Você é o proprietário desta organização. Para transferi-la, escolha “Tornar proprietário” para outro membro na <link>lista de membros</link>. Você continua como membro e pode então deixar a organização.',
    delete: 'Excluir organização',
    deleteHeading: 'Zona de perigo',
    deleteText:
      'A organização e suas propriedades são excluídas, e as propriedades param de funcionar imediatamente.',
    details: 'Detalhes',
    owner: 'Proprietário',
    yourRole: 'Sua função',
    member: 'Membro',
    memberSince: 'Membro, ingressou {{time}}',
    ownerOnly: 'Somente o proprietário pode renomear a organização, convidar membros e excluí-la.',
    leaveHeading: 'Deixar a organização',
    leaveText:
      'Você e suas chaves de API perdem o acesso às propriedades da organização. As propriedades continuam funcionando. Para voltar à organização, você precisa de um novo convite.',
    leave: 'Deixar organização',
    leaveTitle: 'Deixar “{{name}}”?',
    left: 'Você deixou “{{name}}”.',
    cannotLeave: 'Não é possível',
    ownerCannotLeave:
      'O proprietário de uma organização não pode deixá-la. Torne primeiro outro membro proprietário ou exclua a organização.',
  },
  delete: {
    title: 'Excluir esta organização?',
    button: 'Excluir organização',
    empty: 'A organização não tem propriedades. {{rest}}',
    stops_one:
      'A propriedade dela para de funcionar imediatamente: os widgets não recebem mais puzzles, e as soluções são rejeitadas. {{rest}}',
    stops_other:
      'As {{count}} propriedades dela param de funcionar imediatamente: os widgets não recebem mais puzzles, e as soluções são rejeitadas. {{rest}}',
    rest: 'Os membros perdem o acesso, e as chaves de API para esta organização deixam de funcionar. Não é possível desfazer esta ação.',
    done: '“{{name}}” e suas propriedades foram excluídas.',
  },
  transfer: {
    title: 'Transferir esta organização?',
    button: 'Transferir organização',
    question: 'Transferir “{{organization}}” para {{user}}?',
    consequences: {
      owner:
        'Somente o novo proprietário pode renomeá-la, excluí-la ou transferi-la e convidar ou remover membros.',
      member:
        'Você continua como membro e pode gerenciar as propriedades dela. Você não pode desfazer a transferência por conta própria.',
      plan: 'A organização e suas propriedades passam a contar no plano do novo proprietário em vez do seu.',
      rest: 'As propriedades e as chaves de API não mudam.',
    },
    done: '{{name}} agora é o proprietário desta organização.',
    problems: {
      'account-disabled': 'Este usuário está desativado e não pode se tornar o proprietário.',
      'organization-name-taken':
        'Este usuário já é proprietário de uma organização com este nome; renomeie uma delas primeiro.',
      'organizations-limit': 'O plano deste usuário não permite mais organizações.',
      'properties-limit':
        'O plano deste usuário não permite as propriedades desta organização além das que ele já tem.',
    },
  },
};
