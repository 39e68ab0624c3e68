"""A support agent on LangChain, recorded by OpenInference at both layers: the framework, and the openai package below it."""

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor


@tool
def find_order(number: str) -> dict:
    """Finds an order by its number."""
    return {"number": number, "carrier": "Möwe Express"}


def answer(question):
    model = ChatOpenAI(model="gpt-4o-mini", temperature=0.2, max_retries=0).bind_tools([find_order])
    messages = [SystemMessage("You help customers of a shop."), HumanMessage(question)]
    first = model.invoke(messages)
    messages.append(first)
    messages.append(find_order.invoke(first.tool_calls[0]))
    return "".join(str(chunk.content) for chunk in model.stream(messages))


if __name__ == "__main__":
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    for instrumentor in (LangChainInstrumentor(), OpenAIInstrumentor()):
        instrumentor.instrument(tracer_provider=provider)
    with (
        trace.get_tracer("support").start_as_current_span("answer customer"),
        using_attributes(session_id="session-9", user_id="user-7"),
    ):
        print(RunnableLambda(answer).invoke("Where is my order 4711?"))
    provider.shutdown()
