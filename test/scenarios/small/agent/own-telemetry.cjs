// OpenTelemetry set up by the app itself in CommonJS, with `--require`: before every hook that is imported.
const http = require('node:http');
const { InstrumentationBase, registerInstrumentations } = require('@opentelemetry/instrumentation');
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
const { HttpInstrumentation, installDrawRecording, OpenAIInstrumentation, RecordingProcessor } = require('reenact');

// Wraps what ours has patched, as OpenTelemetry's own instrumentation of HTTP does.
class OtherInstrumentation extends InstrumentationBase {
  constructor() {
    super('other', '1.0.0', {});
  }

  init() {
    return [];
  }

  enable() {
    this._wrap(
      http,
      'request',
      (original) =>
        (...parameters) =>
          original(...parameters),
    );
    this._wrap(http.Server.prototype, 'emit', (original) => {
      return function emit(...parameters) {
        return Reflect.apply(original, this, parameters);
      };
    });
  }
}

installDrawRecording();
const recording = new RecordingProcessor(new OTLPTraceExporter());
const provider = new NodeTracerProvider({ spanProcessors: [recording] });
provider.register();
const ours = [new HttpInstrumentation(), new OpenAIInstrumentation()];
const others = process.env.LAYERED === '1' ? [new OtherInstrumentation()] : [];
registerInstrumentations({ tracerProvider: provider, instrumentations: [...ours, ...others] });
process.once('SIGTERM', () => setTimeout(() => provider.shutdown(), 100));
