// Real servers behind an endpoint, judged through the official SDK of OpenAI: their models are
// discovered, then called in every way that a model of this kind has.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import OpenAI from 'openai'
import { dispatched } from '../../journeys/cli/setting.ts'
import { freePort } from '../../support/free-port.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { type Judges, keys, startJudges } from './start-servers.ts'

type Say = (line: string) => void

/** Returns how many failed. */
export async function proveServers(folders: { judges: string; data: string }, say: Say) {
  await mkdir(folders.judges, { recursive: true })
  await using judges = await startJudges(folders.judges)
  say(`servers: ${JSON.stringify(judges.versions)}`)
  await mkdir(folders.data, { recursive: true })
  const env = {
    ...{ LLAMA_KEY: keys.llama, LITELLM_KEY: keys.litellm, DATA_DIR: folders.data },
    ...{ MODELS_FILE: join(folders.data, 'models.json'), PORT: String(await freePort()) },
  }
  await writeFile(env.MODELS_FILE, '{}')
  let failures = 0
  const attempt = async (name: string, trial: () => Promise<unknown>) => {
    try {
      say(`✔ servers: ${name} ${JSON.stringify(await trial())}`)
    } catch (error) {
      failures++
      say(`✖ servers: ${name}\n${error instanceof Error ? error.message : error}`)
    }
  }
  await attempt('their models are discovered', () => discoverAll(judges, env))
  const server = await startServerProcess(env)
  try {
    const apiKey = (await readFile(join(folders.data, 'owner.key'), 'utf8')).trim()
    const openai = new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 })
    for (const name of ['llama-cpp/tiny', 'litellm/tiny']) {
      for (const [what, trial] of Object.entries(trialsOfText)) {
        await attempt(`${name} ${what}`, () => trial(openai, name))
      }
    }
    for (const name of ['vectors/tiny-embed', 'litellm/tiny-embed'])
      await attempt(`${name} embeds`, () => embed(openai, name))
    await attempt('the proxy’s own answer', () => hearParrot(openai))
    await attempt('failures of the proxy', () => fail(openai))
  } finally {
    await server.stop()
  }
  return failures
}

type Env = Record<string, string>

async function discoverAll({ text, vectors, litellm }: Judges, env: Env) {
  const discover = async (address: string, words: string[]) => {
    const all = ['models', 'discover', address, '--free', '--write', '--json', ...words]
    const { code, stdout, stderr } = await dispatched(all, { env })
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout) as {
      server: string
      added: { id: string; kind: string; capabilities?: object }[]
    }
  }
  const llama = await discover(text, ['--key-variable', 'LLAMA_KEY'])
  assert.equal(llama.server, 'llama-cpp')
  assert.deepEqual(llama.added[0]?.capabilities, {
    ...{ maxInputTokens: 1_024, structuredOutput: true },
  })
  const embedding = await discover(vectors, ['--key-variable', 'LLAMA_KEY', '--name', 'vectors'])
  assert.equal(embedding.added[0]?.kind, 'EMBEDDING')
  const proxy = await discover(litellm, ['--key-variable', 'LITELLM_KEY'])
  assert.equal(proxy.server, 'litellm')
  return [llama, embedding, proxy].flatMap(({ added }) =>
    added.map(({ id, kind }) => `${id} ${kind}`),
  )
}

const says = (content: string) => [{ role: 'user' as const, content }]

const trialsOfText: Record<string, (openai: OpenAI, model: string) => Promise<unknown>> = {
  async answers(openai, model) {
    const { choices, usage } = await openai.chat.completions.create({
      ...{ model, messages: says('Hello'), max_tokens: 12 },
    })
    assert.ok(usage && usage.prompt_tokens > 0 && usage.completion_tokens > 0)
    assert.ok(choices[0]?.message.content)
    return usage
  },
  async streams(openai, model) {
    const stream = await openai.chat.completions.create({
      ...{ model, messages: says('Hello'), max_tokens: 40, stream: true },
      stream_options: { include_usage: true },
    })
    let [pieces, tokens] = [0, 0]
    for await (const { choices, usage } of stream) {
      if (choices[0]?.delta.content) pieces++
      tokens += usage?.completion_tokens ?? 0
    }
    assert.ok(pieces > 1 && tokens > 0, `${pieces} pieces, ${tokens} tokens`)
    return { pieces, tokens }
  },
  async 'calls a tool it has to call'(openai, model) {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string', enum: ['Rome', 'Oslo'] } },
      required: ['city'],
    }
    const { choices } = await openai.chat.completions.create({
      ...{ model, messages: says('Weather?'), max_tokens: 400, tool_choice: 'required' },
      tools: [{ type: 'function', function: { name: 'weather', parameters } }],
    })
    const [call] = choices[0]?.message.tool_calls ?? []
    assert.ok(call?.type === 'function', JSON.stringify(choices))
    assert.equal(call.function.name, 'weather')
    const { city } = JSON.parse(call.function.arguments)
    assert.ok(['Rome', 'Oslo'].includes(city))
    return call.function
  },
  async 'keeps to a JSON schema'(openai, model) {
    const schema = {
      ...{ type: 'object', additionalProperties: false, required: ['mood', 'day'] },
      properties: {
        mood: { type: 'string', enum: ['calm', 'merry'] },
        day: { type: 'string', enum: ['Monday', 'Sunday'] },
      },
    }
    const { choices } = await openai.chat.completions.create({
      ...{ model, messages: says('How are you?'), max_tokens: 200 },
      response_format: { type: 'json_schema', json_schema: { name: 'mood', schema, strict: true } },
    })
    const answer = JSON.parse(choices[0]?.message.content ?? '')
    assert.deepEqual(Object.keys(answer).sort(), ['day', 'mood'])
    return answer
  },
  async 'says so when a prompt is too long'(openai, model) {
    const call = openai.chat.completions.create({ model, messages: says('word '.repeat(3_000)) })
    const error = await call.then(
      () => assert.fail('it was answered'),
      (failure) => failure,
    )
    assert.ok(error instanceof OpenAI.APIError, String(error))
    assert.equal(error.status, 400, error.message)
    return error.code
  },
}

async function embed(openai: OpenAI, model: string) {
  const { data } = await openai.embeddings.create({ model, input: ['one', 'two'] })
  assert.deepEqual(
    data.map(({ embedding }) => embedding.length),
    [64, 64],
  )
  return { vectors: data.length }
}

async function hearParrot(openai: OpenAI) {
  const { choices } = await openai.chat.completions.create({
    ...{ model: 'litellm/parrot', messages: says('Hello') },
  })
  assert.equal(choices[0]?.message.content, 'The proxy says hello.')
  return choices[0]?.finish_reason
}

async function fail(openai: OpenAI) {
  const statuses: Record<string, unknown> = {}
  for (const model of ['litellm/busy', 'litellm/broken']) {
    const error = await openai.chat.completions.create({ model, messages: says('Hello') }).then(
      () => assert.fail(`${model} answered`),
      (failure) => failure,
    )
    assert.ok(error instanceof OpenAI.APIError, String(error))
    statuses[model] = error.status
  }
  assert.deepEqual(statuses, { 'litellm/busy': 503, 'litellm/broken': 502 })
  return statuses
}
