#!/usr/bin/env node
// Submits a run of a workflow and polls it at the interval the server advises.
// Usage: node run-workflow.mjs <workflowId> [--inputs JSON|@file|-] [--key KEY] [--callback URL]
// The API key comes from ATELIER_API_KEY; ATELIER_URL overrides the address of the server.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const api = `${(process.env.ATELIER_URL || '{base_url}').replace(/\/+$/, '')}/api/ai-tools/v1`
const apiKey = process.env.ATELIER_API_KEY
const tries = 6
const answerLimitMs = 60_000

const { values, positionals } = readArguments()
const [workflowId = ''] = positionals
if (!/^[1-9][0-9]*$/.test(workflowId))
  stop(
    2,
    'Name the workflow by its number. Usage: node run-workflow.mjs <workflowId> [--inputs JSON|@file|-] [--key KEY] [--callback URL]',
  )
if (!apiKey) stop(2, 'Set ATELIER_API_KEY to an API key of the server.')

// Printed before it is used, so that the command can be repeated with it after a failure without
// starting a second run.
const key = values.key ?? randomUUID()
console.error(`key: ${key}`)

const submission = await request('POST', `/workflows/${workflowId}/runs`, {
  headers: { 'Idempotency-Key': key },
  body: {
    inputs: readInputs(values.inputs),
    ...(values.callback ? { callbackUrl: values.callback } : {}),
  },
})
if (!submission.ok) stop(submission.isLost ? 3 : 2, submission.message)
const { runId } = submission.data
console.error(`run: ${runId}`)

for (;;) {
  const reading = await request('GET', `/workflow-runs/${runId}`)
  if (!reading.ok)
    stop(3, `${reading.message} The run goes on: repeat the command with --key ${key}`)
  const { status, retryAfterSeconds } = reading.data
  if (['COMPLETED', 'FAILED', 'CANCELLED'].includes(status)) {
    console.log(JSON.stringify(reading.data, null, 2))
    process.exitCode = status === 'COMPLETED' ? 0 : 1
    break
  }
  await sleep(Math.max(1, retryAfterSeconds) * 1000)
}

function readArguments() {
  try {
    const text = { type: 'string' }
    return parseArgs({
      allowPositionals: true,
      options: { inputs: text, key: text, callback: text },
    })
  } catch (error) {
    return stop(2, error.message)
  }
}

function readInputs(given = '{}') {
  try {
    if (given === '-') return JSON.parse(readFileSync(0, 'utf8'))
    return JSON.parse(given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given)
  } catch (error) {
    return stop(2, `--inputs is not JSON that can be read: ${error.message}`)
  }
}

// Every request here may be repeated: the submission has a key, and the others only read.
async function request(method, path, { headers = {}, body } = {}) {
  let last = ''
  for (let attempt = 1; attempt <= tries; attempt++) {
    const answer = await send(method, path, headers, body)
    if (answer.ok || !answer.mayRepeat) return answer
    last = answer.message
    if (attempt < tries)
      await sleep(answer.waitSeconds ? answer.waitSeconds * 1000 : 500 * 2 ** attempt)
  }
  return { ok: false, isLost: true, message: last }
}

async function send(method, path, headers, body) {
  try {
    const response = await fetch(api + path, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(answerLimitMs),
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
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
      mayRepeat: error.retryable,
      waitSeconds: Number(response.headers.get('retry-after')),
      message: `${response.status} ${error.code}: ${error.message}${issues.join('')}`,
    }
  } catch (error) {
    const reason = error.cause?.message ?? error.message
    return {
      ok: false,
      mayRepeat: true,
      waitSeconds: 0,
      message: `No answer from ${api}: ${reason}`,
    }
  }
}

function stop(code, message) {
  console.error(message)
  process.exit(code)
}
