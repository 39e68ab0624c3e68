/** Our own switch says so. Written as OpenTelemetry's is it counts as well: who wants recording off in a hurry is not to be recorded for a spelling. */
export function isSwitchedOffByUs(environment: NodeJS.ProcessEnv): boolean {
  return /^(?:1|true)$/i.test(environment.REENACT_DISABLED?.trim() ?? '');
}

/** One switch turns recording off: ours, or OpenTelemetry's own for every SDK. */
export function isSwitchedOff(environment: NodeJS.ProcessEnv): boolean {
  return isSwitchedOffByUs(environment) || environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
}
