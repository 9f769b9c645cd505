// Servers that people put behind an endpoint of MODELS_FILE, from their packages: llama.cpp with a
// tiny model of random weights, and LiteLLM in front of it.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../support/free-port.ts'
import { searchPath } from '../install.ts'

const execute = promisify(execFile)
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const env = { ...process.env, PATH: searchPath }
const packages = ['xllamacpp', 'gguf', 'numpy', 'litellm[proxy]']
const startMs = 120_000

export type Judges = AsyncDisposable & {
  versions: Record<string, string>
  /** Addresses without /v1. */
  text: string
  vectors: string
  litellm: string
}

export const keys = { llama: 'sk-llama', litellm: 'sk-litellm' }

export async function startJudges(folder: string): Promise<Judges> {
  const bin = join(folder, 'bin')
  if (!existsSync(join(bin, 'installed'))) {
    await execute('python3', ['-m', 'venv', folder], { env })
    await execute(join(bin, 'pip'), ['install', '--quiet', ...packages], { env })
    await writeFile(join(bin, 'installed'), '')
  }
  const python = join(bin, 'python')
  const model = join(folder, 'tiny.gguf')
  await execute(python, [script('tiny_model.py'), model], { env })
  await using started = new AsyncDisposableStack()
  const start = (command: string, args: string[], sees: RegExp, more = {}) => {
    const child = spawn(command, args, { env: { ...env, ...more } })
    started.defer(() => end(child))
    return said(child, sees)
  }
  const serve = (purpose: string) =>
    start(python, [script('llama_server.py'), model, purpose], /^listening on (\S+)/)
  const [text, vectors] = [await serve('text'), await serve('embeddings')]
  const port = await freePort()
  const config = join(folder, 'litellm.json')
  await writeFile(config, JSON.stringify(liteLlmConfig({ text, vectors })))
  const options = ['--config', config, '--host', '127.0.0.1', '--port', String(port)]
  // LiteLLM asks its own server for prices unless told otherwise.
  const offline = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MODE: 'PRODUCTION' }
  void start(join(bin, 'litellm'), options, /startup complete/, offline).catch(() => {})
  const litellm = `http://127.0.0.1:${port}`
  await untilReady(`${litellm}/health/liveliness`)
  const versions = await versionsOf(bin)
  const running = started.move()
  const close = () => running.disposeAsync()
  return { versions, text, vectors, litellm, [Symbol.asyncDispose]: close }
}

/** The same models through the proxy, and some that answer or fail as told, without a vendor. */
const liteLlmConfig = ({ text, vectors }: { text: string; vectors: string }) => {
  const behind = (model: string, address: string) => ({
    ...{ model: `openai/${model}`, api_base: `${address}/v1`, api_key: keys.llama },
  })
  const mock = (answer: string) => ({
    ...{ model: 'openai/gpt-4o-mini', api_key: 'none', mock_response: answer },
  })
  const list = {
    tiny: behind('tiny', text),
    'tiny-embed': behind('tiny-embed', vectors),
    parrot: mock('The proxy says hello.'),
    busy: mock('litellm.RateLimitError'),
    broken: mock('litellm.InternalServerError'),
  }
  const info = (name: string) => ({
    mode: name === 'tiny-embed' ? 'embedding' : 'chat',
    supports_response_schema: name === 'tiny',
  })
  return {
    model_list: Object.entries(list).map(([model_name, litellm_params]) => ({
      ...{ model_name, litellm_params, model_info: info(model_name) },
    })),
    general_settings: { master_key: keys.litellm },
    litellm_settings: { num_retries: 0, drop_params: false },
    router_settings: { num_retries: 0, disable_cooldowns: true },
  }
}

/** What the first line that matches says. Fails with all it said if it ends before. */
function said(child: ChildProcess, sees: RegExp): Promise<string> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        const match = sees.exec(line)
        if (match) resolve(match[1] ?? line)
      })
    }
    child.once('error', reject)
    child.once('exit', () => reject(new Error(lines.slice(-20).join('\n'))))
  })
}

async function untilReady(url: string): Promise<void> {
  const endMs = Date.now() + startMs
  for (;;) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    if (Date.now() > endMs) throw new Error(`${url} is not ready: ${answer?.status}`)
    await delay(500)
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function versionsOf(bin: string): Promise<Record<string, string>> {
  const { stdout } = await execute(join(bin, 'pip'), ['list', '--format', 'json'], { env })
  const listed = JSON.parse(stdout) as { name: string; version: string }[]
  const named = listed.filter(({ name }) => ['xllamacpp', 'litellm'].includes(name))
  return Object.fromEntries(named.map(({ name, version }) => [name, version]))
}
