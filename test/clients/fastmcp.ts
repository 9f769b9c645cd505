// fastmcp, the Python framework, connects by the address alone. The person in its browser is ours:
// fastmcp opens the page with the command in BROWSER, which passes the address on to this process.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Person, signUp } from '../support/console.ts'
import { openConsent, sendConsent } from '../support/oauth.ts'
import { startServer } from '../support/server.ts'

const run = promisify(execFile)

const program = `
import asyncio, json, sys
import fastmcp
from fastmcp import Client

async def main(url):
    async with Client(url, auth="oauth") as client:
        tools = await client.list_tools()
        chat = {"model": "demo-text", "messages": [{"role": "user", "content": "hello"}]}
        said = await client.call_tool("svc_chat", chat)
        # The access token has expired, so the next call needs the refresh token.
        client.transport.auth.context.token_expiry_time = 1
        before = client.transport.auth.context.current_tokens.access_token
        again = await client.call_tool("svc_list_models", {})
        print(json.dumps({
            "version": fastmcp.__version__,
            "tools": len(tools),
            "said": said.structured_content["data"]["content"],
            "models": len(again.structured_content["data"]["items"]),
            "refreshed": before != client.transport.auth.context.current_tokens.access_token,
        }))

asyncio.run(main(sys.argv[1]))
`

const browser = `#!${process.execPath}
fetch(process.env.PERSON, { method: 'POST', body: process.argv[2] })
`

type FastmcpTrial = {
  version: string
  tools: number
  said: string
  models: number
  refreshed: boolean
}

/** Installs fastmcp into a temporary folder. Needs python3 and the package index. */
export async function tryFastmcp(): Promise<FastmcpTrial> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-fastmcp-'))
  await using server = await startServer({ SIGN_UP: 'open' })
  await using person = await openPerson(await signUp(server))
  try {
    await run('python3', ['-m', 'venv', join(folder, 'venv')])
    const bin = join(folder, 'venv', 'bin')
    await run(join(bin, 'pip'), ['install', '--quiet', 'fastmcp'], { timeout: 300_000 })
    const page = join(folder, 'open-page')
    await writeFile(page, browser, { mode: 0o755 })
    await writeFile(join(folder, 'use.py'), program)
    const env = { ...process.env, BROWSER: `${page} %s`, PERSON: person.url, HOME: folder }
    const args = [join(folder, 'use.py'), `${server.url}/mcp`]
    const { stdout } = await run(join(bin, 'python'), args, { env, timeout: 120_000 })
    const trial = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as FastmcpTrial
    assert.equal(trial.tools, 18)
    assert.match(trial.said, /Hello/)
    assert.ok(trial.models > 0)
    assert.ok(trial.refreshed)
    return trial
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Receives the address that a program wants to show, and agrees to everything asked there. */
async function openPerson(person: Person) {
  const host = createServer(async (request, response) => {
    const address = await text(request)
    response.end()
    const { sealed, scopes } = await openConsent(person, address)
    const { headers } = await sendConsent(person, { sealed, scopes })
    await visit(String(headers.location))
  })
  await new Promise<void>((resolve) => void host.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void host.close(),
  }
}

/** The program listens only after it has opened the page. */
async function visit(address: string) {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(address).catch(() => undefined)
    if (answer) return
    await delay(200)
  }
  throw new Error(`nobody listens at ${new URL(address).origin}`)
}
