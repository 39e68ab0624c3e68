"""A support agent as people write them: a tool-calling loop on the openai package, nothing of Reenact in it.

It asks for the order without streaming, then streams the answer. SUPPORT_INSTRUCTIONS replaces its instructions, which
is how a test changes the prompt. Every tool call appends one line to the file TOOL_LOG names, so that a test sees which
tools ran for real.
"""

import json
import os

from openai import OpenAI
from opentelemetry import trace

INSTRUCTIONS = "You help customers of a shop. Look the order up, then answer in one sentence."

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
    },
    {
        "type": "function",
        "function": {
            "name": "track_parcel",
            "description": "Says where a parcel is.",
            "parameters": {
                "type": "object",
                "properties": {"carrier": {"type": "string"}, "parcel": {"type": "string"}},
                "required": ["carrier", "parcel"],
            },
        },
    },
]


def find_order(number):
    return {"number": number, "carrier": "Möwe Express", "parcel": "PX-77", "total": 49.5}


def track_parcel(carrier, parcel):
    return {"parcel": parcel, "status": "out for delivery", "since": "2026-11-17T08:05:00Z"}


def run_tool(call):
    arguments = json.loads(call["arguments"])
    with open(os.environ["TOOL_LOG"], "a", encoding="utf-8") as log:
        log.write(f'{call["name"]} {call["id"]}\n')
    result = {"find_order": find_order, "track_parcel": track_parcel}[call["name"]](**arguments)
    return {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result, ensure_ascii=False)}


def assistant_message(content, calls):
    functions = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in calls
    ]
    return {"role": "assistant", "content": content, "tool_calls": functions}


def ask(client, messages):
    """One turn without streaming: the text and the tool calls."""
    completion = client.chat.completions.create(
        model="gpt-4o-mini", messages=messages, tools=TOOLS, temperature=0.2, max_tokens=300
    )
    message = completion.choices[0].message
    calls = [
        {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}
        for call in message.tool_calls or []
    ]
    return message.content, calls


def ask_streaming(client, messages):
    """One turn with streaming: the same, put together from chunks."""
    text, calls = "", {}
    stream = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=messages,
        tools=TOOLS,
        temperature=0.2,
        stream=True,
        stream_options={"include_usage": True},
    )
    for chunk in stream:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for part in choice.delta.tool_calls or []:
                call = calls.setdefault(part.index, {"id": "", "name": "", "arguments": ""})
                call["id"] = call["id"] or part.id or ""
                if part.function:
                    call["name"] += part.function.name or ""
                    call["arguments"] += part.function.arguments or ""
    return text or None, [calls[index] for index in sorted(calls)]


def answer(question):
    client = OpenAI()
    messages = [
        {"role": "system", "content": os.environ.get("SUPPORT_INSTRUCTIONS", INSTRUCTIONS)},
        {"role": "user", "content": question},
    ]
    turns = [ask, ask_streaming, ask_streaming]
    for turn in turns:
        text, calls = turn(client, messages)
        if not calls:
            return text
        messages.append(assistant_message(text, calls))
        messages.extend(run_tool(call) for call in calls)
    raise RuntimeError("the model asked for more turns than the agent has")


if __name__ == "__main__":
    with trace.get_tracer("support").start_as_current_span("answer customer"):
        print(answer("Where is my order 4711?"))
