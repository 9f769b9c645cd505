// An agent: the model asks for tools of this API, the calls are made over HTTP, the results go
// back to it, until it answers. Tools that change or delete workflows are not offered to it.
import { setTimeout as pause } from 'node:timers/promises'

const base = process.env.ATELIER_URL ?? 'http://127.0.0.1:8787'
const api = `${base}/api/ai-tools/v1`
const model = process.env.MODEL ?? 'demo-text'
const task = process.argv[2] ?? 'List the available models'
const mostTurns = 40

async function call(url, { method = 'GET', headers = {}, body } = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${process.env.ATELIER_API_KEY}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    redirect: 'error',
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return response.json()
}

/** By tool name: the method and path of the operation it stands for. */
async function readRoutes() {
  const { paths } = await call(`${api}/openapi.json`)
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation['x-tool'],
        { method: method.toUpperCase(), path },
      ]),
    ),
  )
}

/** Arguments named in the path fill it, page and size are the query, the key is a header. */
function bind({ method, path }, { page, size, idempotencyKey, ...rest }) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = encodeURIComponent(rest[name])
    delete rest[name]
    return value
  })
  const query = new URLSearchParams({ ...(page && { page }), ...(size && { size }) })
  return {
    url: `${base}${filled}?${query}`,
    method,
    headers: idempotencyKey ? { 'idempotency-key': idempotencyKey } : {},
    ...(method === 'GET' ? {} : { body: rest }),
  }
}

const routes = await readRoutes()
const { data } = await call(`${api}/tools?format=openai`)
const tools = data.items.filter((tool) => !/_(update|delete)_/.test(tool.function.name))
const offered = new Set(tools.map((tool) => tool.function.name))

/** A failure goes to the model like any result: its message says what to do better. */
async function use({ name, arguments: text }) {
  console.log(`tool: ${name} ${text}`)
  if (!offered.has(name)) return { success: false, error: { message: `There is no ${name}.` } }
  const { url, ...request } = bind(routes.get(name), JSON.parse(text))
  const result = await call(url, request)
  // What is under way says when to look again.
  await pause((result.data?.retryAfterSeconds ?? 0) * 1000)
  return result
}

const messages = [{ role: 'user', content: task }]
for (let turn = 0; turn < mostTurns; turn++) {
  const { choices, error } = await call(`${base}/v1/chat/completions`, {
    method: 'POST',
    body: { model, messages, tools },
  })
  if (error) throw new Error(error.message)
  const [{ message }] = choices
  messages.push(message)
  if (!message.tool_calls?.length) {
    console.log(`answer: ${message.content}`)
    process.exit()
  }
  for (const wanted of message.tool_calls) {
    const content = JSON.stringify(await use(wanted.function))
    messages.push({ role: 'tool', tool_call_id: wanted.id, content })
  }
}
throw new Error(`no answer after ${mostTurns} turns`)
