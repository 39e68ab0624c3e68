/** Names that, without their separators and in lower case, say that what they name is a secret. */
const secretNames: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'xapikey',
  'apikey',
  'apisecret',
  'apitoken',
  'appsecret',
  'accesskey',
  'accesstoken',
  'authtoken',
  'authkey',
  'bearertoken',
  'clientkeydata',
  'clientsecret',
  'codeverifier',
  'connectionpassword',
  'consumersecret',
  'cookie',
  'cookies',
  'csrftoken',
  'devicecode',
  'idtoken',
  'jsessionid',
  'jwt',
  'masterauth',
  'npmauthident',
  'ocpapimsubscriptionkey',
  'passphrase',
  'passwd',
  'password',
  'phpsessid',
  'privatekey',
  'psk',
  'proxypassword',
  'pwd',
  'refreshtoken',
  'samlresponse',
  'secret',
  'secretaccesskey',
  'secretbinary',
  'secretkey',
  'secretstring',
  'securitytoken',
  'sessid',
  'sessiontoken',
  'setcookie',
  'setcookie2',
  'sharedaccesskey',
  'signingsecret',
  'subscriptionkey',
  'storagekey',
  'webhooksecret',
  'xamzsecuritytoken',
  'xauthtoken',
  'xcsrftoken',
  'xgoogapikey',
  'xhoneycombteam',
  'xsentryauth',
  'xtableauauth',
  'xgoogiamauthorizationtoken',
  'xxsrftoken',
  'xsrftoken',
  'connectsid',
  'aspnetsessionid',
  'cvv',
  'cvc',
  'otp',
  'pin',
]);

/** What such names end with when something is put before them: `dbPassword`, `GITHUB_TOKEN`, `x-acme-api-key`. */
const secretEndings =
  /(?:password|passwd|passphrase|secret|passcode|apikey|accesskey|accountkey|encryptionkey|masterkey|privatekey|secretkey|secretkeybase|sharedkey|signingkey|accesstoken|authtoken|refreshtoken|sessiontoken|apitoken|bottoken|usertoken|bearertoken|secrettoken|credentials|protectionbypass|authorization|headercookie|headersetcookie|(?:account|admin|auth|become|broker|database|db|e?mail|ftp|http|imap|key|ldap|login|mongo|mqtt|mysql|pg|postgres|proxy|redis|require|root|service|smtp|sql|ssh|store|sudo|user|vpn|wifi)pass)$/;

/** Variables of an environment that end with a word that is one of other names, too: `DB_PASS`, `MYSQL_PWD`, not the shell's own folders. */
const variable = /^[A-Z][A-Z0-9_]*$/;

function isSecretVariable(name: string): boolean {
  return (name.endsWith('_PASS') || name.endsWith('PWD')) && name !== 'OLDPWD' && variable.test(name);
}

/** Names that may name a secret, and often do not; then what the value looks like decides. */
const vagueEndings =
  /(?:token|auth|credential|macaroon|sid|pat|(?:aes|app|application|auth|cipher|crypt|fastly|functions|graphos|hmac|ingest|ingestion|insert|jwt|license|modal|write)key)$/;

/** Headers that are called a key are credentials, but for those by which something is found, put in order or done once, and what a store keeps beside a file. */
const keyHeader =
  /^x-(?!(?:[a-z]{1,9}-)?meta-)(?!(?:[a-z0-9-]{0,40}-)?(?:cache|correlation|dedup(?:lication)?|group|idempoten(?:cy|t)|message|object|ordering|partition|public|request|routing|shard|sort|surrogate)-key$)[a-z0-9-]{1,40}-key$/i;

/** A name that other things than passwords have, such as what a test came to: its value has a digit or a sign then. */
const passName = 'pass';

/** Names that other things than keys have, such as what a broker sends by: their value is 32 hexadecimal digits, or capitals and digits. */
const drawnNames: ReadonlySet<string> = new Set(['integrationkey', 'routingkey']);

/** Tokens that are words, positions or counts. */
const harmlessNames =
  /^(?:(?:next|prev|previous)?(?:page|pagination|continuation|sync|cursor)|next(?:forward|backward)?|prev|previous|max|min|start|stop|eos|bos|pad|unk|end|cache|tool|special)token$/;

/** Headers whose token is one whatever it looks like, and how Docker keeps what it logs in with. */
const tokenNames =
  /^(?:(?:private|job|deploy|x-(?:vault|gitlab|figma|consul|nomad|plex|goog-channel))-token|identitytoken)$/i;

/** How many characters a name that is looked at has at most. */
const nameCharactersMax = 80;

function bareName(name: string): string {
  return name.replaceAll(/[-_. ]/g, '').toLowerCase();
}

/** How sure a name makes that its value is a secret: `mixed` where it is one unless it is a word or a number, `drawn` only where it is of one form. */
export type Secrecy = 'secret' | 'mixed' | 'vague' | 'drawn';

/** How sure a name makes that its value is a secret; undefined where it says nothing. */
export function secrecyOfName(name: string): Secrecy | undefined {
  if (name.length > nameCharactersMax || name.length < 2) return undefined;
  const bare = bareName(name);
  if (secretNames.has(bare) || secretEndings.test(bare) || isSecretVariable(name)) return 'secret';
  if (bare === passName) return 'mixed';
  if (drawnNames.has(bare)) return 'drawn';
  if (!(vagueEndings.test(bare) || keyHeader.test(name)) || harmlessNames.test(bare)) return undefined;
  return tokenNames.test(name) ? 'secret' : 'vague';
}

/** A user name and a password in base64, as clients of registries keep them under `auth`. */
function isUserAndPassword(encoded: string): boolean {
  const isBase64 = encoded.length < 1_024 && /^[A-Za-z0-9+/]{6,}={0,2}$/.test(encoded);
  return isBase64 && /^[^\p{Cc}\ufffd:]+:[^\p{Cc}\ufffd]+$/u.test(Buffer.from(encoded, 'base64').toString('utf8'));
}

/** What stands behind `Basic`: a key has no password beside it, or no user, and one of a registry is long. */
export function isBasicCredential(encoded: string): boolean {
  return (
    isUserAndPassword(encoded) || /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(encoded, 'base64').toString('latin1'))
  );
}

/** Whether a value looks made by a machine to be unguessable: what a vague name needs to count. */
function looksUnguessable(value: string): boolean {
  if (value.length < 16) return isUserAndPassword(value);
  return /^[A-Za-z0-9._~+/=:-]+$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

function looksMixed(value: string): boolean {
  return value.length > 5 && /^\S+$/.test(value) && /[A-Za-z]/.test(value) && /[^A-Za-z]/.test(value);
}

/** Whether a value is as its name wants it that may be a secret; what is harmless apart. */
export function looksSecret(secrecy: Secrecy | undefined, value: string): boolean {
  switch (secrecy) {
    case undefined:
      return false;
    case 'secret':
      return true;
    case 'mixed':
      return looksMixed(value);
    case 'vague':
      return looksUnguessable(value);
    case 'drawn':
      return /^(?:[0-9a-f]{32}|[0-9A-Z]{32})$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
  }
}

/** Where a file or a folder is, and nothing behind it: `PWD` is the shell's, and a private key is often given as its file. */
const folder =
  /^(?:~|\/(?:app|builds?|data|etc|home|mnt|opt|private|root|run|srv|tmp|usr|Users|var|workspaces?))(?:\/[\p{L}\p{M}\p{N}_.@+$-]{0,255})*$/u;

/** Values under a name of a secret that are none: they say that there is one, or what kind, or are versions of packages such as `cookie`. */
export function isHarmlessValue(value: string): boolean {
  return (
    value.length < 3 ||
    folder.test(value) ||
    /^(?:true|false|null|none|undefined|string|required|optional|(?:bearer|basic|token)?[ ]?(?:%s|\$\{[^}]*\}|\{(?:\d|[a-z_.()[\]]*)\})|(?:bearer|basic|token|googlelogin auth=|digest) ?|same-origin|include|omit|and|or|\*+|(?:[~^]\d{1,3}|0)\.\d{1,3}\.\d{1,3}|<[^>]*>|\$\{[^}]*\})$/i.test(
      value,
    )
  );
}

/** How code begins to name what holds a secret, and words of code before what gives one. */
const reference =
  /(?:process\.env|import\.meta\.env|os\.environ|os\.getenv|Deno\.env|Bun\.env|self|this|config|settings|options|args|props|params|req|request)(?:[?!]?\.[#\w$]|[[(])|ENV\[|(?:await|new|async|function|lambda|typeof)[ (]/y;

/** Whether what stands at `start` without quotes is code that names a secret, and none itself. */
export function isReference(text: string, start: number): boolean {
  reference.lastIndex = start;
  return reference.test(text);
}

/** Whether a value is a secret, given what its name says. */
export function isSecretValue(secrecy: Secrecy | undefined, value: string): boolean {
  return looksSecret(secrecy, value) && !isHarmlessValue(value);
}

/** Query parameters that hold a credential in an address, without separators and in lower case. */
const credentialParameters: ReadonlySet<string> = new Set([
  'awsaccesskeyid',
  'code',
  'idtoken',
  'key',
  'sig',
  'signature',
  'ticket',
  'token',
  'auth',
  'xamzcredential',
  'xamzsignature',
  'xgoogcredential',
  'xgoogsignature',
  'hapikey',
  // Links that let in whoever has them, and what clouds sign addresses with.
  'clerkticket',
  'oauthsignature',
  'oobcode',
  'ossaccesskeyid',
  'qsignature',
  'tokenhash',
  'vercelshare',
]);

/** Those that may have a word for their value, such as how something is signed. */
const vagueParameters: ReadonlySet<string> = new Set(['hmac', 'magic']);

/** How sure the name of a query parameter makes that its value is a credential. The name may be percent-encoded. */
export function secrecyOfParameter(name: string): Secrecy | undefined {
  let plain = name;
  try {
    plain = decodeURIComponent(name);
  } catch {
    // What cannot be decoded is taken as it is written.
  }
  const secrecy = secrecyOfName(plain);
  if (secrecy === 'secret' || plain.length >= nameCharactersMax) return secrecy;
  const bare = bareName(plain);
  if (credentialParameters.has(bare)) return 'secret';
  return vagueParameters.has(bare) ? 'vague' : secrecy;
}

/** Names whose values a protocol needs back unchanged: ids of calls, signatures of reasoning. Never looked into. */
const roundTripNames: ReadonlySet<string> = new Set([
  'id',
  'callid',
  'toolcallid',
  'tooluseid',
  'itemid',
  'responseid',
  'previousresponseid',
  'traceid',
  'spanid',
  'signature',
  'encryptedcontent',
  'thoughtsignature',
  'systemfingerprint',
]);
const signatureNames: ReadonlySet<string> = new Set([
  'signature',
  'encryptedcontent',
  'thoughtsignature',
  'systemfingerprint',
]);
const roundTripId =
  /^(?:call|toolu|srvtoolu|chatcmpl|resp|msg|rs|fc|item|run|req|thread|asst|file|batch|embd)[_-][A-Za-z0-9_-]+$/;

/** Whether a protocol needs this value back as it is. */
export function isRoundTripValue(name: string | undefined, value: string): boolean {
  if (name === undefined) return false;
  const bare = bareName(name);
  return signatureNames.has(bare) || (roundTripNames.has(bare) && roundTripId.test(value));
}

/**
 * Matches a text wherever a name above stands before a value: in JSON, in JSON inside JSON, in a list of pairs, in an
 * address, before `=` or `:`, or at the end of an element of XML. It looks at what ends a name first, of which prose has little, then at the
 * character before it, which in JSON is mostly a sign or a digit, then at the name's last two letters: comparing all names with what stands before
 * each quote of a JSON text takes several times as long. Separators after a name are
 * none of it, as in `--secret-`. `kty` names the kind of a JSON web key, which has secrets beside it.
 */
export const SECRET_NAME_HINT =
  /["'=:>\\](?<=[a-z2\-_.\s].)(?<=(?:vc|[irw]d|[dirs]e|(?:i|t[-_. ]?strin)g|th|al|[eio]n|tp|(?:[el]|as)s|(?:[aew]|h[-_. ]?iden)t|b[-_. ]?team|n[-_. ]?hash|mac|gic|vv|(?:e|t[-_. ]?binar|kt)y|y[-_. ]?data|e[-_. ]?verifier|psk|by|[es]2)[-_.]*[^\S\n]?.)(?<=(?:pass(?:[-_. ]*(?:w(?:or)?d|phrase|code))?|pwd|psk|identified(?: with \w{1,40})? by(?: password)?|x-[a-z0-9-]{1,40}-key|secret(?:[-_. ]?(?:string|binary|key[-_. ]?base))?|code[-_. ]?verifier|device[-_. ]?code|saml[-_. ]?response|key[-_. ]?data|auth[-_. ]?ident|token|auth|cookies?2?|authorization|credentials?|jwt|sid|pat|cvv|cvc|otp|pin|kty|(?:aes|api|app|application|access|account|auth|cipher|crypt|encryption|fastly|functions|graphos|hmac|ingest|ingestion|insert|integration|jwt|license|master|modal|private|routing|secret|shared|signing|storage|subscription|write)(?:[-_. ]|%5f|%2d)*key(?:[-_. ]*id)?|sess(?:ion)?[-_. ]*id|macaroon|protection[-_. ]?bypass|honeycomb[-_. ]?team|[?&](?:key|sig|code|oobcode|_*clerk[-_]ticket|ticket|hapikey|hmac|magic|token[-_]hash|_*vercel[-_]share|ossaccesskeyid)|signature|x-goog-credential|x-amz-credential)[-_.]*[^\S\n]?.)/i;

/** A name with several spaces before what ends it, as in settings that are aligned. */
const aligned = /[\w"'\]][ \t]{2,40}$/;

/** Whether a text may hold a name that is aligned with others: around each such sign, of which there are few. */
export function mayHoldAligned(text: string): boolean {
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    if (/\s/.test(text[at - 2] ?? '') && aligned.test(text.slice(Math.max(0, at - 41), at))) return true;
  }
  return false;
}
