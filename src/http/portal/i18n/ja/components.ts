import type { Catalog } from '../catalog.ts';

export const components: Catalog['components'] = {
  cancel: 'キャンセル',
  optional: '（任意）',
  reveal: '文字を表示：{{field}}',
  copy: 'コピー',
  copied: 'コピーしました',
  copyNamed: '{{name}}をコピー',
  sitekeyOf: 'プロパティ「{{name}}」のサイトキー',
  close: '閉じる',
  confirmName: '確認のため「{{name}}」と入力してください',
  breadcrumbs: '現在の位置',
  views: 'ビュー',
  pager: {
    label: 'ページ',
    previous: '前へ',
    next: '次へ',
    page: '{{page}}ページ',
  },
  time: {
    utc: '{{time}} UTC',
    justNow: 'たった今',
    soon: '1分以内',
    local: '{{time}}（お使いのタイムゾーン）',
  },
  numbers: {
    underTenth: '{{percent}}未満',
    milliseconds: '{{value}}ミリ秒',
    seconds: '{{value}}秒',
    minutes: '{{value}}分',
    hours: '{{value}}時間',
  },
  sparkline: {
    label: '過去24時間の1時間ごとのパズル数：現在の1時間は{{now}}件、最も多い1時間は{{most}}件',
    none: '過去24時間のパズルはありません',
  },
  lastDay: {
    series: '過去24時間',
    issued: '発行',
    verified: '検証済み',
    failed: '失敗',
    accepted: '受け入れ率',
  },
  strength: {
    weak: '弱い：簡単に推測されます。',
    fair: '普通：もっと長いパスワードのほうが安全です。',
    strong: '強いパスワードです。',
  },
  clientAddress: {
    address: 'お使いのクライアントアドレスは<code></code>です。{{reason}}',
    unknown: '不明',
    shared:
      'インターネット接続のアドレスがこれと異なる場合、サーバーがすべての訪問者を1つのクライアントとして扱い、レート制限と難易度が共有されている可能性があります。{{advice}}',
    countedAs: '集計上のアドレス',
    header: 'ヘッダー<code></code>',
    notSent: '送信なし',
    caption: 'このリクエストのアドレス（接続元から順に表示）',
    addressColumn: 'アドレス',
    trustedColumn: '信頼済みプロキシ',
    yes: 'はい',
    no: 'いいえ',
    closed: 'サーバーがアドレスを読み取る前に接続が閉じられました。',
    reasons: {
      noProxies: 'これは接続元のアドレスです。信頼済みプロキシは設定されていません。',
      headerIgnored:
        'これは接続元のアドレスです。信頼済みプロキシが設定されていないため、サーバーはヘッダー{{header}}を無視します。',
      connectionNotTrusted:
        'これは接続元のアドレスです。信頼済みプロキシではないため、サーバーはヘッダー{{header}}を無視します。',
      senderNotTrusted:
        'このアドレスは、信頼済みプロキシがヘッダー{{header}}で送信したものです。アドレス自体は信頼済みプロキシではないため、サーバーはそれより前のアドレスを無視します。',
      noHeader: '接続元は信頼済みプロキシですが、ヘッダー{{header}}でアドレスが送信されていません。',
      allTrusted: 'これはヘッダー{{header}}の最初のアドレスです。すべてのアドレスが信頼済みプロキシです。',
      entryMalformed:
        'ヘッダー{{header}}でこのアドレスの前にある値が有効なアドレスではないため、サーバーは残りを無視します。',
      tooManyHops:
        'ヘッダー{{header}}に信頼済みプロキシが32件を超えて連続しています。サーバーは残りを無視します。',
      connectionClosed: '接続はすでに閉じられていました。',
    },
    advice: {
      'proxies-none':
        'サーバーがプロキシの背後にある場合は、そのプロキシをPOSTERN_TRUSTED_PROXIESに追加してください。',
      'not-trusted':
        'これがお使いのプロキシのアドレスである場合は、POSTERN_TRUSTED_PROXIESに追加してください。',
      'header-ended':
        'クライアントアドレスをこのヘッダーで送信するようにプロキシを設定するか、プロキシが送信するヘッダーをPOSTERN_CLIENT_IP_HEADERに設定してください。',
      'entry-malformed': 'プロキシがこのヘッダーに書き込む内容を確認してください。',
      'hops-too-many':
        'プロキシがこのヘッダーに書き込む内容を確認し、POSTERN_TRUSTED_PROXIESに指定するネットワークを減らしてください。',
      'connection-closed': 'ページを再読み込みしてください。',
    },
  },
};
