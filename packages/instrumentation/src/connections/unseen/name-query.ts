/** Whether a function of `node:dns` asks a name server. The others set up, or are constants. */
export function asksNameServer(key: string): boolean {
  return /^(lookup|lookupService|reverse|resolve.*)$/.test(key);
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}

/** Whether the machine knows the answer by itself: its own names, and addresses where a name is asked for. */
function isKnownHere(key: string, host: string): boolean {
  const isReverse = key === 'reverse' || key === 'lookupService';
  if (isReverse) return /^(127(\.\d+){3}|::1)$/.test(host);
  return host === '' || /^(.*\.)?localhost$/i.test(host) || isAddress(host);
}

/** How what is told of a name that was asked begins. */
const NAME_PLACE = 'dns.';

/** What is told of a name that one of these functions asked. */
export function placeOfName(key: string, name: string): string {
  return `${NAME_PLACE}${key} ${name}`;
}

/** Whether it is told of a name that was asked. */
export function isNameQuery(place: string): boolean {
  return place.startsWith(NAME_PLACE);
}

/** What a call of such a function asks name servers about: a name or an address. Undefined where they are not asked. */
export function nameAsked(key: string, [host]: readonly unknown[]): string | undefined {
  return typeof host !== 'string' || isKnownHere(key, host) ? undefined : host;
}
