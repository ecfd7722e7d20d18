import type { Catalog } from '../catalog.ts';

export const setup: Catalog['setup'] = {
  title: 'Posternの初期設定',
  about: '管理者となる最初のユーザーを作成してください。このフォームは1回だけ使用できます。',
  name: '名前',
  nameHelp: 'この名前は、ほかのメンバーに表示されます。後で変更できます。',
  organization: '組織の名前',
  organizationHelp: '保護するプロパティは、この組織に属します。名前は後で変更できます。',
  button: '最初のユーザーを作成',
  noUsers: 'ユーザーはまだいません。サーバーは起動時に、標準出力に初期設定リンクを出力しました。',
  findLink:
    'その行は<code>Setup link:</code>で始まります。サーバーは起動するたびに新しいリンクを出力し、以前のリンクを無効にします。',
  command: '最初のユーザーは、コマンドラインで作成することもできます：',
  copyCommand: 'コマンドをコピー',
};
