import type { Catalog } from '../catalog.ts';

export const dashboard: Catalog['dashboard'] = {
  title: 'Painel',
  ranges: {
    label: 'Período',
    '24h': '24 horas',
    '7d': '7 dias',
    '30d': '30 dias',
    '1y': '1 ano',
    custom: 'Período personalizado',
    from: 'Primeiro dia',
    to: 'Último dia',
    help: 'Os dias estão em UTC. Períodos de até 7 dias nos últimos 30 dias são exibidos por hora.',
    show: 'Mostrar período',
  },
  unknownRange: {
    title: 'Período desconhecido',
    text: 'Escolha um destes períodos: 24 horas, 7 dias, 30 dias, 1 ano ou um período personalizado.',
  },
  compare: {
    on: 'Comparar com o período anterior',
    off: 'Ocultar o período anterior',
  },
  download: {
    csv: 'CSV',
    json: 'JSON',
    csvLabel: 'Baixar como CSV',
    jsonLabel: 'Baixar como JSON',
  },
  live: {
    on: 'Ao vivo',
    offline: 'Reconectando…',
    ended: 'Os números não são mais atualizados, porque sua sessão terminou. <link>Entrar novamente</link>',
  },
  figures: {
    label: 'Indicadores',
    issued: 'Emitidos',
    verified: 'Verificadas',
    repeated: 'Repetidas',
    failed: 'Com falha',
    accepted: 'Taxa de aceitação',
    solveTime: 'Tempo mediano de resolução',
    difficulty: 'Dificuldade',
    notes: {
      issued: 'Puzzles que os navegadores solicitaram.',
      verified: 'Soluções aceitas, cada uma contada uma única vez.',
      repeated: 'Verificações repetidas aceitas.',
      failed: 'Verificações rejeitadas.',
      accepted: 'Verificações aceitas em relação a todas as verificações.',
      solveTime: 'Conforme informado pelos navegadores dos visitantes.',
      difficulty: 'A dificuldade atual de um puzzle para um novo visitante.',
      deletedProperties: 'Puzzles de propriedades excluídas.',
    },
  },
  change: {
    previous: 'antes: {{value}}',
    more: '{{change}} a mais do que no período anterior ({{previous}})',
    less: '{{change}} a menos do que no período anterior ({{previous}})',
    same: 'igual ao período anterior ({{previous}})',
    points: '{{value}} pontos',
    noteHour:
      'As variações comparam as horas completas deste período com as mesmas horas do período anterior.',
    noteDay:
      'As variações comparam os dias completos deste período com o mesmo número de dias anteriores a ele.',
  },
  difficulty: {
    constant:
      'A dificuldade é {{level}}, o nível desta propriedade: ela nunca muda, porque o crescimento é constante.',
    level: 'A dificuldade é {{level}}, o nível desta propriedade, porque o tráfego está normal.',
    raised:
      'A dificuldade é {{difficulty}}: os puzzles exigem {{factor}} vezes o trabalho do nível {{level}}, porque os visitantes solicitaram recentemente mais de quatro vezes os puzzles habituais.',
    disabled: 'A propriedade está desativada, por isso não emite puzzles. O nível dela é {{level}}.',
  },
  chart: {
    title: 'Ao longo do tempo',
    issued: 'Emitidos',
    verified: 'Verificadas',
    failed: 'Com falha',
    previous: 'Emitidos no período anterior',
    zone: 'Os horários estão no seu fuso horário, {{zone}}.',
    hours: 'Os horários estão em UTC.',
    days: 'Cada dia é um dia em UTC.',
    unfinishedHour: 'A parte tracejada é a hora atual, que ainda não terminou.',
    unfinishedDay: 'A parte tracejada é o dia de hoje, que ainda não terminou.',
  },
  numbers: {
    title: 'Números',
    hours_one: '{{count}} hora',
    hours_other: '{{count}} horas',
    days_one: '{{count}} dia',
    days_other: '{{count}} dias',
    captionHour: 'Por hora, em UTC, da mais antiga à mais recente',
    captionDay: 'Por dia, em UTC, do mais antigo ao mais recente',
    from: 'A partir de',
    unfinished: '(em andamento)',
  },
  solveTimes: {
    title: 'Tempos de resolução',
    none: 'Nenhum widget informou um tempo de resolução.',
    share: '{{percent}} em até',
    wasm: 'Com WebAssembly',
    help_one:
      'De {{count}} solução aceita, conforme informado pelo navegador do visitante; o servidor não pode conferir esse dado. Precisão de 12,5%.',
    help_other:
      'De {{count}} soluções aceitas, conforme informado pelos navegadores dos visitantes; o servidor não pode conferir esses dados. Precisão de 12,5%.',
    few: 'Há menos de {{minimum}} tempos de resolução, por isso as porcentagens altas ainda não são confiáveis.',
  },
  advice: {
    fast: 'No nível {{level}}, 95% dos visitantes esperam menos de {{time}}. No nível {{other}}, seriam no máximo {{otherTime}}, portanto há espaço para um nível mais alto se você notar abusos.',
    fits: 'No nível {{level}}, 95% dos visitantes esperam menos de {{time}}. No nível {{other}}, seriam no máximo {{otherTime}}, portanto o nível é adequado para esses visitantes.',
    slow: 'No nível {{level}}, 95% dos visitantes esperam menos de {{time}}, mas é muito tempo. No nível {{other}}, seriam cerca de {{otherTime}}.',
    wait: 'No nível {{level}}, 95% dos visitantes esperam menos de {{time}}.',
    slowest: 'No nível {{level}}, 95% dos visitantes esperam menos de {{time}}, mas é muito tempo.',
    notEnough:
      'Não há dados suficientes para uma recomendação sobre o nível: {{samples}} de {{minimum}} tempos de resolução no nível {{level}} nos últimos {{days}} dias.',
    source:
      'De {{samples}} tempos de resolução dos últimos {{days}} dias, todos com este nível e tipo de trabalho. Os navegadores informam os tempos, portanto os clientes podem falsificá-los.',
  },
  empty: {
    title: 'Ainda não há visitantes',
    text: 'Esta página mostra puzzles, verificações e tempos de resolução. Nenhum navegador solicitou ainda um puzzle para esta propriedade; os números aparecem alguns segundos após o primeiro visitante.',
    action: 'Adicionar o widget à sua página',
    rangeTitle: 'Nenhum visitante neste período',
    rangeText:
      'Esta propriedade não teve visitantes neste período. Escolha um período mais longo para ver os visitantes anteriores.',
    showYear: 'Mostrar 1 ano',
  },
  rejections: {
    title: 'Verificações com falha',
    none: 'Nenhuma verificação falhou.',
    other: 'Outros',
    reasons: {
      'error-other': {
        title: 'Propriedade desativada ou erro do servidor',
        advice:
          'Confira se a propriedade está desativada. Se ela estiver ativada, o log do servidor contém o motivo.',
      },
      'solution-duplicates': {
        title: 'Soluções duplicadas',
        advice: 'O widget nunca as envia. Um programa está tentando adivinhar.',
      },
      'solution-invalid': {
        title: 'Solução incorreta',
        advice:
          'Um programa pula o trabalho necessário. Se visitantes reais relatarem isso, confira se a página carrega o widget deste servidor.',
      },
      'solution-bad-format': {
        title: 'Nenhuma solução',
        advice:
          'O campo está vazio ou foi preenchido por outro produto. Confira se o formulário aguarda o widget e se o back-end envia o campo inalterado.',
      },
      'puzzle-expired': {
        title: 'Puzzle expirado',
        advice:
          'O formulário ficou aberto por mais tempo do que a validade do puzzle, ou o back-end verifica tarde demais. Você pode aumentar a validade nas configurações da propriedade.',
      },
      'property-invalid': {
        title: 'Propriedade incorreta',
        advice:
          'A chave do site que o back-end espera é diferente da que está na página, ou a propriedade foi excluída.',
      },
      'property-owner-mismatch': {
        title: 'Chave de API de outro usuário',
        advice: 'O usuário da chave de API não é membro da organização. Use a chave de um membro.',
      },
      'solution-verified-before': {
        title: 'Já verificada',
        advice:
          'Um formulário foi enviado duas vezes ou uma solução foi reutilizada. Se o seu back-end verifica mais de uma vez de propósito, aceite soluções repetidas nas configurações da propriedade.',
      },
      'integrity-error': {
        title: 'Assinatura inválida',
        advice:
          'Outro servidor emitiu o puzzle, ou ele foi alterado. Confira se a página e o back-end usam o mesmo servidor.',
      },
      'org-scope-error': {
        title: 'Chave de API de outra organização',
        advice:
          'A chave de API é limitada a outra organização. Use uma chave para esta organização ou para todas as organizações.',
      },
    },
  },
  system: {
    intro:
      'Estas estatísticas contam as solicitações que não pertencem a nenhuma propriedade: formulários sem solução, puzzles de outros servidores e solicitações de propriedades excluídas. As estatísticas de uma propriedade estão no painel dela.',
    emptyTitle: 'Nenhuma solicitação neste período',
    emptyText:
      'Não houve solicitações sem propriedade neste período. Se os back-ends enviarem soluções inválidas, elas aparecerão aqui com o motivo.',
  },
};
