import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Sends one trace with attributes of every type through an exporter of the OpenTelemetry SDK for Java, and prints its span's id.
 *
 * <p>SendSpans (http|grpc) (host:port)
 */
public final class SendSpans {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static SpanExporter exporter(String protocol, String address) {
    if (protocol.equals("http")) {
      String endpoint = "http://" + address + "/v1/traces";
      return OtlpHttpSpanExporter.builder().setEndpoint(endpoint).setCompression("gzip").setTimeout(TIMEOUT).build();
    }
    return OtlpGrpcSpanExporter.builder().setEndpoint("http://" + address).setTimeout(TIMEOUT).build();
  }

  public static void main(String[] arguments) {
    Resource resource = Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "from-java"));
    BatchSpanProcessor processor =
        BatchSpanProcessor.builder(exporter(arguments[0], arguments[1])).setExporterTimeout(TIMEOUT).build();
    SdkTracerProvider provider =
        SdkTracerProvider.builder().setResource(resource).addSpanProcessor(processor).build();
    Tracer tracer = provider.get("interop");
    Span root = tracer.spanBuilder("root").setSpanKind(SpanKind.SERVER).startSpan();
    Span child;
    try (var ignored = root.makeCurrent()) {
      child = tracer.spanBuilder("child").startSpan();
      child.setAttribute("text", "naïve ☃ 𝄞");
      child.setAttribute("large", "x".repeat(300_000));
      child.setAttribute("big", 9_007_199_254_740_993L);
      child.setAttribute("ratio", 0.25);
      child.setAttribute("flag", true);
      child.setAttribute(AttributeKey.stringArrayKey("texts"), java.util.List.of("a", ""));
      child.setAttribute(AttributeKey.longArrayKey("numbers"), java.util.List.of(-1L, 9_007_199_254_740_993L));
      child.setAttribute(AttributeKey.doubleArrayKey("ratios"), java.util.List.of(0.5, 1e300));
      child.setAttribute(AttributeKey.booleanArrayKey("flags"), java.util.List.of(true, false));
      child.addEvent("checkpoint", Attributes.of(AttributeKey.longKey("step"), 1L));
      child.recordException(new IllegalStateException("boom"));
      child.setStatus(StatusCode.ERROR, "boom");
      child.end();
    }
    root.end();
    provider.shutdown().join(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    System.out.println(child.getSpanContext().getSpanId());
  }
}
