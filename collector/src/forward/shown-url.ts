/** The address of a destination as it may be shown: a password and the values of parameters are left out. */
export function shownUrl(text: string): string {
  const url = new URL(text);
  if (url.password === '' && url.search === '') return text;
  if (url.password !== '') url.password = 'hidden';
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'hidden');
  return url.href;
}
