import { looksDrawn } from './drawn-text.ts';
import { hex, prefixed, shaped, word, wordDash } from './prefixed-key.ts';
import type { PatternRule } from './redaction-rule.ts';

/** What random letters and digits have and a name has hardly ever: a digit, a capital and a small letter. */
function isMixed(found: string): boolean {
  return /\d/.test(found) && /[A-Z]/.test(found) && /[a-z]/.test(found.slice(found.search(/[_-]/) + 1));
}

/** A bot's id, which is a number, begins its token in base64. */
function isBotToken(found: string): boolean {
  const [id = ''] = found.split('.', 1);
  return /^\d{17,20}$/.test(Buffer.from(id, 'base64url').toString('latin1'));
}

/** Three digits in base64, the first three of a number, and what each of those begins with. */
const digits = '[MNO][DTjz][AEIMQUYcgk][w-z0-5]';
const firstDigits = '(?:M[Tjz]|N[DTjz]|O[DT])[AEIMQUYcgk][w-z0-5]';
const firstStarts = Array.from({ length: 90 }, (_, tens) =>
  Buffer.from(`${tens + 10}0`)
    .toString('base64')
    .slice(0, 3),
);

/** A form of Azure's keys, which have four letters in their middle that say of what. */
function azureKey(before: string, mark: string, after: string): PatternRule {
  const written = mark.replaceAll('+', '\\+');
  return {
    id: 'azure-key',
    why: 'It has the form of a key of Azure, which says so in its middle.',
    pattern: `${before}${written}${after}(?![A-Za-z0-9+/=])`,
    startsWord: true,
    needs: [mark],
    hint: written,
    hintStarts: [mark],
  };
}

const base64 = '[A-Za-z0-9+/]';

/** Fourteen digits or more, the id of something: a moment in milliseconds has fewer. */
const id = '\\d{14,20}';

const uuid = `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`;

/** Keys of what models, their tools and their data are bought from. */
const agentKeys: readonly PatternRule[] = [
  prefixed('google-api-key', 'key of a Google API', ['AQ.Ab8'], `${wordDash}{40,}`),
  // In base64 of anything else it may be, too.
  {
    ...prefixed('google-refresh-token', 'refresh token of Google', ['1//0'], ''),
    pattern: `(?<![+/])1//0${wordDash}{40,}`,
  },
  {
    id: 'azure-key',
    why: 'It has the form of a key of Azure, which says so in its middle.',
    pattern: `${word}{52}JQQJ99${word}{26}(?!${word})`,
    startsWord: true,
    needs: ['JQQJ99'],
    hint: 'JQQJ99',
    hintStarts: ['JQQJ99'],
  },
  prefixed('bedrock-key', 'key of Amazon Bedrock', ['ABSKQmVkcm9ja0FQSUtleS'], '[A-Za-z0-9+/]{80,}={0,2}'),
  prefixed('bedrock-key', 'key of Amazon Bedrock', ['bedrock-api-key-YmVkcm9jay'], '[A-Za-z0-9+/_-]{40,}={0,2}'),
  prefixed('cerebras-key', 'key of Cerebras', ['csk-'], `${word}{40,}`),
  { ...shaped('fireworks-key', 'key of Fireworks', 'fw_', `${word}{24}`), accepts: isMixed },
  prefixed('nvidia-key', 'key of NVIDIA', ['nvapi-'], `${wordDash}{60,}`),
  prefixed('together-key', 'key of Together', ['tgp_v1_'], `${wordDash}{30,}`),
  prefixed('jina-key', 'key of Jina', ['jina_'], `${word}{32}${wordDash}{8,}`),
  { ...shaped('voyage-key', 'key of Voyage', 'pa-', `${wordDash}{43}`), accepts: isMixed },
  shaped('elevenlabs-key', 'key of ElevenLabs', 'sk_', `${hex}{48}`),
  prefixed('wandb-key', 'key of Weights & Biases', ['wandb_v1_'], `${wordDash}{40,}`),
  shaped('firecrawl-key', 'key of Firecrawl', 'fc-', `${hex}{32}`),
  prefixed('scrapfly-key', 'key of Scrapfly', ['scp-live-', 'scp-test-'], `${hex}{32}`),
  prefixed('e2b-key', 'key of E2B', ['e2b_'], `${hex}{40,}`),
  prefixed('apify-token', 'token of Apify', ['apify_api_'], `${word}{36,}`),
  { ...shaped('brave-key', 'key of Brave Search', 'BSA', `${wordDash}{28}`), accepts: isMixed },
  prefixed('browserbase-key', 'key of Browserbase', ['bb_live_', 'bb_test_'], `${wordDash}{20,}`),
  shaped('browser-use-key', 'key of Browser Use', 'bu_', `${wordDash}{43}`),
  shaped('steel-key', 'key of Steel', 'ste-', `${word}{60,}`),
  prefixed('scrapegraph-key', 'key of ScrapeGraphAI', ['sgai-'], uuid),
  prefixed('context7-key', 'key of Context7', ['ctx7sk-'], uuid),
  prefixed('daytona-key', 'key of Daytona', ['dtn_'], `${hex}{64}`),
  { ...shaped('mem0-key', 'key of Mem0', 'm0-', `${word}{40}`), accepts: isMixed },
  { ...shaped('arcade-key', 'key of Arcade', 'arc_', `${word}{40,60}`), accepts: isMixed },
  { ...shaped('llamacloud-key', 'key of LlamaCloud', 'llx-', `${word}{40,60}`), accepts: isMixed },
  prefixed('cursor-key', 'key of Cursor', ['crsr_'], `${hex}{64}`),
  shaped('cursor-key', 'key of Cursor', 'key_', `${hex}{64}`),
  shaped('retell-key', 'key of Retell', 'key_', `${hex}{28}`),
  shaped('devin-key', 'key of Devin', 'cog_', '[a-z0-9]{52}'),
  ...['app-', 'dataset-'].map((prefix) => ({
    ...shaped('dify-key', 'key of Dify', prefix, `${word}{24}`),
    accepts: isMixed,
  })),
  ...['ak-', 'as-', 'wk-', 'ws-'].map((prefix) => ({
    ...shaped('modal-token', 'token of Modal', prefix, `${word}{22}`),
    accepts: isMixed,
  })),
  prefixed('runpod-key', 'key of RunPod', ['rpa_'], `${word}{40,}`),
  prefixed('cartesia-key', 'key of Cartesia', ['sk_car_'], `${word}{20,}`),
  prefixed('heygen-key', 'key of HeyGen', ['sk_V2_'], `${wordDash}{40,}`),
  { ...shaped('novita-key', 'key of Novita', 'sk_', `${wordDash}{43}`), accepts: isMixed },
  prefixed('helicone-key', 'key of Helicone', ['sk-helicone-'], '[a-z0-9-]{20,}'),
  shaped('openai-key', 'key of OpenAI for a while', 'sess-', `${word}{40}`),
  shaped('openai-key', 'key of OpenAI for a while', 'ek_', `${hex}{32}`),
  prefixed('huggingface-token', 'token of Hugging Face', ['hf_oauth_', 'hf_jwt_'], '[A-Za-z0-9._-]{40,}'),
  prefixed('kaggle-token', 'token of Kaggle', ['KGAT_'], `${hex}{32}`),
  prefixed('baidu-key', 'key of Baidu', ['bce-v3/ALTAK-'], `${wordDash}{10,40}/${hex}{40}`),
  prefixed('yandex-key', 'key of Yandex', ['AQVN'], `${wordDash}{35,38}(?!${wordDash})`),
];

/** Keys of what programs run on, are built with and are watched by. */
const platformKeys: readonly PatternRule[] = [
  prefixed('supabase-key', 'secret key of Supabase', ['sb_secret_'], `${wordDash}{20,}`),
  prefixed('supabase-key', 'access token of Supabase', ['sbp_', 'sbp_v0_'], '[a-z0-9]{40}'),
  prefixed('neon-key', 'key of Neon', ['napi_'], '[a-z0-9]{40,}'),
  prefixed(
    'planetscale-token',
    'credential of PlanetScale',
    ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'],
    `${wordDash}{32,}`,
  ),
  prefixed('vercel-token', 'token of Vercel', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], `${wordDash}{50,}`),
  prefixed('netlify-token', 'token of Netlify', ['nfp_', 'nfc_', 'nfo_', 'nfu_', 'nfb_'], `[A-Za-z0-9_]{36,}`),
  prefixed('cloudflare-token', 'token of Cloudflare', ['cfut_', 'cfat_'], `${word}{40,}`),
  prefixed('cloudflare-token', 'origin CA key of Cloudflare', ['v1.0-'], `${hex}{24}-${hex}{146}`),
  prefixed('heroku-key', 'key of Heroku', ['HRKU-'], `${wordDash}{36,}`),
  {
    id: 'fly-token',
    why: 'It has the form of a token of Fly.io, or of several.',
    pattern: '(?:FlyV1 )?fm(?:2|1[ar])_[A-Za-z0-9+/_-]{100,}={0,3}(?:,fm(?:2|1[ar])_[A-Za-z0-9+/_-]{100,}={0,3})*',
    startsWord: true,
    needs: ['fm2_', 'fm1a_', 'fm1r_'],
    hint: 'fm2_|fm1a_|fm1r_',
    hintStarts: ['fm2_', 'fm1a_', 'fm1r_'],
  },
  prefixed('fly-token', 'token of Fly.io', ['fo1_'], `${wordDash}{43}`),
  prefixed('tailscale-key', 'key of Tailscale', ['tskey-'], `[a-z]{3,10}-${word}{8,}-${word}{16,}`),
  prefixed(
    'doppler-token',
    'token of Doppler',
    ['dp.ct.', 'dp.pt.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    `${word}{40,}`,
  ),
  prefixed('doppler-token', 'service token of Doppler', ['dp.st.'], `(?:[a-z0-9_-]{2,35}\\.)?${word}{40,}`),
  prefixed('infisical-token', 'service token of Infisical', ['st.'], `${hex}{24}\\.${hex}{32}\\.${hex}{32}`),
  prefixed('onepassword-token', 'service account of 1Password', ['ops_eyJ'], '[A-Za-z0-9+/_-]{200,}={0,3}'),
  shaped('onepassword-key', 'secret key of 1Password', 'A3-', '[A-Z0-9]{6}-[A-Z0-9]{6}(?:-[A-Z0-9]{5}){4}'),
  prefixed('pulumi-token', 'access token of Pulumi', ['pul-'], `${hex}{40}(?!${word})`),
  {
    id: 'terraform-token',
    why: 'It has the form of a token of Terraform Cloud.',
    pattern: `${word}{14}\\.atlasv1\\.${wordDash}{60,}`,
    startsWord: true,
    needs: ['.atlasv1.'],
    hint: '\\.atlasv1\\.',
    hintStarts: ['.atlasv1.'],
  },
  prefixed('artifactory-key', 'key of Artifactory', ['AKCp'], `${word}{69}(?!${word})`),
  prefixed('artifactory-key', 'reference token of Artifactory', ['cmVmdGtuO'], `${word}{50,}={0,2}`),
  prefixed('rubygems-key', 'key of RubyGems', ['rubygems_'], `${hex}{48}`),
  { ...shaped('crates-token', 'token of crates.io', 'cio', `${word}{32}`), accepts: isMixed },
  prefixed(
    'gitlab-token',
    'token of GitLab',
    ['glft-', 'glimt-', 'glagent-', 'gloas-', 'glsoat-', 'glffct-', 'glwt-'],
    `${wordDash}{20,}`,
  ),
  prefixed('gitlab-token', 'registration token of GitLab', ['GR1348941'], `${wordDash}{20}`),
  prefixed('bitbucket-token', 'app password of Bitbucket', ['ATBB'], `${word}{32}(?!${word})`),
  prefixed('atlassian-token', 'token of Atlassian', ['ATCTT3'], '[A-Za-z0-9_=+/-]{50,}'),
  prefixed('circleci-token', 'token of CircleCI', ['CCIPAT_', 'CCIPRJ_'], `${word}{22}_${hex}{40}`),
  prefixed('buildkite-token', 'token of Buildkite', ['bkua_'], '[a-z0-9]{40}'),
  prefixed(
    'sourcegraph-token',
    'token of Sourcegraph',
    ['sgp_', 'slk_'],
    `(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40,64}(?!${word})`,
  ),
  prefixed('openshift-token', 'token of OpenShift', ['sha256~'], `${wordDash}{43}(?!${wordDash})`),
  prefixed('prefect-key', 'key of Prefect', ['pnu_'], `${word}{36}`),
  prefixed('sentry-token', 'token of Sentry', ['sntrys_eyJ'], '[A-Za-z0-9+/=_-]{60,}'),
  prefixed('sentry-token', 'token of Sentry', ['sntryu_', 'sntrya_', 'sntryi_'], `${hex}{64}`),
  prefixed('grafana-token', 'token of Grafana Cloud', ['glc_'], '[A-Za-z0-9+/]{50,}={0,3}'),
  prefixed('grafana-token', 'key of Grafana', ['eyJrIjoi'], '[A-Za-z0-9+/]{60,}={0,3}'),
  prefixed('newrelic-key', 'key of New Relic', ['NRAK-'], '[A-Z0-9]{27}'),
  prefixed('newrelic-key', 'key of New Relic', ['NRII-', 'NRIQ-'], `${wordDash}{32}`),
  prefixed('newrelic-key', 'key of New Relic', ['NRAA-'], `${hex}{27}`),
  {
    id: 'newrelic-key',
    why: 'It has the form of a license key of New Relic.',
    pattern: '[0-9a-z]{6}[0-9a-f]{26}[0-9a-fF]{4}NRAL(?![A-Za-z0-9])',
    startsWord: true,
    needs: ['NRAL'],
    hint: 'NRAL',
    hintStarts: ['NRAL'],
  },
  prefixed(
    'dynatrace-token',
    'token of Dynatrace',
    ['dt0c01.', 'dt0s01.', 'dt0s02.', 'dt0s16.'],
    '[A-Z0-9]{8,24}\\.[A-Z0-9]{64}',
  ),
  prefixed('posthog-key', 'personal key of PostHog', ['phx_'], `[A-Za-z0-9_]{40,}`),
  prefixed('honeycomb-key', 'key of Honeycomb', ['hcaik_', 'hcaic_', 'hcalk_', 'hcamk_', 'hcxik_'], '[a-z0-9]{26,}'),
  prefixed('axiom-token', 'token of Axiom', ['xaat-', 'xapt-'], uuid),
  prefixed('coralogix-key', 'key of Coralogix', ['cxtp_', 'cxup_'], `${word}{24,}`),
  { ...shaped('dash0-token', 'token of Dash0', 'auth_', `${word}{32}`), accepts: isMixed },
  prefixed('logfire-token', 'token of Logfire', ['pylf_v1_', 'pylf_v2_'], '(?:[a-z]{2}_)?[A-Za-z0-9]{40,}'),
  prefixed('checkly-key', 'key of Checkly', ['cu_'], `${hex}{32}(?!${word})`),
  shaped('launchdarkly-key', 'SDK key of LaunchDarkly', 'sdk-', uuid),
  ...['secret-', 'console-'].map((prefix) => ({
    ...shaped('statsig-key', 'key of Statsig', prefix, `${word}{43}`),
    accepts: isMixed,
  })),
  prefixed('configcat-key', 'SDK key of ConfigCat', ['configcat-sdk-'], '\\d/[A-Za-z0-9_-]{22}/[A-Za-z0-9_-]{22}'),
  prefixed('cloudflare-token', 'key of Cloudflare', ['cfk_'], `${word}{40,}`),
  { ...shaped('render-key', 'key of Render', 'rnd_', `${word}{28,32}`), accepts: isMixed },
  prefixed('sonar-token', 'token of Sonar', ['sqp_', 'squ_', 'sqa_'], `${hex}{40}`),
  prefixed('deno-token', 'token of Deno Deploy', ['ddp_', 'ddw_'], `${word}{36}`),
  prefixed('snyk-token', 'token of Snyk', ['snyk_uat.', 'snyk_sat.'], '[A-Za-z0-9_.-]{40,}'),
  shaped('nuget-key', 'key of NuGet', 'oy2', '[a-z0-9]{43}'),
  prefixed('clojars-token', 'token of Clojars', ['CLOJARS_'], `${hex}{60}`),
  prefixed('depot-token', 'token of Depot', ['depot_project_', 'depot_org_', 'depot_user_'], `${hex}{64}`),
  prefixed('chromatic-token', 'token of Chromatic', ['chpt_'], `${hex}{12,}`),
  prefixed('xata-key', 'key of Xata', ['xau_'], `${word}{40,}`),
  prefixed(
    'ory-token',
    'token of Ory',
    ['ory_pat_', 'ory_at_', 'ory_rt_', 'ory_ac_', 'ory_st_'],
    '[A-Za-z0-9_.-]{30,}',
  ),
  prefixed('vault-token', 'recovery token of HashiCorp Vault', ['hvr.'], `${wordDash}{24,}`),
  prefixed('inngest-key', 'signing key of Inngest', ['signkey-'], `[a-z]{4,10}-${hex}{32,}`),
  ...['tr_dev_', 'tr_prod_', 'tr_stg_', 'tr_preview_'].map((prefix) => ({
    ...shaped('trigger-key', 'key of Trigger.dev', prefix, `${word}{20,24}`),
    accepts: isMixed,
  })),
  prefixed('trigger-key', 'token of Trigger.dev', ['tr_pat_'], '[a-z0-9]{40}'),
  prefixed('polar-token', 'token of Polar', ['polar_oat_', 'polar_pat_'], `${wordDash}{32,}`),
  prefixed('akamai-token', 'token of Akamai', ['akab-'], '[a-z0-9]{16}-[a-z0-9]{16}'),
  { ...shaped('alibaba-key', 'access key id of Alibaba Cloud', 'LTAI', `${word}{20}`), accepts: isMixed },
  { ...shaped('tencent-key', 'access key id of Tencent Cloud', 'AKID', `${word}{32}`), accepts: isMixed },
  azureKey(`${word}{76}`, 'AZDO', `${word}{4}`),
  azureKey(`${word}{42}`, 'AzSe', `${word}{6}`),
  azureKey(`${wordDash}{44}`, 'AzFu', `${wordDash}{5,6}={0,2}`),
  azureKey(`${word}{33}`, 'AzCa', `${word}{6}=`),
  ...['+ASb', '+AEh', 'AIoT'].map((mark) => azureKey(`${base64}{33}`, mark, `${base64}{5,6}=`)),
  ...['+ASt', '+ABa', 'ACDb'].map((mark) => azureKey(`${base64}{76}`, mark, `${base64}{5,6}={1,2}`)),
];

/** Keys of what agents work with for their people. */
const officeKeys: readonly PatternRule[] = [
  { ...shaped('notion-token', 'token of Notion', 'secret_', `${word}{43}`), accepts: isMixed },
  prefixed(
    'figma-token',
    'token of Figma',
    ['figd_', 'figp_', 'figo_', 'figu_', 'figor_', 'figur_', 'figoh_', 'figuh_'],
    `${wordDash}{40,}`,
  ),
  prefixed('postman-key', 'key of Postman', ['PMAK-'], `${word}{24}-${word}{34}`),
  shaped('airtable-token', 'token of Airtable', 'pat', `${word}{14}\\.${hex}{64}`),
  prefixed('hubspot-token', 'token of HubSpot', ['pat-na1-', 'pat-na2-', 'pat-na3-', 'pat-eu1-', 'pat-ap1-'], uuid),
  prefixed('contentful-token', 'personal token of Contentful', ['CFPAT-'], `${wordDash}{43}`),
  prefixed('typeform-token', 'token of Typeform', ['tfp_'], `${wordDash}{40,}`),
  prefixed('readme-key', 'key of ReadMe', ['rdme_'], '[a-z0-9]{70}'),
  // In a cookie all of the cookie is taken.
  prefixed('slack-token', 'token of Slack', ['xoxc-', 'xoxo-'], `${wordDash}{12,}`),
  {
    id: 'slack-token',
    why: 'It has the form of the cookie that a token of Slack goes with.',
    pattern: '(?<!\\bd=)xoxd-[A-Za-z0-9+/=_.-]{11}[A-Za-z0-9%+/=_.-]{29,}',
    startsWord: true,
    needs: ['xoxd-'],
    hint: 'xoxd-',
    hintStarts: ['xoxd-'],
  },
  {
    id: 'discord-token',
    why: 'It has the form of the token of a Discord bot.',
    pattern: `${firstDigits}(?:${digits}){4}${word}{2,8}\\.${wordDash}{6}\\.${wordDash}{27,45}(?!${wordDash})`,
    startsWord: true,
    hint: `${firstDigits}(?:${digits}){4}${word}{2,8}\\.`,
    hintStarts: firstStarts,
    accepts: isBotToken,
  },
  shaped('resend-key', 'key of Resend', 're_', `${word}{8}_${word}{24}`),
  prefixed('brevo-key', 'key of Brevo', ['xkeysib-', 'xsmtpsib-'], `${hex}{64}-${word}{16}`),
  prefixed('stripe-key', 'key of Stripe', ['sk_org_live_', 'sk_org_test_'], `${word}{16,}`),
  prefixed('square-token', 'token of Square', ['sq0atp-', 'sq0csp-'], `${wordDash}{22,}`),
  { ...shaped('square-token', 'token of Square', 'EAAA', `[B-Za-z]${wordDash}{59}`), accepts: isMixed },
  prefixed('shippo-token', 'token of Shippo', ['shippo_live_', 'shippo_test_'], '[A-Fa-f0-9]{40}'),
  prefixed('plaid-token', 'token of Plaid', ['access-sandbox-', 'access-development-', 'access-production-'], uuid),
  prefixed('flutterwave-key', 'key of Flutterwave', ['FLWSECK-', 'FLWSECK_TEST-'], `${word}{32}-X`),
  prefixed('easypost-key', 'key of EasyPost', ['EZAK', 'EZTK'], `${word}{54}(?!${word})`),
  prefixed('duffel-token', 'token of Duffel', ['duffel_live_', 'duffel_test_'], `${wordDash}{43}`),
  {
    id: 'mapbox-token',
    why: 'It has the form of a secret token of Mapbox.',
    pattern: `sk\\.eyJ${wordDash}{40,}\\.${wordDash}{20,}`,
    startsWord: true,
    needs: ['sk.eyJ'],
    hint: 'sk\\.eyJ',
    hintStarts: ['sk.eyJ'],
  },
  prefixed('linear-key', 'token of Linear', ['lin_oauth_'], `${word}{40,}`),
  {
    id: 'asana-token',
    why: 'It has the form of a personal access token of Asana.',
    pattern: `(?<![/+.:-])(?:1|2/${id})/${id}:${hex}{32}(?!${word})`,
    startsWord: true,
    needs: ['1/', '2/'],
    hint: `[12]/${id}`,
    hintStarts: ['1/', '2/'].flatMap((start) => Array.from({ length: 10 }, (_, digit) => `${start}${digit}`)),
  },
  { ...prefixed('dropbox-token', 'access token of Dropbox', ['sl.'], `(?:u\\.)?${wordDash}{100,}`), accepts: isMixed },
  prefixed('trello-token', 'token of Trello', ['ATTA'], `${hex}{72}`),
  prefixed('intercom-token', 'token of Intercom', ['dG9rOj'], '[A-Za-z0-9+/_-]{40,}={0,2}'),
  prefixed('calcom-key', 'key of Cal.com', ['cal_live_'], `${hex}{32}`),
  prefixed('nylas-key', 'key of Nylas', ['nyk_v0_'], `${word}{60,}`),
  prefixed('zapier-key', 'key of Zapier', ['sk-ak-'], `${wordDash}{30,}`),
  prefixed('mailersend-key', 'key of MailerSend', ['mlsn.'], `${hex}{64}`),
  prefixed('telnyx-key', 'key of Telnyx', ['KEY0'], '[0-9A-F]{31}_[A-Za-z0-9]{22}'),
  { ...shaped('facebook-token', 'token of Facebook', 'EAA', `${word}{100,400}`), accepts: isMixed },
  prefixed('amazon-token', 'client secret of Login with Amazon', ['amzn1.oa2-cs.v1.'], `${hex}{64}`),
  prefixed('paddle-key', 'key of Paddle', ['pdl_live_apikey_', 'pdl_sdbx_apikey_'], '01[a-z0-9]{24}_[A-Za-z0-9_]{20,}'),
  prefixed('checkout-key', 'key of Checkout.com', ['sk_sbox_'], '[a-z0-9]{24,}'),
  prefixed('stytch-secret', 'secret of Stytch', ['secret-live-', 'secret-test-'], `${wordDash}{36,}={0,2}`),
  ...['live_', 'test_'].map((prefix) => ({
    ...shaped('mollie-key', 'key of Mollie or GoCardless', prefix, `(?:${word}{30}|${wordDash}{40})`),
    accepts: (found: string) => isMixed(found) && looksDrawn(found.slice(prefix.length)),
  })),
];

/** Keys of services by the form that their owners gave them, so that they are found. */
export const SERVICE_KEY_RULES: readonly PatternRule[] = [...agentKeys, ...platformKeys, ...officeKeys];
