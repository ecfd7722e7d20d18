import type { Catalog } from '../catalog.ts';

export const components: Catalog['components'] = {
  cancel: 'Cancelar',
  optional: '(opcional)',
  reveal: 'Mostrar caracteres: {{field}}',
  copy: 'Copiar',
  copied: 'Copiado',
  copyNamed: 'Copiar {{name}}',
  sitekeyOf: 'a chave do site da propriedade {{name}}',
  close: 'Fechar',
  confirmName: 'Digite “{{name}}” para confirmar',
  breadcrumbs: 'Você está aqui',
  views: 'Visualizações',
  pager: {
    label: 'Páginas',
    previous: 'Anterior',
    next: 'Próxima',
    page: 'Página {{page}}',
  },
  time: {
    utc: '{{time}} UTC',
    justNow: 'agora mesmo',
    soon: 'em menos de um minuto',
    local: '{{time}} no seu fuso horário',
  },
  numbers: {
    underTenth: 'menos de {{percent}}',
    milliseconds: '{{value}} ms',
    seconds: '{{value}} s',
    minutes: '{{value}} min',
    hours: '{{value}} h',
  },
  sparkline: {
    label: 'Puzzles por hora nas últimas 24 horas: {{now}} nesta hora, {{most}} na hora de maior movimento',
    none: 'Nenhum puzzle nas últimas 24 horas',
  },
  lastDay: {
    series: 'Últimas 24 horas',
    issued: 'Emitidos',
    verified: 'Verificadas',
    failed: 'Com falha',
    accepted: 'Taxa de aceitação',
  },
  strength: {
    weak: 'Fraca: fácil de adivinhar.',
    fair: 'Razoável: uma senha mais longa é melhor.',
    strong: 'Forte.',
  },
  clientAddress: {
    address: 'Seu endereço de cliente é <code></code>. {{reason}}',
    unknown: 'desconhecido',
    shared:
      'Se a sua conexão com a Internet tiver outro endereço, o servidor poderá tratar todos os visitantes como um único cliente, com limite de taxa e dificuldade compartilhados. {{advice}}',
    countedAs: 'Contabilizado como',
    header: 'Cabeçalho <code></code>',
    notSent: 'Não enviado',
    caption: 'Endereços desta solicitação, começando pela conexão',
    addressColumn: 'Endereço',
    trustedColumn: 'Proxy confiável',
    yes: 'Sim',
    no: 'Não',
    closed: 'A conexão foi encerrada antes que o servidor pudesse ler o endereço dela.',
    reasons: {
      noProxies: 'Este é o endereço da conexão: não há nenhum proxy confiável.',
      headerIgnored:
        'Este é o endereço da conexão: não há nenhum proxy confiável, por isso o servidor ignora o cabeçalho {{header}}.',
      connectionNotTrusted:
        'Este é o endereço da conexão. Ele não é de um proxy confiável, por isso o servidor ignora o cabeçalho {{header}}.',
      senderNotTrusted:
        'Um proxy confiável o enviou no cabeçalho {{header}}. O próprio endereço não é de um proxy confiável, por isso o servidor ignora os endereços anteriores a ele.',
      noHeader: 'A conexão vem de um proxy confiável que não enviou nenhum endereço no cabeçalho {{header}}.',
      allTrusted:
        'Este é o primeiro endereço no cabeçalho {{header}}, e todos os endereços são de proxies confiáveis.',
      entryMalformed:
        'A entrada anterior a ele no cabeçalho {{header}} não é um endereço válido, por isso o servidor ignora o restante.',
      tooManyHops:
        'O cabeçalho {{header}} contém mais de 32 proxies confiáveis seguidos. O servidor ignora o restante.',
      connectionClosed: 'A conexão já estava encerrada.',
    },
    advice: {
      'proxies-none': 'Se o servidor estiver atrás de um proxy, adicione o proxy a POSTERN_TRUSTED_PROXIES.',
      'not-trusted': 'Se este for o endereço do seu proxy, adicione-o a POSTERN_TRUSTED_PROXIES.',
      'header-ended':
        'Configure o proxy para enviar o endereço do cliente neste cabeçalho ou defina POSTERN_CLIENT_IP_HEADER como o cabeçalho que ele envia.',
      'entry-malformed': 'Confira o que o seu proxy grava no cabeçalho.',
      'hops-too-many':
        'Confira o que o seu proxy grava no cabeçalho e liste menos redes em POSTERN_TRUSTED_PROXIES.',
      'connection-closed': 'Recarregue a página.',
    },
  },
};
