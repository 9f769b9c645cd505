import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'

const prefix = '/api/ai-tools/v1'

type Run = { runId: string; status: string }
type Answer = { data: { id: number; total: number; items: Run[] } & Run }

export type Api = AsyncDisposable & {
  get(path: string): Promise<Answer['data']>
  post(path: string, json: object, idempotencyKey?: string): Promise<Answer['data']>
}

/** Calls the public API with the owner's key. Throws unless the answer is a success. */
export function openApi(url: string, dataDir: string, connections: number): Api {
  const key = readFileSync(join(dataDir, 'owner.key'), 'utf8').trim()
  const pool = new Pool(url, { connections, pipelining: 1 })
  const call = async (
    method: 'GET' | 'POST',
    path: string,
    json?: object,
    idempotencyKey?: string,
  ) => {
    const { statusCode, body } = await pool.request({
      method,
      path: prefix + path,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      },
      body: json ? JSON.stringify(json) : null,
    })
    const text = await body.text()
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`)
    return (JSON.parse(text) as Answer).data
  }
  return {
    get: (path) => call('GET', path),
    post: (path, json, idempotencyKey) => call('POST', path, json, idempotencyKey),
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

/** Submits `count` runs of a workflow as fast as the connections allow. */
export async function submitRuns(
  api: Api,
  workflowId: number,
  count: number,
  body: (index: number) => object,
): Promise<void> {
  const submit = (_: unknown, i: number) =>
    api.post(`/workflows/${workflowId}/runs`, body(i), `run ${i}`)
  await Promise.all(Array.from({ length: count }, submit))
}
