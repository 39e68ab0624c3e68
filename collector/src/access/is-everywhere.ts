/** Whether a host to listen on is every address that this machine has. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
