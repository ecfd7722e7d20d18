import type { Catalog } from '../catalog.ts';

export const integration: Catalog['integration'] = {
  values: {
    title: 'Valores',
    text: 'Tudo o que sua página e seu back-end precisam.',
    sitekey: 'Chave do site',
    script: 'URL do script',
    endpoint: 'URL de verificação',
    pinned: 'URL do script desta versão',
    integrity: 'Integridade desta versão',
    copy: 'Copiar o valor de “{{name}}”',
  },
  page: {
    title: 'Adicione o widget à sua página',
    text: 'O widget é um elemento no seu formulário. Ele envia a solução no campo <code>postern-captcha-solution</code>.',
    tabs: 'Framework',
    html: 'HTML',
    shared: 'Todos os componentes usam este módulo:',
    component: 'O componente:',
    more: '<link>Mais sobre frameworks</link>, como renderização no servidor e eventos.',
    pinned: 'Fixar a versão do script',
    pinnedText:
      'Os navegadores conferem a integridade deste script e o mantêm em cache permanentemente. Atualize sua página quando atualizar o Postern.',
    codeName: 'o código para {{name}}',
    fileName: 'o arquivo {{name}}',
    pinnedName: 'o script desta versão',
  },
  backend: {
    title: 'Verifique a solução no seu back-end',
    text: 'Antes de processar o formulário, seu back-end verifica a solução. Cada uma destas funções a verifica e confere se a solução vem da sua página.',
    tabs: 'Linguagem',
    requires: {
      javascript: 'Requer Node 18 ou posterior, Deno ou Bun.',
      python: 'Requer Python 3 e nenhum pacote.',
      php: 'Requer PHP 8 com allow_url_fopen ativado, que é o padrão.',
      ruby: 'Requer Ruby 2.7 ou posterior e nenhuma gem.',
      java: 'Requer Java 11 ou posterior e nenhuma biblioteca.',
      go: 'Requer apenas a biblioteca padrão.',
      curl: 'Requer um shell com curl e grep.',
    },
  },
  key: {
    text: 'Seu back-end precisa de uma chave de API no lugar de <code></code>. Crie uma aqui, e o código abaixo a conterá. Ela só pode verificar soluções desta organização.',
    other:
      'Se você já tem uma chave com o escopo “Verificação de captcha”, use-a. <link>Mostrar chaves de API</link>',
    button: 'Criar chave de API',
    shown:
      '<strong>O código abaixo contém a nova chave de API, que é exibida uma única vez.</strong> Copie o código antes de sair desta página e guarde a chave no seu servidor, nunca em uma página. Se você a perder, crie uma nova.',
    label: 'Chave de API',
    copy: 'Copiar chave de API',
  },
  vendors: {
    title: 'Substituir outro CAPTCHA',
    text: 'Se a sua página e o seu back-end foram escritos para outro fornecedor, altere apenas o nome de host, a chave do site e o segredo. Como segredo, use uma chave de API com o escopo “Verificação de captcha”.',
    tabs: 'Fornecedor',
    page: 'Use este código na página. O formulário envia o campo <code></code>:',
    endpoint: 'Use esta URL de verificação no back-end:',
    pageName: 'o código da página para {{name}}',
    endpointName: 'a URL de verificação para {{name}}',
    guide: '<link>Ler o guia de migração</link>',
  },
  test: {
    title: 'Testar a integração',
    text: 'Veja cada etapa de uma verificação real: seu navegador busca um puzzle para uma das suas páginas e o resolve, e este servidor verifica a solução como faz para o seu back-end.',
    open: 'Testar a integração',
    page: 'Endereço da sua página',
    pageHelp:
      'O endereço da página com o widget. O teste busca um puzzle da mesma forma que um visitante dessa página.',
    use: 'Usar este endereço',
    run: 'Executar teste',
    again: 'Executar teste novamente',
    noScript: 'O teste exige JavaScript.',
    uncounted:
      'O teste usa um puzzle real com a dificuldade atual, mas não aparece nas estatísticas e não aumenta a dificuldade.',
    stepsTitle: 'Etapas',
    waiting: 'Não iniciada',
    running: 'Em execução…',
    skipped: 'Não alcançada',
    steps: {
      fetch: 'Buscar um puzzle',
      fetchMeaning:
        'O widget solicita um puzzle para a chave do site. O servidor confere se a propriedade está ativada e se a página pode usá-la e assina o puzzle.',
      fetchDone: '{{bytes}} bytes recebidos em {{ms}} ms. A dificuldade é {{level}}.',
      solve: 'Resolvê-lo no navegador',
      solveMeaning:
        'O navegador procura números que se encaixem no puzzle. É esse trabalho que torna os bots lentos.',
      solveDone: 'Encontrada em {{ms}} ms, {{how}}. A solução tem {{bytes}} caracteres.',
      wasm: 'com WebAssembly',
      script: 'sem WebAssembly',
      send: 'Enviá-la para a verificação',
      sendMeaning:
        'Seu formulário envia a solução ao seu back-end, e seu back-end a envia a este servidor com uma chave de API. O teste a envia diretamente.',
      sendDone: '{{sent}} bytes enviados e resposta recebida em {{ms}} ms.',
      verdict: 'Ler o resultado',
      verdictMeaning:
        'Seu back-end aceita o formulário se “success” for true e “origin” for o host da sua página.',
    },
    success: 'A solução foi aceita. Código {{code}}, origem {{origin}}.',
    rejected: 'A solução foi rejeitada com o código {{code}} ({{name}}). {{advice}}',
    answer: 'Resposta do servidor',
    causes: {
      'property-unknown':
        'A propriedade está desativada ou foi excluída. Se estiver desativada, ative-a nas configurações.',
      'origin-missing': 'Falta o endereço da página. Insira o endereço da página com o widget.',
      'origin-not-allowed':
        'A propriedade não permite esta página: {{host}} não é {{domain}}. Nas configurações, altere o domínio ou permita subdomínios ou localhost.',
      'origin-without-domain':
        '{{host}} é um nome de host sem ponto ou um endereço IP e não pode ser o domínio de uma propriedade. Abra a página com um nome de host completo, como intranet.example.com, e defina esse nome como domínio nas configurações.',
      unavailable:
        'O servidor não consegue ler o banco de dados no momento. Tente novamente e confira o log do servidor.',
      expired: 'Esta página é antiga demais. Recarregue-a e execute o teste novamente.',
      'rate-limited':
        'Os testes desta propriedade solicitaram puzzles demais. Espere um minuto e execute o teste novamente.',
      network:
        'O navegador não conseguiu acessar o servidor. Uma extensão ou um problema de rede pode estar bloqueando a solicitação. Na sua própria página, uma política de segurança de conteúdo pode ter o mesmo efeito: permita este servidor em connect-src e script-src.',
      widget:
        'O widget não foi carregado. Uma extensão pode estar bloqueando-o. Na sua própria página, uma política de segurança de conteúdo pode ter o mesmo efeito: permita este servidor em script-src.',
      solve: 'O navegador não conseguiu resolver o puzzle: {{reason}}',
      session:
        'O servidor rejeitou a solicitação, talvez porque sua sessão tenha terminado. Recarregue a página.',
    },
    advice: {
      'error-other':
        'A propriedade está desativada ou o servidor tem um problema. Confira as configurações dela e o log do servidor.',
      'puzzle-expired':
        'O puzzle expirou. Execute o teste novamente ou aumente a validade nas configurações.',
      'solution-verified-before': 'Esta solução já foi verificada antes. Execute o teste novamente.',
      other: 'Execute o teste novamente. Se ele falhar outra vez, confira o log do servidor.',
    },
    pageMalformed: 'Insira o endereço de uma página, como www.example.com/login.',
  },
};
