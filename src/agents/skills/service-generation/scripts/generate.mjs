#!/usr/bin/env node
// Starts an image or video and polls it at the interval the server advises. If the response to the
// submission is lost, it searches for the task instead. Never submits twice.
// Usage: node generate.mjs image|video --model ID --prompt TEXT [--imageAspectRatio … --videoSeconds …]
//        node generate.mjs --task TASK_ID
// The API key comes from ATELIER_API_KEY; ATELIER_URL overrides the address of the server.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const api = `${(process.env.ATELIER_URL || '{base_url}').replace(/\/+$/, '')}/api/ai-tools/v1`
const apiKey = process.env.ATELIER_API_KEY
const usage =
  'Usage: node generate.mjs image|video --model ID --prompt TEXT, or node generate.mjs --task TASK_ID'
const fields = {
  image: ['imageAspectRatio', 'imageQuality', 'imageSampleSize'],
  video: ['videoAspectRatio', 'videoSeconds', 'videoResolution', 'videoGenerateAudio'],
}
const tries = 6
const answerLimitMs = 60_000

const { values, positionals } = readArguments()
if (!apiKey) stop(2, 'Set ATELIER_API_KEY to an API key of the server.')
const taskId = values.task ?? (await submit(positionals[0]))
console.error(`task: ${taskId}`)

for (;;) {
  const task = await read(`/tasks/${taskId}`)
  if (['COMPLETED', 'FAILED', 'CANCELLED'].includes(task.status)) {
    console.log(JSON.stringify(task, null, 2))
    process.exitCode = task.status === 'COMPLETED' ? 0 : 1
    break
  }
  await sleep(Math.max(1, task.retryAfterSeconds) * 1000)
}

function readArguments() {
  try {
    const names = ['task', 'model', 'prompt', ...fields.image, ...fields.video]
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    return stop(2, `${error.message}\n${usage}`)
  }
}

async function submit(kind) {
  if (!(kind in fields) || !values.model || !values.prompt) stop(2, usage)
  const own = Object.fromEntries(
    fields[kind].filter((name) => values[name] !== undefined).map((name) => [name, typed(name)]),
  )
  const messages = [{ role: 'user', content: values.prompt }]
  // The clocks may differ by up to a minute; the prompt and the model identify the task.
  const since = Date.now() - 60_000
  for (let attempt = 1; ; attempt++) {
    const answer = await send('POST', `/${kind}s/generations`, {
      model: values.model,
      messages,
      ...own,
    })
    if (answer.ok) return answer.data.taskId
    if (answer.status !== undefined && answer.status < 500 && answer.status !== 429)
      stop(2, answer.message)
    if (answer.status === 429 || answer.status === 503) {
      // With these statuses the server guarantees that nothing was started.
      if (attempt === tries) stop(2, answer.message)
      await sleep((answer.waitSeconds || attempt) * 1000)
      continue
    }
    console.error(`${answer.message}\nLooking for the task; it is not submitted again.`)
    return find(kind.toUpperCase(), since)
  }
}

function typed(name) {
  if (name === 'videoSeconds') return Number(values[name])
  return name === 'videoGenerateAudio' ? values[name] === 'true' : values[name]
}

async function find(kind, since) {
  for (const waitMs of [0, 3_000, 10_000]) {
    await sleep(waitMs)
    const { items } = await read('/tasks?page=1&size=50')
    const found = items.find(
      (task) =>
        task.kind === kind &&
        task.model === values.model &&
        task.source === 'DIRECT' &&
        task.promptPreview !== '' &&
        values.prompt.startsWith(task.promptPreview) &&
        Date.parse(task.createdAt) >= since,
    )
    if (found) return found.taskId
  }
  return stop(3, 'No task of this kind is in the list. Ask the user before you submit again.')
}

async function read(path) {
  let last = ''
  for (let attempt = 1; attempt <= tries; attempt++) {
    const answer = await send('GET', path)
    if (answer.ok) return answer.data
    last = answer.message
    if (answer.status !== undefined && !answer.retryable) stop(2, last)
    if (attempt < tries)
      await sleep(answer.waitSeconds ? answer.waitSeconds * 1000 : 500 * 2 ** attempt)
  }
  return stop(3, last)
}

async function send(method, path, body) {
  try {
    const response = await fetch(api + path, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(answerLimitMs),
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { data, error } = await response.json()
    if (response.ok) return { ok: true, data }
    const issues = (error.details?.issues ?? []).map(
      (issue) => `\n  ${issue.path} ${issue.message}`,
    )
    return {
      ok: false,
      status: response.status,
      retryable: error.retryable,
      waitSeconds: Number(response.headers.get('retry-after')),
      message: `${response.status} ${error.code}: ${error.message}${issues.join('')}`,
    }
  } catch (error) {
    const reason = error.cause?.message ?? error.message
    return { ok: false, message: `No answer from ${api}: ${reason}` }
  }
}

function stop(code, message) {
  console.error(message)
  process.exit(code)
}
