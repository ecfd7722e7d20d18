import type { Catalog } from '../catalog.ts';

export const onboarding: Catalog['onboarding'] = {
  title: 'Proteja sua primeira propriedade',
  steps: {
    name: 'Dê um nome à propriedade',
    code: 'Adicione o código',
    verify: 'Verifique uma solução',
  },
  noDomain:
    'Se você ainda não tem um domínio, insira <code>example.com</code> e experimente o widget em localhost. Você pode alterar o domínio depois.',
  continue: 'Continuar',
  allSettings: 'Mostrar todas as configurações',
  verified: 'Verificada',
  waiting: 'Aguardando a primeira verificação',
  submit: 'Envie seu formulário uma vez em {{domain}}. Alguns segundos depois, esta caixa fica verde.',
  submitLocalhost:
    'Envie seu formulário uma vez em {{domain}} ou localhost. Alguns segundos depois, esta caixa fica verde.',
  none: 'O widget ainda não solicitou nenhum puzzle.',
  issued: 'O widget solicitou um puzzle, portanto a página está configurada corretamente.',
  failed: 'Uma verificação foi rejeitada. O painel mostra o motivo.',
  checkAgain: 'Conferir novamente',
  protected: 'A solução de um visitante foi verificada, portanto {{name}} está protegida.',
  dashboard: 'Abrir painel',
  trouble: 'Se nada acontecer, <link>teste a integração</link>: o teste explica cada etapa.',
};
