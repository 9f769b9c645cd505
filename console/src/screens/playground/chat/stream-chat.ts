// A chat answer as it arrives: server-sent events of the OpenAI-compatible API.
import { ApiFailure } from '#console/api/api-failure.ts'
import { openStream } from '#console/api/public-api.ts'
import type { ToolCall } from './turn-tree.ts'

export type ChatEnd = {
  model: string
  finishReason: string | null
  usage: { inputTokens: number; outputTokens: number; cost: number | null } | null
  /** Of a route: the models that were asked, and what became of it. */
  attempts?: Attempt[]
}

export type Attempt = { model: string; outcome: string; deployment?: string }

/** What has arrived so far. */
export type Arrived = {
  answerId: string | undefined
  text: string
  reasoning: string
  toolCalls: readonly ToolCall[]
}

type CallPiece = {
  index: number
  id?: string
  function?: { name?: string; arguments?: string }
  extra_content?: unknown
}
type Delta = {
  content?: string | null
  reasoning_content?: string | null
  tool_calls?: CallPiece[]
}
type Chunk = {
  id?: string
  model?: string
  choices?: { delta?: Delta; finish_reason?: string | null }[]
  usage?: { prompt_tokens: number; completion_tokens: number; cost?: number | null } | null
  error?: { message?: string; code?: string }
}

export async function streamChat(
  body: Record<string, unknown>,
  options: { signal: AbortSignal; onArrived(arrived: Arrived): void },
): Promise<ChatEnd> {
  const { signal, onArrived } = options
  const asked = { ...body, stream: true, stream_options: { include_usage: true } }
  // Without an Idempotency-Key, which would let the call go on, and be paid, after a stop.
  const response = await openStream('/v1/chat/completions', asked, { signal })
  const attempts = attemptsIn(response.headers.get('x-atelier-attempts'))
  const end: ChatEnd = {
    ...{ model: String(body.model), finishReason: null, usage: null },
    ...(attempts.length > 0 ? { attempts } : {}),
  }
  let arrived: Arrived = { answerId: undefined, text: '', reasoning: '', toolCalls: [] }
  let isWhole = false
  for await (const data of eventsOf(response)) {
    if (data === '[DONE]') {
      isWhole = true
      break
    }
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error) throw streamFailure(chunk.error)
    arrived = withChunk(arrived, chunk)
    onArrived(arrived)
    end.model = chunk.model ?? end.model
    end.finishReason = chunk.choices?.[0]?.finish_reason ?? end.finishReason
    if (chunk.usage) {
      const { prompt_tokens, completion_tokens, cost = null } = chunk.usage
      end.usage = { inputTokens: prompt_tokens, outputTokens: completion_tokens, cost }
    }
  }
  if (!isWhole) throw streamFailure({ message: 'The answer ended before it was complete.' })
  return end
}

/** `demo-code;rate_limit, demo-text;answered;deployment=eu` */
const attemptsIn = (header: string | null): Attempt[] =>
  (header ?? '').split(', ').flatMap((one) => {
    const [model, outcome, at = ''] = one.split(';')
    const deployment = at.startsWith('deployment=') ? at.slice('deployment='.length) : undefined
    if (!model || !outcome) return []
    return [{ model, outcome, ...(deployment === undefined ? {} : { deployment }) }]
  })

/** Adds what a piece brings. */
export function withChunk(arrived: Arrived, { id, choices }: Chunk): Arrived {
  const delta = choices?.[0]?.delta ?? {}
  return {
    answerId: arrived.answerId ?? id,
    text: arrived.text + (delta.content ?? ''),
    reasoning: arrived.reasoning + (delta.reasoning_content ?? ''),
    toolCalls: (delta.tool_calls ?? []).reduce(withCall, arrived.toolCalls),
  }
}

function withCall(calls: readonly ToolCall[], piece: CallPiece): readonly ToolCall[] {
  const known = calls[piece.index]
  const call: ToolCall = {
    id: known?.id ?? piece.id ?? `call-${piece.index}`,
    name: (known?.name ?? '') + (piece.function?.name ?? ''),
    arguments: (known?.arguments ?? '') + (piece.function?.arguments ?? ''),
  }
  const extra = known?.extra ?? piece.extra_content
  return calls.toSpliced(piece.index, 1, extra === undefined ? call : { ...call, extra })
}

const streamFailure = ({ message, code }: NonNullable<Chunk['error']>): ApiFailure =>
  new ApiFailure({
    status: 502,
    code: code ?? 'PROVIDER_ERROR',
    message: message ?? 'The provider failed while it was answering.',
    retryable: false,
  })

/** The data of each event; our server writes one line per event, followed by an empty line. */
async function* eventsOf(response: Response): AsyncGenerator<string, void, undefined> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const events = (rest + value).split(/\r?\n\r?\n/)
      rest = events.pop() ?? ''
      for (const event of events) {
        const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
        if (lines.length > 0) yield lines.map((line) => line.slice(5).trimStart()).join('\n')
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
