import type { Catalog } from '../catalog.ts';

export const account: Catalog['account'] = {
  fields: {
    email: 'Endereço de e-mail',
    password: 'Senha',
    currentPassword: 'Senha atual',
    newPassword: 'Nova senha',
    newPasswordHelp:
      'Pelo menos 8 caracteres. Senhas comuns e senhas baseadas no seu endereço de e-mail ou na sua organização são rejeitadas. Várias palavras aleatórias funcionam bem.',
  },
  signIn: {
    title: 'Entrar',
    button: 'Entrar',
    forgot: 'Esqueceu a senha?',
    kept: '<strong>Sua sessão terminou.</strong> Entre para continuar: o formulário que você acabou de enviar será processado em seguida, e você não precisará preenchê-lo novamente.',
  },
  forgot: {
    title: 'Esqueceu a senha?',
    users: {
      title: 'Fale com um administrador',
      text: 'Um administrador desta instalação pode criar um link de senha para você. O link funciona uma única vez e permite escolher uma nova senha. O Postern não envia e-mails, por isso o administrador entrega o link a você.',
    },
    administrators: {
      title: 'Para administradores',
      portal: 'Entre, abra <link>Usuários</link>, selecione o usuário e crie um link de senha.',
      command:
        'Se nenhum administrador conseguir entrar, execute este comando no servidor. Ele solicita uma nova senha e encerra todas as sessões do usuário:',
      copy: 'Copiar comando',
    },
    back: 'Voltar para a página de entrada',
  },
  code: {
    title: 'Insira seu código',
    label: 'Código',
    help: 'Os seis dígitos do seu aplicativo autenticador ou um dos seus códigos de recuperação.',
    button: 'Entrar',
    lost: {
      summary: 'Perdeu o telefone e os códigos de recuperação?',
      text: 'Um administrador pode desativar a autenticação de dois fatores para você na página do seu usuário. Se nenhum administrador conseguir entrar, o operador deste servidor pode executar este comando:',
    },
  },
  signedOut: 'Você saiu.',
  confirm: {
    title: 'Confirme sua senha',
    reason: 'Esta página exige sua senha. Ela não será solicitada novamente por 15 minutos.',
    reasonForm:
      'Esta ação exige sua senha. A ação continua assim que você a inserir, e a senha não será solicitada novamente por 15 minutos.',
    button: 'Continuar',
    sessionOver: 'Sua sessão acabou de terminar. Selecione Continuar novamente e depois entre.',
  },
  profile: {
    title: 'Perfil',
    details: 'Conta',
    email: 'Endereço de e-mail',
    role: 'Função',
    roles: { administrator: 'Administrador', user: 'Usuário' },
    name: 'Nome',
    nameHelp: 'Os outros membros das suas organizações veem este nome.',
    save: 'Salvar nome',
    saved: 'Seu nome foi alterado.',
  },
  security: {
    title: 'Segurança',
    password: {
      title: 'Senha',
      text: 'A alteração da senha encerra suas sessões em todos os outros navegadores.',
      change: 'Alterar senha',
    },
    twoFactor: {
      title: 'Autenticação de dois fatores',
      on: 'Ativada',
      off: 'Desativada',
      onText_one: 'Para entrar, você também insere um código. Resta {{count}} código de recuperação.',
      onText_other: 'Para entrar, você também insere um código. Restam {{count}} códigos de recuperação.',
      offText:
        'Apenas sua senha é suficiente para entrar. Um segundo fator protege sua conta se a senha for roubada.',
      manage: 'Gerenciar autenticação de dois fatores',
      setUp: 'Configurar autenticação de dois fatores',
    },
    sessions: {
      title: 'Sessões',
      caption: 'Navegadores em que sua conta está conectada',
      browser: 'Navegador',
      address: 'Endereço',
      lastUsed: 'Último uso',
      signedIn: 'Início da sessão',
      action: 'Ação',
      current: 'Este navegador',
      none: 'Não há nenhuma sessão.',
      end: 'Encerrar sessão',
      endNamed: 'Encerrar sessão: {{browser}}, {{address}}',
      endTitle: 'Encerrar esta sessão?',
      endText:
        'A sessão de {{browser}} em {{address}} é encerrada imediatamente. O que foi preenchido em formulários abertos é mantido até que o usuário entre novamente.',
      ended: 'A sessão foi encerrada.',
      endOthers: 'Encerrar todas as outras sessões',
      endOthersTitle: 'Encerrar todas as outras sessões?',
      endOthersText_one:
        'A sessão em {{count}} outro navegador é encerrada imediatamente. Este navegador continua conectado.',
      endOthersText_other:
        'As sessões em {{count}} outros navegadores são encerradas imediatamente. Este navegador continua conectado.',
      othersEnded: 'Todas as outras sessões foram encerradas.',
    },
    unknownBrowser: 'Navegador desconhecido',
    browserOn: '{{browser}} no {{system}}',
  },
  passwordChange: {
    title: 'Alterar senha',
    button: 'Alterar senha',
    others: 'Isso encerra suas sessões em todos os outros navegadores.',
    changed: 'Sua senha foi alterada. Todas as outras sessões foram encerradas.',
  },
  passwordLink: {
    title: 'Escolha uma senha',
    signInAs: 'Com esta senha, você entra como <strong>{{email}}</strong>.',
    button: 'Definir senha',
    set: 'Sua senha foi definida. Use-a para entrar.',
    noLink: 'Para escolher uma senha, abra o link que um administrador enviou a você.',
    toSignIn: 'Ir para a página de entrada',
    created: {
      title: 'Link de senha',
      send: 'Envie este link a <strong>{{email}}</strong> por um canal privado: qualquer pessoa que tenha o link pode escolher a senha deste usuário.',
      limits:
        'O link funciona uma única vez. Ele expira em três dias ou assim que a senha for alterada de outra forma. Ele não será exibido novamente.',
      copy: 'Copiar link',
      toUser: 'Ir para o usuário',
    },
  },
  openLink: {
    title: 'Abrir um link',
    field: 'Link',
    help: 'Cole o link inteiro ou a parte depois de “token=”.',
    button: 'Abrir link',
    invalid: 'Este não é um link nem um token deste servidor. Copie o link inteiro e cole-o aqui.',
  },
  twoFactor: {
    title: 'Autenticação de dois fatores',
    required:
      'Esta instalação exige que você use a autenticação de dois fatores. Configure-a para continuar.',
    about:
      'Depois da senha, você também insere um código de um aplicativo autenticador no seu telefone. Assim, apenas sua senha não é suficiente para entrar. Qualquer aplicativo autenticador (TOTP) funciona.',
    start: 'Iniciar configuração',
    scan: 'Escaneie este código QR com o seu aplicativo autenticador ou insira o segredo no aplicativo.',
    qrCode: 'Código QR do segredo',
    copySecret: 'Copiar segredo',
    code: 'Código do aplicativo',
    codeHelp: 'Os seis dígitos que o aplicativo exibe agora.',
    turnOn: 'Ativar autenticação de dois fatores',
    turnedOn: 'A autenticação de dois fatores foi ativada.',
    turnedOff: 'A autenticação de dois fatores foi desativada.',
    turnOffTitle: 'Desativar',
    turnOffText:
      'Depois disso, apenas sua senha é suficiente para entrar. Seus códigos de recuperação deixam de funcionar.',
    turnOff: 'Desativar autenticação de dois fatores',
    recovery: {
      title: 'Códigos de recuperação',
      left_one: 'Resta {{count}} código de recuperação. Cada código funciona uma única vez.',
      left_other: 'Restam {{count}} códigos de recuperação. Cada código funciona uma única vez.',
      renew: 'Criar novos códigos de recuperação',
      renewTitle: 'Criar novos códigos de recuperação?',
      renewText:
        'Seus códigos de recuperação atuais deixam de funcionar imediatamente, inclusive os que você imprimiu ou salvou.',
      renewed: 'Seus códigos de recuperação anteriores não funcionam mais.',
      about:
        'Se você perder o telefone, entre com um código de recuperação em vez de um código do aplicativo. Cada código de recuperação funciona uma única vez. Eles não serão exibidos novamente: imprima-os ou salve-os no seu gerenciador de senhas.',
      copy: 'Copiar códigos de recuperação',
      saved: 'Salvei os códigos',
    },
    others: {
      title: 'Outras sessões',
      text_one:
        '{{count}} outro navegador está conectado a esta conta sem um código. Salve primeiro os códigos de recuperação, porque encerrar a sessão fecha esta página.',
      text_other:
        '{{count}} outros navegadores estão conectados a esta conta sem um código. Salve primeiro os códigos de recuperação, porque encerrar as sessões fecha esta página.',
    },
  },
  shortcuts: {
    title: 'Atalhos de teclado',
    text: 'Os atalhos funcionam em todas as páginas enquanto nenhum campo está em foco. Eles exigem JavaScript.',
    caption: 'Teclas e o que elas fazem',
    keys: 'Teclas',
    action: 'Ação',
    thenKey: 'depois',
    search: 'Pesquisar',
    list: 'Mostrar esta lista',
    goTo: 'Ir para: {{page}}',
    use: 'Usar atalhos de teclado neste navegador',
    useHelp: 'Desative os atalhos se eles interferirem na entrada por voz ou em outra ferramenta.',
  },
};
