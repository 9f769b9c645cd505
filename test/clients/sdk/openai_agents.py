"""OpenAI's Agents SDK over Responses. The second turn continues the stored response by its id."""
import asyncio
import base64
import json
import os
import pathlib
import subprocess
import sys

from agents import Agent, FunctionTool, OpenAIResponsesModel, Runner, ToolOutputImage
from agents import function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
# Given by its name alone, a model with a slash would be looked up among the SDK's own prefixes.
model = OpenAIResponsesModel(
    os.environ["SCRIPTED_MODEL"],
    AsyncOpenAI(base_url=os.environ["SCRIPTED_URL"] + "/v1", api_key=os.environ["SCRIPTED_KEY"]),
)
turn, prompt = sys.argv[1:3]
kept = pathlib.Path(os.environ["HOME"]) / "response.json"


@function_tool
def write_file(path: str, content: str) -> str:
    """Writes a file."""
    pathlib.Path(path).write_text(content)
    return "written"


@function_tool
def run_command(command: str) -> str:
    """Runs a command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


@function_tool
def view_image(path: str) -> ToolOutputImage:
    """Looks at a picture."""
    data = base64.b64encode(pathlib.Path(path).read_bytes()).decode()
    return ToolOutputImage(image_url=f"data:image/png;base64,{data}")


async def echo(_context, arguments: str) -> str:
    return arguments


path_schema = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}
many = [
    FunctionTool(f"tool_{n:03}", f"Tool {n}.", path_schema, echo) for n in range(1, 151)
]


async def main() -> None:
    tools = [write_file, run_command, view_image, *(many if "[[tools]]" in prompt else [])]
    agent = Agent(name="worker", model=model, tools=tools)
    previous = json.loads(kept.read_text()) if turn == "next" else None
    result = Runner.run_streamed(
        agent, prompt, previous_response_id=previous, auto_previous_response_id=True
    )
    async for event in result.stream_events():
        if getattr(event.data if event.type == "raw_response_event" else None, "type", "") == (
            "response.output_text.delta"
        ):
            print(event.data.delta, end="", flush=True)
    kept.write_text(json.dumps(result.last_response_id))


asyncio.run(main())
