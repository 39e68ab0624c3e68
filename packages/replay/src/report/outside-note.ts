/** What a report says of a process that ran outside the replay. `command`: its command line. */
export function outsideNote(command: string): string {
  return `"${command}" ran outside the replay, for real, and was stopped: NODE_OPTIONS and REENACT_REPLAY did not reach it. Whatever starts it must hand its environment on.`;
}
