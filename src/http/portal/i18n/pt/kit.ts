import type { Catalog } from '../catalog.ts';

export const kit: Catalog['kit'] = {
  skip: 'Ir para o conteúdo',
  errorTitle: 'Erro: {{title}}',
  errors: 'Ocorreu um problema',
  menu: 'Menu',
  navigation: {
    label: 'Portal',
    home: 'Início',
    organizations: 'Organizações',
    activity: 'Atividade',
    account: 'Conta',
    profile: 'Perfil',
    security: 'Segurança',
    apiKeys: 'Chaves de API',
    administration: 'Administração',
    system: 'Sistema',
    users: 'Usuários',
    help: 'Ajuda',
    docs: 'Documentação',
    apiReference: 'Referência da API',
    demo: 'Demonstração',
    shortcuts: 'Atalhos de teclado',
    signOut: 'Sair',
  },
  help: {
    link: 'Ajuda',
    label: 'Ajuda para esta página (abre em uma nova guia)',
  },
  search: {
    label: 'Pesquisar organizações, propriedades, chaves do site e usuários',
    placeholder: 'Pesquisar',
  },
  preferences: {
    title: 'Idioma e tema',
    language: 'Idioma',
    theme: 'Tema',
    themes: { auto: 'Igual ao do sistema', light: 'Claro', dark: 'Escuro' },
    save: 'Salvar preferências',
    unknown: 'Selecione um dos idiomas e um dos temas do formulário.',
  },
  maintenance: {
    banner:
      '<strong>O modo de manutenção está ativado.</strong> Você pode consultar as páginas, mas as alterações são rejeitadas. As soluções dos visitantes continuam sendo verificadas.',
    switch: 'Ir para a opção do modo de manutenção',
    later: 'Tente fazer as alterações mais tarde.',
  },
  keyWarnings: {
    expires_one: 'A chave de API {{key}} expira em menos de um dia, em {{time}}.',
    expires_other: 'A chave de API {{key}} expira em menos de {{count}} dias, em {{time}}.',
    more_one: 'Mais {{count}} chave expira nas próximas duas semanas.',
    more_other: 'Mais {{count}} chaves expiram nas próximas duas semanas.',
    advice: 'Crie uma nova chave e substitua a antiga antes que ela expire.',
  },
  exportLimit: {
    title: 'Exportações demais',
    text: 'No máximo {{count}} das suas exportações e {{total}} exportações de todos os usuários podem ser executadas ao mesmo tempo. Aguarde até que uma delas termine e tente novamente.',
  },
  notFound: {
    title: 'Página não encontrada',
    text: 'Esta página não existe ou você não tem acesso a ela.',
  },
  notAllowed: {
    title: 'Acesso negado',
    administrators: 'Esta página é restrita aos administradores desta instalação.',
  },
  startPage: 'Ir para a página inicial',
  throttled: {
    seconds_one:
      'Muitas tentativas falharam. Aguarde {{count}} segundo e tente novamente. Esta tentativa não foi verificada.',
    seconds_other:
      'Muitas tentativas falharam. Aguarde {{count}} segundos e tente novamente. Esta tentativa não foi verificada.',
    minutes_one:
      'Muitas tentativas falharam. Aguarde {{count}} minuto e tente novamente. Esta tentativa não foi verificada.',
    minutes_other:
      'Muitas tentativas falharam. Aguarde {{count}} minutos e tente novamente. Esta tentativa não foi verificada.',
  },
  failure: {
    failed: { title: 'Algo deu errado', text: 'O log do servidor contém detalhes.' },
    invalid: {
      title: 'Solicitação inválida',
      text: 'Não foi possível ler a solicitação. Abra a página novamente.',
    },
    unavailable: {
      title: 'Indisponível',
      text: 'O servidor está temporariamente indisponível. Tente novamente em instantes.',
    },
    tooMany: {
      title: 'Solicitações demais',
      text: 'Você ou outras pessoas com o mesmo endereço de rede solicitaram muitas páginas em pouco tempo. Aguarde alguns segundos e recarregue a página.',
    },
    wrongHost: {
      title: 'Nome de host incorreto',
      text: 'O portal não está disponível neste nome de host. Abra {{url}}. Para usar também este nome, o operador deste servidor pode definir POSTERN_BASE_URL ou adicionar o nome a POSTERN_ALLOWED_HOSTS.',
    },
  },
  checks: {
    notAccepted: 'Não aceito',
    otherOrigin:
      'Uma página de outro servidor enviou este formulário. Abra a página neste servidor e tente novamente.',
    invalidToken: 'Este formulário pertence a outra sessão. Volte, recarregue a página e tente novamente.',
    notAForm: 'A solicitação não é um formulário deste servidor ou é grande demais.',
    tooSlow: 'O formulário demorou demais para chegar. Volte e envie-o novamente.',
    busy: 'O servidor está ocupado. Volte e envie o formulário novamente em instantes.',
    enrollFirst:
      'Esta instalação exige a autenticação de dois fatores. Configure-a primeiro e tente novamente. Nada foi alterado.',
  },
  interrupted: {
    signInNotKept:
      'Sua sessão havia terminado, por isso nada foi alterado. O formulário contém uma senha, um código ou um arquivo, ou é grande demais, e não foi mantido. Entre e preencha-o novamente.',
    passwordNotKept:
      'Nada foi alterado ainda. O formulário contém uma senha, um código ou um arquivo, ou é grande demais, e não foi mantido. Confirme sua senha e preencha-o novamente.',
    expired:
      'Você confirmou sua senha mais de 15 minutos depois de enviar o formulário. Nada foi alterado. Envie o formulário novamente.',
    otherUser: 'Outro usuário preencheu o formulário, por isso ele foi descartado. Nada foi alterado.',
    repeated: 'Este formulário já havia sido processado, por isso não foi processado novamente.',
  },
  kept: {
    maintenance: {
      title: 'Em manutenção',
      reason: 'O servidor rejeita alterações durante a manutenção, por isso nada foi alterado.',
      advice: 'Esta página mantém o que você inseriu. Envie novamente quando a manutenção terminar.',
    },
    restarted: {
      title: 'Confira o formulário',
      reason:
        'O servidor foi reinicializado enquanto você inseria sua senha, por isso não sabe se processou este formulário.',
      advice: 'Confira se a alteração foi feita. Se não, envie o formulário novamente.',
    },
    earlierSession: {
      title: 'Confira o formulário',
      reason: 'Você entrou novamente depois de abrir este formulário, por isso ele ainda não foi processado.',
      advice: 'Confira o que você inseriu e envie novamente.',
    },
    send: 'Enviar formulário',
    sendAgain: 'Enviar novamente',
    file: 'O arquivo não foi mantido. Volte e envie o formulário novamente.',
  },
};
