import type { Catalog } from '../catalog.ts';

export const fields: Catalog['fields'] = {
  apiKey: {
    name: {
      label: 'Nome',
      help: 'Descreve onde a chave é usada. Até 128 caracteres.',
    },
    scope: {
      label: 'Escopo',
      help: 'Um back-end precisa de uma chave para verificação de captcha. Programas que gerenciam organizações e propriedades precisam de uma chave para operações do portal.',
    },
    rate: {
      label: 'Solicitações por segundo',
      help: 'Limite de taxa próprio da chave. Sem um valor, aplica-se o limite configurado.',
    },
    burst: {
      label: 'Rajada',
      help: 'Quantas solicitações a chave pode enviar de uma só vez. Sem um valor, aplica-se o limite configurado.',
    },
  },
  plan: {
    name: {
      label: 'Nome',
      help: 'Até 64 letras minúsculas, dígitos e hifens.',
    },
    organizations: {
      label: 'Organizações',
      help: 'De quantas organizações um usuário pode ser proprietário.',
    },
    properties: {
      label: 'Propriedades',
      help: 'Quantas propriedades as organizações de que um usuário é proprietário podem ter no total.',
    },
  },
  property: {
    name: {
      label: 'Nome',
      help: 'Até 128 caracteres, sem caracteres de controle nem os sinais < e >. Os visitantes não o veem.',
    },
    domain: {
      label: 'Domínio',
      help: 'Nome de host das páginas com o widget, como example.com, sem esquema, porta ou caminho. Ele precisa ser resolvido no DNS.',
    },
    level: {
      label: 'Nível',
      help: 'Dificuldade básica dos puzzles. Um aumento de 8 dobra o trabalho necessário.',
    },
    growth: {
      label: 'Crescimento',
      help: 'Com que rapidez a dificuldade aumenta para um visitante que solicita muitos puzzles e, ligeiramente, para todos os visitantes quando a carga é alta.',
    },
    challenge: {
      label: 'Tipo de trabalho',
      help: 'O que o navegador calcula. O argon2id precisa de memória, por isso a vantagem das placas de vídeo é menor. Ele se aplica a partir da dificuldade 152, a widgets que conseguem resolvê-lo; todos os outros puzzles usam BLAKE2b.',
    },
    validitySeconds: {
      label: 'Validade em segundos',
      help: 'Por quanto tempo um puzzle e sua solução são válidos. O widget substitui os puzzles expirados.',
    },
    allowsSubdomains: {
      label: 'Permitir subdomínios',
      help: 'Se o widget também funciona em subdomínios, como www.example.com para o domínio example.com.',
    },
    allowsLocalhost: {
      label: 'Permitir localhost',
      help: 'Se o widget também funciona em localhost, *.localhost, 127.0.0.1 e [::1], para desenvolvimento.',
    },
    allowance: {
      label: 'Verificações por solução',
      help: 'Quantas vezes uma solução é aceita enquanto é válida.',
    },
    isEnabled: {
      label: 'Ativada',
      help: 'Se a propriedade está ativada. Uma propriedade desativada não emite puzzles, e suas soluções são rejeitadas.',
    },
  },
};
