/** How to find out who has a port, as a sentence to stand behind others; nothing on Windows, which has no `lsof`. */
export function portHolderAdvice(port: number | string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? '' : ` \`lsof -i :${port}\` says which process has it.`;
}
