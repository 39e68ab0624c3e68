/** What a report says of a process that ran outside the replay. `command`: its command line. `runtime`: what it is instead of Node.js. */
export function outsideNote(command: string, runtime: string | undefined): string {
  const ran = `"${command}" ran outside the replay, for real, and was stopped:`;
  if (runtime !== undefined) return `${ran} it is no Node.js but ${runtime}, which a replay cannot answer.`;
  return `${ran} NODE_OPTIONS and REENACT_REPLAY did not reach it. Whatever starts it must hand its environment on.`;
}
