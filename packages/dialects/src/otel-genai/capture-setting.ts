/** What makes an OpenTelemetry instrumentation keep what a model was asked and answered: the next step of a cold case. */
export const CAPTURE_SETTING =
  'Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT where the agent runs (older instrumentations: true, and send their logs to the collector too).';
