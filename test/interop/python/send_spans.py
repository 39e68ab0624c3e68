"""Sends one trace with attributes of every type through an exporter of the OpenTelemetry SDK for Python, and prints its span's id.

    send_spans.py <http|grpc> <host:port>
"""

import sys

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode


def exporter(protocol, address):
    if protocol == "http":
        from opentelemetry.exporter.otlp.proto.http import Compression
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter(endpoint=f"http://{address}/v1/traces", compression=Compression.Gzip)
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=f"http://{address}", insecure=True, timeout=60)


provider = TracerProvider(resource=Resource({"service.name": "from-python"}))
provider.add_span_processor(BatchSpanProcessor(exporter(sys.argv[1], sys.argv[2])))
tracer = provider.get_tracer("interop")
with tracer.start_as_current_span("root", kind=SpanKind.SERVER):
    with tracer.start_as_current_span("child") as child:
        child.set_attributes(
            {
                "text": "naïve ☃ 𝄞",
                "large": "x" * 300_000,
                "big": 9_007_199_254_740_993,
                "ratio": 0.25,
                "flag": True,
                "texts": ["a", ""],
                "numbers": [-1, 9_007_199_254_740_993],
                "ratios": [0.5, 1e300],
                "flags": [True, False],
            }
        )
        child.add_event("checkpoint", {"step": 1})
        child.record_exception(ValueError("boom"))
        child.set_status(Status(StatusCode.ERROR, "boom"))
provider.shutdown()
print(format(child.get_span_context().span_id, "016x"))
