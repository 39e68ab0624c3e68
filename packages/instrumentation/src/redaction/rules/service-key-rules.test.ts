import { encodeValue } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactedValue } from '../places/redact-value.ts';
import { Redactor } from '../redactor/redactor.ts';
import { SERVICE_KEY_RULES } from './service-key-rules.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

function kept(value: unknown): string {
  return redactedValue(redactor, encodeValue(value)).payload.data ?? '';
}

/** Random in looks, the same each time: so many characters of a row. */
function cut(row: string, length: number): string {
  return row.repeat(Math.ceil(length / row.length)).slice(0, length);
}

const mixed = (length: number): string => cut('Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXyZ4', length);
const hexed = (length: number): string => cut('3f9a0c1d7e2b5846', length);
const upper = (length: number): string => cut('A7B2C9D4E1F6G3H8', length);
const lower = (length: number): string => cut('a7b2c9d4e1f6g3h8', length);
const uuid = `${hexed(8)}-${hexed(4)}-${hexed(4)}-${hexed(4)}-${hexed(12)}`;
const bot = Buffer.from('112233445566778899').toString('base64');

/** The rule that finds a key, what it begins with, and what follows: apart, so that no scanner takes this file for a leak. */
const keys: readonly (readonly [string, string, string])[] = [
  ['google-api-key', 'AQ.', `Ab8RN6${mixed(44)}`],
  ['google-refresh-token', '1/', `/0${mixed(60)}`],
  ['azure-key', mixed(52), `JQQJ99${mixed(26)}`],
  ['bedrock-key', 'ABSK', `QmVkcm9ja0FQSUtleS${mixed(110)}=`],
  ['bedrock-key', 'bedrock-api-', `key-YmVkcm9jay5hbWF6b25hd3MuY29t${mixed(60)}`],
  ['cerebras-key', 'csk', `-${lower(48)}`],
  ['fireworks-key', 'fw', `_${mixed(24)}`],
  ['nvidia-key', 'nvapi', `-${mixed(60)}_-${mixed(2)}`],
  ['together-key', 'tgp', `_v1_${mixed(43)}`],
  ['jina-key', 'jina', `_${hexed(32)}${mixed(28)}`],
  ['voyage-key', 'pa', `-${mixed(20)}_${mixed(22)}`],
  ['elevenlabs-key', 'sk', `_${hexed(48)}`],
  ['wandb-key', 'wandb', `_v1_${mixed(77)}`],
  ['firecrawl-key', 'fc', `-${hexed(32)}`],
  ['scrapfly-key', 'scp', `-live-${hexed(32)}`],
  ['e2b-key', 'e2b', `_${hexed(40)}`],
  ['apify-token', 'apify', `_api_${mixed(36)}`],
  ['supabase-key', 'sb', `_secret_${mixed(22)}_${mixed(8)}`],
  ['supabase-key', 'sbp', `_${hexed(40)}`],
  ['neon-key', 'napi', `_${lower(64)}`],
  ['planetscale-token', 'pscale', `_tkn_${mixed(43)}`],
  ['vercel-token', 'vcp', `_${mixed(56)}`],
  ['netlify-token', 'nfp', `_${mixed(36)}`],
  ['cloudflare-token', 'cfut', `_${mixed(40)}${hexed(8)}`],
  ['cloudflare-token', 'v1.', `0-${hexed(24)}-${hexed(146)}`],
  ['heroku-key', 'HRKU', `-AA${mixed(58)}`],
  ['fly-token', 'FlyV1 ', `fm2_${mixed(120)}==,fm2_${mixed(120)}`],
  ['fly-token', 'fo1', `_${mixed(43)}`],
  ['tailscale-key', 'tskey', `-auth-${mixed(11)}CNTRL-${mixed(32)}`],
  ['doppler-token', 'dp', `.pt.${mixed(43)}`],
  ['doppler-token', 'dp', `.st.prd.${mixed(43)}`],
  ['onepassword-token', 'ops', `_eyJ${mixed(250)}`],
  ['onepassword-key', 'A3', `-${upper(6)}-${upper(6)}-${upper(5)}-${upper(5)}-${upper(5)}-${upper(5)}`],
  ['pulumi-token', 'pul', `-${hexed(40)}`],
  ['terraform-token', mixed(14), `.atlasv1.${mixed(67)}`],
  ['artifactory-key', 'AKCp', mixed(69)],
  ['artifactory-key', 'cmVmdGtuO', mixed(55)],
  ['rubygems-key', 'rubygems', `_${hexed(48)}`],
  ['crates-token', 'cio', mixed(32)],
  ['gitlab-token', 'gloas', `-${mixed(64)}`],
  ['gitlab-token', 'GR1348941', mixed(20)],
  ['bitbucket-token', 'ATBB', mixed(32)],
  ['atlassian-token', 'ATCTT3', `xFfG${mixed(170)}=${upper(8)}`],
  ['circleci-token', 'CCIPAT', `_${mixed(22)}_${hexed(40)}`],
  ['buildkite-token', 'bkua', `_${lower(40)}`],
  ['sourcegraph-token', 'sgp', `_${hexed(16)}_${hexed(40)}`],
  ['openshift-token', 'sha256', `~${mixed(43)}`],
  ['prefect-key', 'pnu', `_${mixed(36)}`],
  ['sentry-token', 'sntrys', `_eyJ${mixed(120)}==_${mixed(43)}`],
  ['sentry-token', 'sntryu', `_${hexed(64)}`],
  ['grafana-token', 'glc', `_eyJ${mixed(100)}==`],
  ['grafana-token', 'eyJrIjoi', `${mixed(80)}==`],
  ['newrelic-key', 'NRAK', `-${upper(27)}`],
  ['newrelic-key', hexed(32), 'FFFFNRAL'],
  ['dynatrace-token', 'dt0c01', `.${upper(24)}.${upper(64)}`],
  ['posthog-key', 'phx', `_${mixed(43)}`],
  ['notion-token', 'secret', `_${mixed(43)}`],
  ['figma-token', 'figd', `_${mixed(20)}-${mixed(19)}`],
  ['postman-key', 'PMAK', `-${hexed(24)}-${hexed(34)}`],
  ['airtable-token', 'pat', `${mixed(14)}.${hexed(64)}`],
  ['hubspot-token', 'pat', `-na1-${uuid}`],
  ['contentful-token', 'CFPAT', `-${mixed(43)}`],
  ['typeform-token', 'tfp', `_${mixed(44)}_${mixed(14)}`],
  ['readme-key', 'rdme', `_${lower(70)}`],
  ['slack-token', 'xoxc', `-123456789012-123456789012-${hexed(64)}`],
  ['slack-token', 'xoxd', `-${mixed(40)}%2B${mixed(40)}%3D`],
  ['discord-token', bot, `.G${mixed(5)}.${mixed(38)}`],
  ['resend-key', 're', `_${mixed(8)}_${mixed(24)}`],
  ['brevo-key', 'xkeysib', `-${hexed(64)}-${mixed(16)}`],
  ['stripe-key', 'sk', `_org_live_${mixed(40)}`],
  ['square-token', 'sq0csp', `-${mixed(43)}`],
  ['square-token', 'EAAA', `E${mixed(59)}`],
  ['shippo-token', 'shippo', `_live_${hexed(40)}`],
  ['plaid-token', 'access', `-production-${uuid}`],
  ['flutterwave-key', 'FLWSECK', `-${hexed(32)}-X`],
  ['easypost-key', 'EZAK', mixed(54)],
  ['duffel-token', 'duffel', `_live_${mixed(43)}`],
  ['mapbox-token', 'sk.', `eyJ1Ijoi${mixed(60)}.${mixed(22)}`],
  ['brave-key', 'BSA', mixed(28)],
  ['browserbase-key', 'bb', `_live_${mixed(22)}`],
  ['browser-use-key', 'bu', `_${mixed(21)}-${mixed(21)}`],
  ['steel-key', 'ste', `-${mixed(64)}`],
  ['scrapegraph-key', 'sgai', `-${uuid}`],
  ['context7-key', 'ctx7sk', `-${uuid}`],
  ['daytona-key', 'dtn', `_${hexed(64)}`],
  ['mem0-key', 'm0', `-${mixed(40)}`],
  ['arcade-key', 'arc', `_${mixed(50)}`],
  ['llamacloud-key', 'llx', `-${mixed(48)}`],
  ['cursor-key', 'crsr', `_${hexed(64)}`],
  ['cursor-key', 'key', `_${hexed(64)}`],
  ['retell-key', 'key', `_${hexed(28)}`],
  ['devin-key', 'cog', `_${lower(52)}`],
  ['dify-key', 'app', `-${mixed(24)}`],
  ['dify-key', 'dataset', `-${mixed(24)}`],
  ['modal-token', 'ak', `-${mixed(22)}`],
  ['modal-token', 'ws', `-${mixed(22)}`],
  ['runpod-key', 'rpa', `_${upper(40)}${lower(6)}`],
  ['cartesia-key', 'sk', `_car_${mixed(22)}`],
  ['heygen-key', 'sk', `_V2_${mixed(56)}`],
  ['novita-key', 'sk', `_${mixed(43)}`],
  ['helicone-key', 'sk-', `helicone-${lower(7)}-${lower(7)}-${lower(7)}-${lower(7)}`],
  ['openai-key', 'sess', `-${mixed(40)}`],
  ['openai-key', 'ek', `_${hexed(32)}`],
  ['huggingface-token', 'hf', `_oauth_${mixed(60)}.${mixed(40)}`],
  ['kaggle-token', 'KGAT', `_${hexed(32)}`],
  ['baidu-key', 'bce', `-v3/ALTAK-${mixed(21)}/${hexed(40)}`],
  ['yandex-key', 'AQVN', mixed(36)],
  ['honeycomb-key', 'hcaik', `_01${lower(58)}`],
  ['axiom-token', 'xaat', `-${uuid}`],
  ['coralogix-key', 'cxtp', `_${mixed(30)}`],
  ['dash0-token', 'auth', `_${mixed(32)}`],
  ['logfire-token', 'pylf', `_v1_us_${mixed(43)}`],
  ['checkly-key', 'cu', `_${hexed(32)}`],
  ['launchdarkly-key', 'sdk', `-${uuid}`],
  ['statsig-key', 'secret', `-${mixed(43)}`],
  ['configcat-key', 'configcat', `-sdk-1/${mixed(22)}/${mixed(22)}`],
  ['cloudflare-token', 'cfk', `_${mixed(40)}${hexed(8)}`],
  ['render-key', 'rnd', `_${mixed(28)}`],
  ['sonar-token', 'squ', `_${hexed(40)}`],
  ['deno-token', 'ddp', `_${mixed(36)}`],
  ['snyk-token', 'snyk', `_uat.${hexed(8)}.${mixed(100)}`],
  ['nuget-key', 'oy2', lower(43)],
  ['clojars-token', 'CLOJARS', `_${hexed(60)}`],
  ['depot-token', 'depot', `_project_${hexed(64)}`],
  ['chromatic-token', 'chpt', `_${hexed(14)}`],
  ['xata-key', 'xau', `_${mixed(43)}`],
  ['ory-token', 'ory', `_at_${mixed(43)}.${mixed(43)}`],
  ['vault-token', 'hvr', `.${mixed(90)}`],
  ['inngest-key', 'signkey', `-prod-${hexed(64)}`],
  ['trigger-key', 'tr', `_prod_${mixed(20)}`],
  ['trigger-key', 'tr', `_pat_${lower(40)}`],
  ['polar-token', 'polar', `_oat_${mixed(43)}`],
  ['akamai-token', 'akab', `-${lower(16)}-${lower(16)}`],
  ['alibaba-key', 'LTAI', mixed(20)],
  ['tencent-key', 'AKID', mixed(32)],
  ['azure-key', mixed(76), `AZDO${mixed(4)}`],
  ['azure-key', mixed(42), `AzSe${mixed(6)}`],
  ['azure-key', mixed(44), `AzFu${mixed(5)}A==`],
  ['azure-key', mixed(33), `AzCa${mixed(6)}=`],
  ['azure-key', mixed(33), `+ASb${mixed(5)}A=`],
  ['azure-key', mixed(76), `+ASt${mixed(5)}A==`],
  ['azure-key', mixed(76), `ACDb${mixed(5)}A==`],
  ['linear-key', 'lin', `_oauth_${hexed(64)}`],
  ['asana-token', '1/', `1200123456789012:${hexed(32)}`],
  ['asana-token', '2/', `1200123456789012/1200987654321098:${hexed(32)}`],
  ['dropbox-token', 'sl', `.${mixed(130)}`],
  ['dropbox-token', 'sl', `.u.${mixed(900)}`],
  ['infisical-token', 'st', `.${hexed(24)}.${hexed(32)}.${hexed(32)}`],
  ['trello-token', 'ATTA', hexed(72)],
  ['intercom-token', 'dG9rOj', `${mixed(52)}=`],
  ['calcom-key', 'cal', `_live_${hexed(32)}`],
  ['nylas-key', 'nyk', `_v0_${mixed(64)}`],
  ['zapier-key', 'sk-', `ak-${mixed(40)}`],
  ['mailersend-key', 'mlsn', `.${hexed(64)}`],
  ['telnyx-key', 'KEY0', `${hexed(31).toUpperCase()}_${mixed(22)}`],
  ['facebook-token', 'EAAG', mixed(180)],
  ['amazon-token', 'amzn1', `.oa2-cs.v1.${hexed(64)}`],
  ['paddle-key', 'pdl', `_live_apikey_01${lower(24)}_${mixed(22)}_${mixed(3)}`],
  ['checkout-key', 'sk', `_sbox_${lower(28)}`],
  ['stytch-secret', 'secret', `-live-${mixed(40)}=`],
  ['mollie-key', 'live', `_${mixed(30)}`],
  ['mollie-key', 'live', `_${mixed(20)}-${mixed(19)}`],
];

const placeholder = (id: string): RegExp => new RegExp(`^\\[redacted:${id}:[0-9a-f]{16}\\]$`);

describe('SERVICE_KEY_RULES', () => {
  it.each(keys)(
    '%s: %s… is found in a text, in JSON and in JSON inside a text, and nothing else is',
    (id, ...parts) => {
      const secret = parts.join('');
      const parsed = (value: unknown): unknown => JSON.parse(kept(value));
      const only = expect.stringMatching(placeholder(id));
      expect(redactor.text(`use ${secret}, then`).replace(/\[.*\]/, '…')).toBe('use …, then');
      expect(redactor.text(`KEY=${secret}\n`)).toMatch(/^KEY=\[redacted:[a-z0-9-]+:[0-9a-f]{16}\]\n$/);
      expect(parsed({ note: secret, [secret]: 1 })).toEqual({ note: only, [redactor.text(secret)]: 1 });
      const { content } = parsed({ content: JSON.stringify({ out: `a\n${secret}\nb` }) }) as { content: string };
      const { out } = JSON.parse(content) as { out: string };
      expect(out.split('\n')).toEqual(['a', only, 'b']);
    },
  );

  it('has a key above for each of its ids', () => {
    expect(new Set(SERVICE_KEY_RULES.map(({ id }) => id))).toEqual(new Set(keys.map(([id]) => id)));
  });

  it.each([
    ['a hash', `${hexed(40)} ${hexed(64)} sha256:${hexed(64)} sha256-${mixed(43)}= md5-${hexed(32)}`],
    ['an id of a call', `fc_${hexed(48)} call_${mixed(24)} msg_${hexed(24)} req-${uuid} run-${uuid} api-${uuid}`],
    ['a name in code', 'napi_create_external_arraybuffer_with_finalizer re_exported_from_another_module_1234 secret_'],
    [
      'a name with such a beginning',
      'fw_update_status_of_the_2nd_Device pa-in-the-middle-of-a-long-list-of-Words-2024-ab cio',
    ],
    ['a branch', `pul-request-of-2024 fc-${hexed(31)} fc-${hexed(33)} patch/patAbcdefgh12345.${hexed(40)}`],
    ['a picture in base64', `data:image/png;base64,iVBORw0KGgoAAAANSUhEUg${'EAAAEAAACAAAfc/cio1//0AAA'.repeat(40)}==`],
    ['a build', `main.${mixed(6)}.chunk.js MTIz.${mixed(6)}.${mixed(27)} app-${hexed(20)}.js v1.0-${hexed(24)}`],
    [
      'a name of a test',
      `test_${lower(30)} test_createsAnOrderWithTwoItems2026x test_createsAnOrderWithTwoItems2026 live_update_of_the_2nd_Device_in_a_list_of_them auth_middleware_v2_Handler`,
    ],
    [
      'a file',
      `app-${lower(24)}.css dataset-${hexed(24)} sdk-${hexed(32)} ak-${lower(22)} ws-${mixed(8)} key_${hexed(24)}`,
    ],
    ['a part of base64', `AAAA/EAAG${mixed(60)}/${mixed(80)}AzCa${mixed(60)}+ASt${mixed(70)}ACDb${mixed(90)}`],
    [
      'a number of a page, a moment, a digest behind an id, a long name',
      `page 1/1200123456789012 1/2:${hexed(32)} 1/1764540000:${hexed(32)} 1/1764540000123:${hexed(32)} ${hexed(24)}:${hexed(40)} ${hexed(24)}:${hexed(64)} sha256:${hexed(64)} ${hexed(64)}:${hexed(64)} sl.${'a-name-of-words-'.repeat(9)} v1/1200123456789012:${hexed(32)}`,
    ],
    ['a session that a framework signed', `bm90LWEtbnVtYmVyLWF0LWFsbA.${mixed(6)}.${mixed(27)}`],
  ])('%s is none of them', (_, text) => expect(redactor.text(text)).toBe(text));

  it('leaves JSON as JSON, wherever in it a key stands', () => {
    const part = fc.oneof(fc.constantFrom(...keys.map(([, ...parts]) => parts.join(''))), fc.string({ maxLength: 6 }));
    const text = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 3 }), (value) => {
        const { content } = JSON.parse(kept({ content: JSON.stringify(value) })) as { content: string };
        expect(() => JSON.parse(content) as unknown).not.toThrow();
      }),
    );
  });
});
