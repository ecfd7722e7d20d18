import type { Catalog } from '../catalog.ts';

export const onboarding: Catalog['onboarding'] = {
  title: '最初のプロパティを保護',
  steps: {
    name: 'プロパティに名前を付ける',
    code: 'コードを追加',
    verify: 'ソリューションを検証',
  },
  noDomain:
    'まだドメインがない場合は、<code>example.com</code>と入力し、localhostでウィジェットをお試しください。ドメインは後で変更できます。',
  continue: '続行',
  allSettings: 'すべての設定を表示',
  verified: '検証済み',
  waiting: '最初の検証を待っています',
  submit: '{{domain}}でフォームを1回送信してください。数秒後に、この枠が緑色に変わります。',
  submitLocalhost:
    '{{domain}}またはlocalhostでフォームを1回送信してください。数秒後に、この枠が緑色に変わります。',
  none: 'ウィジェットはまだパズルを要求していません。',
  issued: 'ウィジェットがパズルを要求しました。ページは正しく設定されています。',
  failed: '検証が拒否されました。理由はダッシュボードに表示されます。',
  checkAgain: '再確認',
  protected: '訪問者のソリューションが検証されました。{{name}}は保護されています。',
  dashboard: 'ダッシュボードを開く',
  trouble:
    '何も起こらない場合は、<link>組み込みをテスト</link>してください。テストでは、すべてのステップの説明を確認できます。',
};
