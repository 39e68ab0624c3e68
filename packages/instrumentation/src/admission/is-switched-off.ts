/** One switch turns recording off: ours, or OpenTelemetry's own for every SDK. */
export function isSwitchedOff(environment: NodeJS.ProcessEnv): boolean {
  return environment.REENACT_DISABLED === '1' || environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
}
