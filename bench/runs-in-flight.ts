import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { openApi, submitRuns } from './api.ts'
import { startTarget } from './process.ts'
import type { Effort, Row } from './report.ts'

const goalMb = 600
const limitMs = 300_000

/** Measures resident memory while many runs wait for a provider. */
export async function benchRunsInFlight(dataDir: string, effort: Effort): Promise<Row[]> {
  const count = effort === 'quick' ? 200 : 10_000
  await using provider = await startSlowProvider()
  await using atelier = await startTarget(
    './targets/atelier.ts',
    [],
    environment(dataDir, provider.url, count),
  )
  await using api = openApi(atelier.url, dataDir, 64)
  const idleMb = memory(atelier.pid).rssMb
  const nodes = [{ id: 'g', type: 'text.generate', data: { model: 'slow', prompt: 'Say hello.' } }]
  const workflow = await api.post('/workflows', { name: 'slow', data: { nodes, connections: [] } })
  await submitRuns(api, workflow.id, count, () => ({}))
  const path = join(dataDir, 'atelier.db')
  await until(() => rows(path, 'owner is not null') === count)
  const heldMb = memory(atelier.pid).rssMb
  provider.answerAll()
  await until(() => rows(path, `status = 'COMPLETED'`) === count)
  const { peakMb } = memory(atelier.pid)
  return [
    {
      name: `memory with ${count} runs in flight on a slow provider`,
      value: `peak RSS ${Math.round(peakMb)} MB (${Math.round(heldMb)} MB while all wait)`,
      limit: `idle ${Math.round(idleMb)} MB`,
      ratio: peakMb / goalMb,
      goal: `< ${goalMb} MB`,
      isMet: peakMb < goalMb,
    },
  ]
}

function environment(dataDir: string, provider: string, count: number) {
  const models = join(dataDir, 'models.json')
  const file = {
    endpoints: [{ name: 'slow', baseUrl: provider }],
    models: [{ id: 'slow', provider: 'slow', kind: 'TEXT' }],
  }
  writeFileSync(models, JSON.stringify(file))
  return {
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    MODELS_FILE: models,
    MAX_ACTIVE_RUNS: String(count),
    MAX_QUEUED_RUNS: String(count),
    CHAT_TIMEOUT_SECONDS: '600',
  }
}

function memory(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
  return { rssMb: mb('VmRSS'), peakMb: mb('VmHWM') }
}

function rows(path: string, where: string): number {
  using connection = connectSqlite(path, { readOnly: true, pragmas: ['busy_timeout = 5000'] })
  const [row] = connection.all<{ n: number }>(`select count(*) as n from runs where ${where}`)
  return row?.n ?? 0
}

async function until(holds: () => boolean) {
  const deadline = performance.now() + limitMs
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('the runs did not get there')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const answer = JSON.stringify({
  id: 'chatcmpl-slow',
  object: 'chat.completion',
  created: 1,
  model: 'slow',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 },
})

/** Accepts every call, but answers none until it is released. */
async function startSlowProvider() {
  const held: ServerResponse[] = []
  let isHolding = true
  const reply = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (isHolding) held.push(response)
      else reply(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerAll() {
      isHolding = false
      for (const response of held) reply(response)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
