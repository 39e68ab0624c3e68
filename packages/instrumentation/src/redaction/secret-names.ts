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
  'accountkey',
  'authtoken',
  'authkey',
  'bearertoken',
  'clientsecret',
  'connectionpassword',
  'consumersecret',
  'cookie',
  'cookies',
  'csrftoken',
  'encryptionkey',
  'idtoken',
  'jsessionid',
  'jwt',
  'masterkey',
  'ocpapimsubscriptionkey',
  'passcode',
  'passphrase',
  'passwd',
  'password',
  'phpsessid',
  'privatekey',
  'proxypassword',
  'pwd',
  'refreshtoken',
  'secret',
  'secretaccesskey',
  'secretkey',
  'securitytoken',
  'sessid',
  'sessiontoken',
  'setcookie',
  'setcookie2',
  'sharedaccesskey',
  'signingkey',
  'signingsecret',
  'subscriptionkey',
  'storagekey',
  'webhooksecret',
  'xamzsecuritytoken',
  'xauthtoken',
  'xcsrftoken',
  'xgoogapikey',
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
  /(?:password|passwd|passphrase|secret|apikey|accesskey|secretkey|privatekey|accesstoken|authtoken|refreshtoken|sessiontoken|apitoken|bottoken|usertoken|bearertoken|credentials|authorization|headercookie|headersetcookie)$/;

/** Names that may name a secret, and often do not; then what the value looks like decides. */
const vagueEndings = /(?:token|auth|credential|sid|pat)$/;

/** Tokens that are words, positions or counts. */
const harmlessNames =
  /^(?:max|min|next|prev|previous|page|nextpage|continuation|sync|cursor|start|stop|eos|bos|pad|unk|end|cache|tool|special)token$/;

/** How many characters a name that is looked at has at most. */
const nameCharactersMax = 80;

function bareName(name: string): string {
  return name.replaceAll(/[-_. ]/g, '').toLowerCase();
}

/** How sure a name makes that its value is a secret; undefined where it says nothing. */
export function secrecyOfName(name: string): 'secret' | 'vague' | undefined {
  if (name.length > nameCharactersMax || name.length < 2) return undefined;
  const bare = bareName(name);
  if (secretNames.has(bare) || secretEndings.test(bare)) return 'secret';
  return vagueEndings.test(bare) && !harmlessNames.test(bare) ? 'vague' : undefined;
}

/** Whether a value looks made by a machine to be unguessable: what a vague name needs to count. */
export function looksUnguessable(value: string): boolean {
  return value.length >= 16 && /^[A-Za-z0-9._~+/=:-]+$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** Values under a name of a secret that are none: they say that there is one, or what kind, or are versions of packages such as `cookie`. */
export function isHarmlessValue(value: string): boolean {
  return (
    value.length < 3 ||
    /^(?:true|false|null|none|undefined|string|required|optional|bearer|basic|same-origin|include|omit|and|or|\*+|(?:[~^]\d{1,3}|0)\.\d{1,3}\.\d{1,3}|<[^>]*>|\$\{[^}]*\})$/i.test(
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
export function isSecretValue(secrecy: 'secret' | 'vague' | undefined, value: string): boolean {
  if (secrecy === undefined || isHarmlessValue(value)) return false;
  return secrecy === 'secret' || looksUnguessable(value);
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
]);

/** Whether the value of a query parameter of this name is a credential. The name may be percent-encoded. */
export function isCredentialParameter(name: string): boolean {
  let plain = name;
  try {
    plain = decodeURIComponent(name);
  } catch {
    // What cannot be decoded is taken as it is written.
  }
  return (
    secrecyOfName(plain) === 'secret' || (plain.length < nameCharactersMax && credentialParameters.has(bareName(plain)))
  );
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
 * address, before `=` or `:`, or at the end of an element of XML. It looks at what ends a name first, of which prose has little, then at the name's last two letters:
 * comparing all names with what stands before each quote of a JSON text takes several times as long. Separators after a name are
 * none of it, as in `--secret-`.
 */
export const SECRET_NAME_HINT =
  /["'=:>\\](?<=(?:vc|[irw]d|[dirs]e|ig|th|al|[eio]n|tp|[el]s|[aew]t|vv|ey|[es]2)[-_.]*[^\S\n]?.)(?<=(?:pass[-_. ]*(?:w(?:or)?d|phrase|code)|pwd|secret|token|auth|cookies?2?|authorization|credentials?|jwt|sid|pat|cvv|cvc|otp|pin|(?:api|access|account|auth|encryption|master|private|secret|signing|storage|subscription)(?:[-_. ]|%5f|%2d)*key(?:[-_. ]*id)?|sess(?:ion)?[-_. ]*id|[?&](?:key|sig|code|ticket|hapikey)|signature|x-goog-credential|x-amz-credential)[-_.]*[^\S\n]?.)/i;
