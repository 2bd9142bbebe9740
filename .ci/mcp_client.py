"""Drives a small investigation with a client library that is not ours: mcp_client.py stdio PROGRAM CASE RUNS | http ADDRESS.

The libraries are `mcp` of version 2 (both versions of the protocol) and of version 1 (the older one); which is there decides.
Over HTTP the token stands in LOCARD_TOKEN. Prints the names of the runs that it made.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

import mcp

TWO = int(version("mcp").split(".")[0]) >= 2
STDIO = sys.argv[1] == "stdio"


def parameters(*more):
    program, case, runs = sys.argv[2:5]
    arguments = ["mcp", "--case", case, "--runs", runs, "--no-cache", *(more or ["--structured"])]
    return mcp.StdioServerParameters(command=program, args=arguments)


def headers():
    return {"Authorization": "Bearer " + os.environ["LOCARD_TOKEN"]}


@asynccontextmanager
async def connected(mode):
    """A session, in one of the client's ways to begin."""
    if TWO:
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client
        import httpx2

        if STDIO:
            async with Client(parameters(), mode=mode) as client:
                yield client
            return
        async with httpx2.AsyncClient(headers=headers(), timeout=60) as http:
            async with Client(streamable_http_client(sys.argv[2], http_client=http), mode=mode) as client:
                yield client
        return
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    opened = stdio_client(parameters()) if STDIO else streamablehttp_client(sys.argv[2], headers=headers())
    async with opened as streams, mcp.ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        yield session


def told(result):
    """Whether a result is an error, its structured content, its text; by either library's names."""
    error = result.is_error if TWO else result.isError
    structured = result.structured_content if TWO else result.structuredContent
    return error, structured, result.content[0].text


async def investigate(client):
    async def call(tool, **arguments):
        return told(await client.call_tool(tool, arguments))

    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {"open_run", "overview", "record_phenomenon", "close_run"} <= tools.keys()
    prompts = (await client.list_prompts()).prompts
    assert "examiner" in {prompt.name for prompt in prompts}
    prompt = await client.get_prompt("examiner")
    assert "nothing_to_record" in prompt.messages[0].content.text

    error, opened, text = await call("open_run")
    assert not error, text
    run, name, task = opened["run"], opened["name"], opened["tasks"][0]["task"]

    error, listed, _ = await call("overview", task=task)
    assert not error and listed["records"], listed
    # The libraries hold each answer against the schema of its tool: SQL returns records of any type.
    error, asked, text = await call("query", task=task, sql="SELECT * FROM computer_name")
    assert not error and asked["records"][0]["kind"] == "computer_name", text
    error, parsed, text = await call("records", task=task, source="computer_name")
    assert not error and len(text) < 100, text
    invocation, record = parsed["answer"]["invocation"], parsed["records"][0]
    computer = record["fields"]["name"]

    def reading(name, cites=invocation):
        values = {"name": name, "key_path": record["fields"]["key_path"]}
        return [{"predicate": "configured", "values": values, "invocation": cites}]

    error, said, text = await call("record_phenomenon", task=task, readings=reading(computer))
    assert not error and said["answer"]["readings"][0]["verdict"] == "accepted", text
    error, said, text = await call("record_phenomenon", task=task, readings=reading(computer[:-1] + "~"))
    assert error and said["answer"]["readings"][0]["rejection"]["code"] == "value_absent", text
    assert computer in str(said), said
    error, said, text = await call("record_phenomenon", task=task, readings=reading(computer, "inv-00000000"))
    assert said["answer"]["readings"][0]["healed"], text
    error, said, text = await call("overview", task="task-0")
    assert error and said["answer"]["refusal"] == "unknown_handle", text
    error, said, text = await call("record_phenomenon", task=task, readings=[])
    assert error, text
    try:
        result = await client.call_tool("no_such_tool", {})
        raise AssertionError(f"an unknown tool is an error of the protocol: {result}")
    except AssertionError:
        raise
    except Exception as refused:
        assert "no_such_tool" in str(refused), refused

    templates = await client.list_resource_templates()
    assert len(templates.resource_templates if TWO else templates.resourceTemplates) >= 5
    address = f"locard://run/{name}/phenomena"
    if not TWO:
        from pydantic import AnyUrl

        address = AnyUrl(address)
    resource = await client.read_resource(address)
    assert computer in resource.contents[0].text

    error, closed, text = await call("close_run", run=run)
    assert not error and closed["verification"]["verified"], text
    error, said, _ = await call("overview", task=task)
    assert error and said["answer"]["refusal"] == "task_ended"
    print(name)


async def read_as_text(session):
    """What a client gets that hands answers to a language model: text alone, in which a record is cited by its id."""

    async def call(tool, **arguments):
        error, structured, text = told(await session.call_tool(tool, arguments))
        assert not error and structured is None, text
        return text

    opened = await call("open_run")
    words = opened.split()
    task = next(word for word in words if word.startswith("task-"))
    run = next(word for word in words if word.startswith("run-"))
    text = await call("records", task=task, source="computer_name")
    assert "[begin evidence-" in text, text
    invocation = text.split('"invocation":"')[1].split('"')[0]
    text = await call("record_phenomenon", task=task, predicate="configured", record=f"{invocation} r0")
    assert '"facts":["fact-' in text, text
    assert "Verified: " in await call("close_run", run=run)
    print(opened.split()[3].rstrip(";"))


async def main():
    for mode in ["auto", "legacy"] if TWO else ["legacy"]:
        async with connected(mode) as client:
            if TWO:
                spoken = client.protocol_version
                assert spoken == ("2026-07-28" if mode == "auto" else "2025-11-25"), spoken
            await asyncio.wait_for(investigate(client), 120)


async def as_text():
    from mcp.client.stdio import stdio_client

    async with stdio_client(parameters("--no-sweep")) as streams, mcp.ClientSession(*streams) as session:
        await session.initialize()
        await asyncio.wait_for(read_as_text(session), 120)


asyncio.run(main())
if STDIO:
    asyncio.run(as_text())
