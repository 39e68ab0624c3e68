"""A support agent on the openai package, recorded by another vendor's instrumentation: DIALECT says which."""

import os

from openai import OpenAI
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find_order",
            "description": "Finds an order by its number.",
            "parameters": {
                "type": "object",
                "properties": {"number": {"type": "string"}},
                "required": ["number"],
            },
        },
    }
]


def instrumentor():
    if os.environ["DIALECT"] == "openinference":
        from openinference.instrumentation.openai import OpenAIInstrumentor
    else:
        from opentelemetry.instrumentation.openai import OpenAIInstrumentor
    return OpenAIInstrumentor()


def answer(client):
    model = "gpt-4o-mini"
    messages = [
        {"role": "system", "content": "You help customers of a shop."},
        {"role": "user", "content": "Where is my order 4711?"},
    ]
    first = client.chat.completions.create(
        model=model, messages=messages, tools=TOOLS, temperature=0.2, max_tokens=300
    )
    message = first.choices[0].message
    messages.append({"role": "assistant", "content": None, "tool_calls": [message.tool_calls[0].model_dump()]})
    result = '{"number":"4711","carrier":"Möwe Express"}'
    messages.append({"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": result})
    text = ""
    stream = client.chat.completions.create(
        model=model, messages=messages, tools=TOOLS, stream=True, stream_options={"include_usage": True}
    )
    for chunk in stream:
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    client.embeddings.create(model="text-embedding-3-small", input="order 4711")
    try:
        client.chat.completions.create(model=model, messages=[{"role": "user", "content": "Please fail."}])
    except Exception as error:
        print(type(error).__name__)
    return text


if __name__ == "__main__":
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    instrumentor().instrument(tracer_provider=provider)
    with trace.get_tracer("support").start_as_current_span("answer customer"):
        print(answer(OpenAI(max_retries=0)))
    provider.shutdown()
