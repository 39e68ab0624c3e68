import { looksDrawn, looksDrawnOfAll } from './drawn-text.ts';
import { hex, word, wordDash } from './prefixed-key.ts';
import type { PatternRule } from './redaction-rule.ts';

/** An address that lets in whoever has it: the secret stands behind this part of it. */
function addressed(id: string, what: string, after: string, secret: string, starts: readonly string[]): PatternRule {
  return {
    id,
    why: `Whoever has the address of ${what} can use it.`,
    after,
    pattern: secret,
    needs: starts,
    hint: after,
    hintStarts: starts,
  };
}

const uuid = `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`;

/** What a link is for that is sent to one person, by the last parts of its path. */
const linkPaths = [
  'magic[-_]?links?',
  'reset[-_]?password',
  'password(?:[-_/]?resets?|less)',
  'verify[-_]?email',
  'email[-_/]?verif(?:y|ication)',
  'confirm[-_]?email',
  'accept[-_]?invit(?:e|ation)',
];

/** Parts that other addresses have, too: of orders, packages and files. */
const vagueLinkPaths = ['magic', 'verify', 'confirm', 'confirmation', 'activate', 'activation', 'invite'];

function linked(after: string, secret: string, names: string, starts: readonly string[]): PatternRule {
  return {
    id: 'magic-link',
    why: 'Whoever has a link that was sent to one person is that person.',
    after: `${after}/(?:${names})/`,
    pattern: `${secret}(?![A-Za-z0-9_.-])`,
    needs: starts,
    hint: `/(?:${names})/${wordDash}{20}`,
    hintStarts: starts,
  };
}

/** Addresses that are credentials themselves. */
export const ADDRESS_RULES: readonly PatternRule[] = [
  {
    ...linked('', `${wordDash}{20,512}`, linkPaths.join('|'), [
      '/magic',
      '/reset',
      '/password',
      '/verify',
      '/email',
      '/confirm',
      '/accept',
    ]),
    accepts: looksDrawn,
  },
  {
    ...linked(
      'https?://[^\\s/?#"\'<>\\\\]{1,255}(?:/[^\\s/?#"\'<>\\\\]{1,100}){0,6}',
      `${wordDash}{32,512}`,
      vagueLinkPaths.join('|'),
      vagueLinkPaths.map((name) => `/${name}/`),
    ),
    accepts: looksDrawnOfAll,
  },
  addressed(
    'zapier-webhook',
    'a webhook of Zapier',
    'hooks\\.zapier\\.com/hooks/(?:catch|standard)/\\d{3,12}/',
    `${word}{5,}`,
    ['hooks.zapier.com'],
  ),
  addressed('make-webhook', 'a webhook of Make', 'hook\\.(?:[a-z0-9]{2,8}\\.)?make\\.com/', `${word}{20,}`, ['hook.']),
  addressed(
    'ifttt-key',
    'a webhook of IFTTT',
    'maker\\.ifttt\\.com/trigger/[^\\s/]{1,100}/(?:json/)?with/key/',
    `${wordDash}{16,}`,
    ['maker.ifttt.com'],
  ),
  addressed(
    'airtable-webhook',
    'a webhook of Airtable',
    'hooks\\.airtable\\.com/workflows/v1/genericWebhook/',
    '[A-Za-z0-9/]{30,}',
    ['hooks.airtable.com'],
  ),
  addressed(
    'lark-webhook',
    'a webhook of Lark or Feishu',
    'open\\.(?:feishu\\.cn|larksuite\\.com)/open-apis/bot/v2/hook/',
    uuid,
    ['open.feishu', 'open.larksuite'],
  ),
  addressed('teams-webhook', 'a webhook of Teams', 'outlook\\.office(?:365)?\\.com/webhook/', '[A-Za-z0-9@/_-]{40,}', [
    'outlook.office',
  ]),
  addressed(
    'openweather-key',
    'a request to OpenWeather',
    '\\.openweathermap\\.org/[^\\s"\'<>\\\\]{1,500}[?&]appid=',
    `${hex}{32}(?!${word})`,
    ['.openweathermap.org'],
  ),
  addressed('healthcheck-address', 'a check of healthchecks.io', 'hc-ping\\.com/', uuid, ['hc-ping.com']),
  addressed('infura-key', 'a project of Infura', '\\.infura\\.io/(?:ws/)?v3/', `${hex}{32}`, ['.infura.io']),
  addressed('alchemy-key', 'an app of Alchemy', '\\.alchemy\\.com/(?:nft/)?v[23]/', `${wordDash}{20,}`, [
    '.alchemy.com',
  ]),
  addressed('quicknode-token', 'an endpoint of QuickNode', '\\.quiknode\\.pro/', `${hex}{40}`, ['.quiknode.pro']),
];
