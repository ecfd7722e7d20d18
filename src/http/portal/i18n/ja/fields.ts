import type { Catalog } from '../catalog.ts';

export const fields: Catalog['fields'] = {
  apiKey: {
    name: {
      label: '名前',
      help: 'キーの用途がわかる名前です。128文字以内。',
    },
    scope: {
      label: 'スコープ',
      help: 'バックエンドには、Captcha検証用のキーが必要です。組織やプロパティを管理するプログラムには、ポータル操作用のキーが必要です。',
    },
    rate: {
      label: '1秒あたりのリクエスト数',
      help: 'このキー専用のレート制限です。指定しない場合は、設定済みの制限が適用されます。',
    },
    burst: {
      label: 'バースト',
      help: 'このキーで一度に送信できるリクエスト数です。指定しない場合は、設定済みの制限が適用されます。',
    },
  },
  plan: {
    name: {
      label: '名前',
      help: '英小文字、数字、ハイフンで64文字以内。',
    },
    organizations: {
      label: '組織',
      help: 'ユーザーがオーナーになれる組織の数です。',
    },
    properties: {
      label: 'プロパティ',
      help: 'ユーザーがオーナーであるすべての組織で作成できるプロパティの合計数です。',
    },
  },
  property: {
    name: {
      label: '名前',
      help: '128文字以内。制御文字と山かっこは使用できません。訪問者には表示されません。',
    },
    domain: {
      label: 'ドメイン',
      help: 'ウィジェットを設置するページのホスト名です（例：example.com）。スキーム、ポート、パスは含めません。DNSで名前解決できる必要があります。',
    },
    level: {
      label: 'レベル',
      help: 'パズルの基本の難易度です。8増やすと計算量が2倍になります。',
    },
    growth: {
      label: '増加',
      help: '多数のパズルを要求する訪問者に対して難易度が上がる速さです。高負荷時には、すべての訪問者に対してもわずかに上がります。',
    },
    challenge: {
      label: '計算の種類',
      help: 'ブラウザーが計算する内容です。argon2idはメモリを必要とするため、GPUの優位性が小さくなります。難易度152以上で、対応するウィジェットに適用されます。それ以外のパズルではBLAKE2bが使用されます。',
    },
    validitySeconds: {
      label: '有効期間（秒）',
      help: 'パズルとそのソリューションが有効な時間です。期限切れのパズルはウィジェットが置き換えます。',
    },
    allowsSubdomains: {
      label: 'サブドメインを許可',
      help: 'サブドメインでもウィジェットを使用できるようにするかどうか（例：ドメインがexample.comの場合のwww.example.com）。',
    },
    allowsLocalhost: {
      label: 'localhostを許可',
      help: '開発用に、localhost、*.localhost、127.0.0.1、[::1]でもウィジェットを使用できるようにするかどうか。',
    },
    allowance: {
      label: 'ソリューションあたりの検証回数',
      help: '1つのソリューションが有効期間中に受け入れられる回数です。',
    },
    isEnabled: {
      label: '有効',
      help: 'プロパティを有効にするかどうか。無効なプロパティはパズルを発行せず、そのソリューションは拒否されます。',
    },
  },
};
