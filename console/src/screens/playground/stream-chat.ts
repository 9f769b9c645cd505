// A chat answer as it arrives: server-sent events of the OpenAI-compatible API.
import { ApiFailure } from '#console/api/api-failure.ts'
import { openStream } from '#console/api/public-api.ts'

export type ChatEnd = {
  model: string
  finishReason: string | null
  usage: { inputTokens: number; outputTokens: number; cost: number | null } | null
}

type Chunk = {
  model?: string
  choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[]
  usage?: { prompt_tokens: number; completion_tokens: number; cost?: number | null } | null
  error?: { message?: string; code?: string }
}

export async function streamChat(
  body: Record<string, unknown>,
  { signal, onText }: { signal: AbortSignal; onText(text: string): void },
): Promise<ChatEnd> {
  const asked = { ...body, stream: true, stream_options: { include_usage: true } }
  const response = await openStream('/v1/chat/completions', asked, signal)
  const end: ChatEnd = { model: String(body.model), finishReason: null, usage: null }
  let isWhole = false
  for await (const data of eventsOf(response)) {
    if (data === '[DONE]') {
      isWhole = true
      break
    }
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error) throw streamFailure(chunk.error)
    const [choice] = chunk.choices ?? []
    if (choice?.delta?.content) onText(choice.delta.content)
    end.model = chunk.model ?? end.model
    end.finishReason = choice?.finish_reason ?? end.finishReason
    if (chunk.usage) {
      const { prompt_tokens, completion_tokens, cost = null } = chunk.usage
      end.usage = { inputTokens: prompt_tokens, outputTokens: completion_tokens, cost }
    }
  }
  if (!isWhole) throw streamFailure({ message: 'The answer ended before it was complete.' })
  return end
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
