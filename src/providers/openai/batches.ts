// OpenAI's Batch API: a file with a request per line, a batch of it, and files with the answers.
import { isRecord } from '#core/record.ts'
import type { BatchedCall } from '#providers/batch-contract.ts'
import { clockMarginMs, readLines, readResult } from '#providers/batches.ts'
import type { Call, Endpoint } from '#providers/http-call.ts'
import { isPathId, type Json, parseJson, recordsOf, textOf } from '#providers/json-shape.ts'
import { toForm } from '#providers/media-encoding.ts'
import {
  type Batches,
  type BatchResult,
  ProviderError,
  type TextRequest,
  type TextResult,
} from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import type { Answer } from '#providers/upstream.ts'
import { refusal } from './response.ts'

/** How calls are made and answers read, alone as in a batch. */
export type Dialogue = {
  /** As batches name it. */
  path: '/v1/responses' | '/v1/chat/completions'
  body(request: TextRequest): object
  read(answer: Answer): TextResult
}

/** What was submitted may exist, whatever the status of the answer. */
const asJob = { rejectedWhenBusy: false }
const mark = 'atelier_batch'
const pageSize = 100
/** As many as the vendor lets an account have in weeks. */
const mostPages = 50
/** The vendor keeps files for 30 days unless told otherwise; ours are read within two. */
const fileSeconds = 3 * 86_400

export function openAiBatches(endpoint: Endpoint, dialogue: Dialogue): Batches {
  const ask = async (call: Call): Promise<Json> => {
    const answer = await endpoint.call(call)
    if (answer.status !== 200) throw refusal(endpoint, answer, asJob)
    const json = parseJson(answer.body)
    if (!isRecord(json)) throw protocolError(endpoint, answer, 'not an object')
    return json
  }
  const get = (at: string, signal: Call['signal']) => ask({ method: 'GET', at, signal })
  return {
    // A file may hold requests to one model only.
    poolOf: (model) => `${dialogue.path} ${model}`,
    bodyOf: (request) => JSON.stringify(dialogue.body(request)),
    async submit({ id, calls }, { signal, confirm }) {
      const fileId = await upload(ask, { id, calls, path: dialogue.path, signal })
      const body = JSON.stringify({
        input_file_id: fileId,
        endpoint: dialogue.path,
        completion_window: '24h',
        metadata: { [mark]: id },
      })
      await confirm()
      const batch = await ask({ method: 'POST', at: '/batches', body, signal })
      if (!isPathId(batch.id)) throw lost(endpoint, 'a batch without an id')
      return batch.id
    },
    async find({ id, submittedAtMs }, { signal }) {
      let after = ''
      for (let page = 0; page < mostPages; page++) {
        const next = after === '' ? '' : `&after=${after}`
        const list = await get(`/batches?limit=${pageSize}${next}`, signal)
        const batches = recordsOf(list.data)
        const found = batches.find(({ metadata }) => isRecord(metadata) && metadata[mark] === id)
        if (found) return isPathId(found.id) ? found.id : 'unknown'
        const last = batches.at(-1)
        const isOlder = Number(last?.created_at) * 1_000 < submittedAtMs - clockMarginMs
        if (!last || isOlder || list.has_more !== true) return null
        if (!isPathId(last.id)) return 'unknown'
        after = last.id
      }
      return 'unknown'
    },
    async poll(ref, { signal }) {
      const { status } = await get(`/batches/${ref}`, signal)
      if (status === 'completed') return { state: 'ended', rest: 'unknown' }
      const isOver = status === 'failed' || status === 'expired' || status === 'cancelled'
      return isOver ? { state: 'ended', rest: 'unprocessed' } : { state: 'running' }
    },
    async *results(ref, { signal }) {
      const batch = await get(`/batches/${ref}`, signal)
      for (const file of [batch.output_file_id, batch.error_file_id]) {
        if (!isPathId(file)) continue
        const call = { method: 'GET', at: `/files/${file}/content`, signal } as const
        const refused = (answer: Answer) => refusal(endpoint, answer, asJob)
        for await (const line of readLines(endpoint, call, refused)) {
          const result = resultIn(line, dialogue)
          if (result) yield result
        }
      }
    },
    async cancel(ref, { signal }) {
      await ask({ method: 'POST', at: `/batches/${ref}/cancel`, signal })
    },
  }
}

/** Nothing is billed for a file, so whatever goes wrong here leaves no batch behind. */
async function upload(
  ask: (call: Call) => Promise<Json>,
  {
    id,
    calls,
    path,
    signal,
  }: { id: string; calls: readonly BatchedCall[]; path: string; signal: Call['signal'] },
): Promise<string> {
  const lines = calls.map(
    (call) =>
      `{"custom_id":${JSON.stringify(call.id)},"method":"POST","url":"${path}","body":${call.body}}\n`,
  )
  const form = toForm([
    { name: 'purpose', value: 'batch' },
    { name: 'expires_after[anchor]', value: 'created_at' },
    { name: 'expires_after[seconds]', value: String(fileSeconds) },
    {
      name: 'file',
      file: { bytes: Buffer.from(lines.join('')), mimeType: 'application/jsonl' },
      fileName: `${id}.jsonl`,
    },
  ])
  try {
    const file = await ask({ method: 'POST', at: '/files', ...form, signal })
    if (isPathId(file.id)) return file.id
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const { kind, message, status, retryAfterMs } = error
    throw new ProviderError(kind, {
      outcome: 'rejected',
      message,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      cause: error,
    })
  }
  throw new ProviderError('protocol', { outcome: 'rejected', message: 'a file without an id' })
}

const lost = ({ name }: Endpoint, what: string) =>
  new ProviderError('protocol', { outcome: 'unknown', message: `${name}: ${what}` })

/** Codes of calls that the vendor did not answer, and does not bill. */
const unprocessed: ReadonlySet<unknown> = new Set(['batch_expired', 'batch_cancelled'])

function resultIn(line: unknown, { read }: Dialogue): BatchResult | null {
  if (!isRecord(line)) return null
  const id = textOf(line.custom_id)
  if (id === undefined) return null
  if (isRecord(line.error) && unprocessed.has(line.error.code)) return { id, unprocessed: true }
  if (!isRecord(line.response)) {
    const said = isRecord(line.error) ? textOf(line.error.message) : undefined
    const message = said ?? 'a result without an answer'
    return { id, error: new ProviderError('protocol', { outcome: 'unknown', message }) }
  }
  const { status_code: status, body, request_id: requestId } = line.response
  const headers = typeof requestId === 'string' ? { 'x-request-id': requestId } : {}
  const answer = {
    status: Number(status),
    headers,
    body: Buffer.from(JSON.stringify(body ?? null)),
  }
  return readResult(id, () => read(answer))
}
