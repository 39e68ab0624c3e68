import { isBasicCredential } from '../text/secret-names.ts';
import { ADDRESS_RULES } from './address-rules.ts';
import { COMMAND_RULES } from './command-rules.ts';
import { FILE_RULES } from './file-rules.ts';
import { MACAROON_RULES } from './macaroon-rules.ts';
import { paymentCards } from './payment-card.ts';
import { hex, prefixed, word, wordDash } from './prefixed-key.ts';
import { PROOF_RULES } from './proof-rules.ts';
import type { PatternRule } from './redaction-rule.ts';
import { SERVICE_KEY_RULES } from './service-key-rules.ts';

/** Keys of model providers. */
const modelKeys: readonly PatternRule[] = [
  prefixed('anthropic-key', 'key of Anthropic', ['sk-ant-'], `${wordDash}{16,}`),
  prefixed('openrouter-key', 'key of OpenRouter', ['sk-or-'], `${wordDash}{24,}`),
  prefixed('openai-key', 'key of OpenAI', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], `${wordDash}{16,}`),
  {
    id: 'openai-key',
    why: 'It has the form of a key of OpenAI, or of one of the many providers that took over its form.',
    pattern: `sk-${word}{20,}`,
    startsWord: true,
    needs: ['sk-'],
    hint: `sk-${word}{20}`,
    hintStarts: ['sk-'],
  },
  prefixed('google-api-key', 'key of a Google API', ['AIza'], `${wordDash}{35}`),
  prefixed('google-oauth-token', 'token or client secret of Google', ['ya29.', 'GOCSPX-'], `${wordDash}{20,}`),
  prefixed('huggingface-token', 'token of Hugging Face', ['hf_', 'api_org_'], `${word}{30,}`),
  prefixed('groq-key', 'key of Groq', ['gsk_'], `${word}{40,}`),
  prefixed('xai-key', 'key of xAI', ['xai-'], `${word}{40,}`),
  prefixed('perplexity-key', 'key of Perplexity', ['pplx-'], `${word}{32,}`),
  prefixed('replicate-token', 'token of Replicate', ['r8_'], `${word}{32,}`),
  prefixed('pinecone-key', 'key of Pinecone', ['pcsk_'], '[A-Za-z0-9_]{40,}'),
  prefixed('tavily-key', 'key of Tavily', ['tvly-'], `${wordDash}{20,}`),
  prefixed('langsmith-key', 'key of LangSmith', ['lsv2_pt_', 'lsv2_sk_'], '[a-f0-9]{32}_[a-f0-9]{10}'),
  prefixed('langfuse-key', 'secret key of Langfuse', ['sk-lf-'], '[a-f0-9-]{20,}'),
];

/** Keys of clouds and of services that agents use as tools. */
const serviceKeys: readonly PatternRule[] = [
  prefixed('aws-access-key', 'access key id of AWS', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], '[A-Z0-9]{16}(?![A-Z0-9])'),
  {
    id: 'azure-client-secret',
    why: 'It has the form of a client secret of Microsoft Entra.',
    pattern: '[A-Za-z0-9_~.-]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}',
    needs: ['Q~'],
    hint: '\\dQ~',
    hintStarts: Array.from({ length: 10 }, (_, digit) => `${digit}Q~`),
  },
  prefixed('github-token', 'token of GitHub', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], `${word}{36,}`),
  prefixed('github-token', 'token of GitHub', ['github_pat_'], '[A-Za-z0-9_]{22,}'),
  prefixed(
    'gitlab-token',
    'token of GitLab',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-'],
    // Those that say to which part of it they belong have how long they are behind a point, and a sum.
    `${wordDash}{20,}(?:\\.[0-9a-z]{2}\\.[0-9a-z]{9})?`,
  ),
  prefixed(
    'slack-token',
    'token of Slack',
    ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe-', 'xapp-'],
    `${wordDash}{12,}`,
  ),
  {
    id: 'slack-webhook',
    why: 'Whoever has the address of a Slack webhook can post to it.',
    after: 'hooks\\.slack\\.com/(?:services|workflows|triggers)/',
    pattern: '[A-Za-z0-9/_-]{20,}',
    needs: ['hooks.slack.com/'],
    hint: 'hooks\\.slack\\.com',
    hintStarts: ['hooks.slack.com'],
  },
  {
    id: 'discord-webhook',
    why: 'Whoever has the address of a Discord webhook can post to it.',
    after: 'discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{15,22}/',
    pattern: `${wordDash}{40,}`,
    needs: ['/webhooks/'],
    hint: 'discord(?:app)?\\.com/api/',
    hintStarts: ['discord'],
  },
  {
    id: 'teams-webhook',
    why: 'Whoever has the address of a Teams webhook can post to it.',
    after: '\\.webhook\\.office\\.com/webhookb2/',
    pattern: '[A-Za-z0-9@/_-]{40,}',
    needs: ['.webhook.office.com/'],
    hint: '\\.webhook\\.office\\.com',
    hintStarts: ['.webhook.office.com'],
  },
  prefixed('stripe-key', 'key of Stripe', ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'], `${word}{16,}`),
  {
    id: 'twilio-key',
    why: 'It has the form of an API key of Twilio.',
    pattern: `SK${hex}{32}(?!${hex})`,
    startsWord: true,
    needs: ['SK'],
    hint: `SK${hex}{32}`,
    hintStarts: Array.from('0123456789abcdef', (digit) => `SK${digit}`),
  },
  prefixed('sendgrid-key', 'key of SendGrid', ['SG.'], `${wordDash}{16,64}\\.${wordDash}{16,}`),
  prefixed('mailgun-key', 'key of Mailgun', ['key-'], '[0-9a-f]{32}'),
  {
    id: 'telegram-token',
    why: 'It has the form of a token of a Telegram bot.',
    pattern: '(?<!\\d)\\d{8,10}:AA[A-Za-z0-9_-]{33}',
    needs: [':AA'],
    hint: '(?<=\\d):AA',
    hintStarts: [':AA'],
  },
  prefixed('npm-token', 'token of npm', ['npm_'], `${word}{36}`),
  prefixed('pypi-token', 'token of PyPI', ['pypi-'], `${wordDash}{50,}`),
  prefixed('docker-token', 'token of Docker Hub', ['dckr_pat_', 'dckr_oat_'], `${wordDash}{20,}`),
  prefixed('digitalocean-token', 'token of DigitalOcean', ['dop_v1_', 'doo_v1_', 'dor_v1_'], '[a-f0-9]{64}'),
  prefixed('databricks-token', 'token of Databricks', ['dapi'], '[a-f0-9]{32}'),
  prefixed('shopify-token', 'token of Shopify', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], '[a-fA-F0-9]{32}'),
  prefixed('linear-key', 'key of Linear', ['lin_api_'], `${word}{32,}`),
  prefixed('notion-token', 'token of Notion', ['ntn_'], `${word}{40,}`),
  prefixed('vault-token', 'token of HashiCorp Vault', ['hvs.', 'hvb.'], `${wordDash}{24,}`),
  prefixed('grafana-token', 'token of Grafana', ['glsa_'], `${word}{32}_[a-fA-F0-9]{8}`),
  prefixed('atlassian-token', 'token of Atlassian', ['ATATT3'], '[A-Za-z0-9_=-]{50,}'),
];

/** A line of base64 that is not the last one, with what ends it, also where JSON escapes that. A longer one is a key by itself. */
const wrapped = (charactersMin: number): string =>
  `[A-Za-z0-9+/]{${charactersMin},128}(?:\\r?\\n|(?:\\\\r)?\\\\n)[ \\t]{0,40}`;

/** Credentials of no provider in particular. */
const credentials: readonly PatternRule[] = [
  {
    id: 'private-key',
    why: 'It is a private key in base64, as Kubernetes and environments keep one.',
    pattern: `LS0tLS1CRUdJTi(?:${wrapped(46)}(?:${wrapped(60)}){0,500})?[A-Za-z0-9+/]{1,65536}={0,2}`,
    startsWord: true,
    needs: ['LS0tLS1CRUdJTi'],
    hint: 'LS0tLS1CRUdJTi',
    hintStarts: ['LS0tLS1CRUdJTi'],
    accepts: isPrivateKey,
  },
  prefixed(
    'age-secret-key',
    'secret key of age',
    ['AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-PQ-1', 'age-secret-key-1', 'age-secret-key-pq-1'],
    `${word}{40,}`,
  ),
  {
    id: 'jwt',
    why: 'A JSON web token is a credential for as long as it is valid.',
    // One that is signed has claims behind its header, an encrypted one a key that may be empty, then vector, text and tag.
    pattern:
      '(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\\.(?:eyJ[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?|[A-Za-z0-9_-]*\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{20,})',
    needs: ['eyJ'],
    hint: 'eyJ',
    hintStarts: ['eyJ'],
  },
  prefixed(
    'paseto',
    'platform-agnostic security token',
    ['1', '2', '3', '4'].flatMap((version) => [`v${version}.local.`, `v${version}.public.`]),
    `${wordDash}{40,}(?:\\.${wordDash}*)?`,
  ),
  {
    id: 'bearer',
    why: 'It follows the word that introduces a bearer token.',
    after: '\\b[Bb](?:earer|EARER)[ +]',
    pattern: '[A-Za-z0-9._~+/-]{8,}={0,2}',
    accepts: isBearerToken,
    needs: ['earer', 'EARER'],
    hint: '[Bb](?:earer|EARER)[ +]',
    isInProse: true,
  },
  {
    id: 'basic-auth',
    why: 'It is a user name and a password in base64.',
    after: '\\b[Bb]asic ',
    pattern: '[A-Za-z0-9+/]{6,}={0,2}',
    needs: ['asic '],
    hint: '[Bb]asic [A-Za-z0-9+/]{6}',
    isInProse: true,
    accepts: isBasicCredential,
  },
  {
    id: 'url-password',
    why: 'It stands where an address or connection string has the password.',
    after: '://[^\\s/?#@:"\'\\\\<>]{0,128}:',
    pattern: '[^\\s/?#@"\'\\\\<>]{1,512}(?=@)',
    needs: ['://'],
    hint: '://[^\\s/?#@"]{0,256}@',
    isInProse: true,
    hintNeeds: ['@', '://'],
  },
  {
    id: 'url-user',
    why: 'An address whose user part is this long holds a token there.',
    after: '://',
    pattern: '[A-Za-z0-9_~.%-]{16,512}(?=@)',
    needs: ['://'],
    hint: '://[^\\s/?#@"]{0,256}@',
    isInProse: true,
    hintNeeds: ['@', '://'],
  },
  {
    id: 'payment-card',
    why: 'It is a valid number of a payment card.',
    pattern: '(?<![\\d.])\\d(?:[ -]?\\d){12,255}',
    hint: '\\d{4}[ -]?\\d{4}[ -]?\\d{4}|\\d{4}[ -]?\\d{6}[ -]?\\d{4}',
    isInProse: true,
    hintRun: { characters: '0123456789 -', charactersMin: 12 },
    places: paymentCards,
  },
];

/** A certificate begins as a key does. */
function isPrivateKey(encoded: string): boolean {
  return /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(Buffer.from(encoded.slice(0, 120), 'base64').toString('latin1'));
}

/** Prose has the word, too. */
function isBearerToken(text: string): boolean {
  return text.length >= 20 || /\d/.test(text);
}

/** The rules that are always on, in the order in which they win where two find the same. */
export const DEFAULT_RULES: readonly PatternRule[] = [
  ...modelKeys,
  ...serviceKeys,
  ...SERVICE_KEY_RULES,
  ...credentials,
  ...MACAROON_RULES,
  ...ADDRESS_RULES,
  ...PROOF_RULES,
  ...COMMAND_RULES,
  ...FILE_RULES,
];

/** Personal data, looked for only where the user asks for it by these names. */
export const PERSONAL_RULES = {
  email: {
    id: 'email',
    why: 'It is an e-mail address, and the user asked for those to be redacted.',
    // Behind a backslash stands what JSON inside a text writes for the end of a line.
    pattern: '(?<![A-Za-z0-9._%+\\\\-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63}){1,8}',
    needs: ['@'],
    hint: '@',
    isInProse: true,
    hintNeeds: ['@'],
  },
  phone: {
    id: 'phone',
    why: 'It is a telephone number in international form, and the user asked for those to be redacted.',
    pattern: '(?<![\\w+])\\+\\d(?:[ ()./-]{0,2}\\d){6,14}(?!\\d)',
    needs: ['+'],
    hint: '\\+\\d',
    isInProse: true,
    hintNeeds: ['+'],
  },
} as const satisfies Record<string, PatternRule>;
