"""A support agent on Pydantic AI, recorded by its own instrumentation."""

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

agent = Agent(
    OpenAIChatModel("gpt-4o-mini"),
    name="support",
    system_prompt="You help customers of a shop.",
    model_settings={"temperature": 0.2},
)


@agent.tool_plain
def find_order(number: str) -> dict:
    """Finds an order by its number."""
    return {"number": number, "carrier": "Möwe Express"}


if __name__ == "__main__":
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    Agent.instrument_all()
    with trace.get_tracer("support").start_as_current_span("answer customer"):
        print(agent.run_sync("Where is my order 4711?", conversation_id="thread-9").output)
        try:
            Agent(OpenAIChatModel("gpt-4o-mini"), name="failing").run_sync("Please fail.")
        except Exception:  # noqa: BLE001 - what it says of the failure is what is recorded
            pass
    provider.shutdown()
