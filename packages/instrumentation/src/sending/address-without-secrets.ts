/** An address without what of it may be a password or a token; empty where it is none. */
export function addressWithoutSecrets(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
