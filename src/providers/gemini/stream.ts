import { isRecord } from '#core/record.ts'
import { recordsOf, textOf } from '#providers/json-shape.ts'
import type { TextDelta } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import { brokenStream, type StreamReader } from '#providers/streamed-text.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import {
  blockedPrompt,
  contentUsage,
  endOf,
  kindOf,
  queriesIn,
  refusal,
  toolCallOf,
} from './response.ts'

export const refusedStream = (upstream: Upstream, answer: Answer) =>
  answer.status === 200
    ? protocolError(upstream, answer, 'not a stream of events')
    : refusal(upstream, answer, { rejectedWhenBusy: true })

/** Each event has the form of a whole answer, with the new text and the counts so far. */
export function contentStream(upstream: Upstream): StreamReader {
  let calls = 0
  const queries = new Set<string>()
  let end: ReturnType<typeof endOf> | undefined

  return {
    read(event) {
      if (isRecord(event.error)) {
        const message = textOf(event.error.message) ?? 'the stream broke off'
        const kind = kindOf(event.error.status, message) ?? 'server'
        throw brokenStream(upstream, { kind, message })
      }
      end = blockedPrompt(event.promptFeedback) ?? end
      const candidate = recordsOf(event.candidates)[0] ?? {}
      const content = isRecord(candidate.content) ? candidate.content : {}
      const reason = textOf(candidate.finishReason)
      if (reason !== undefined) end = endOf(reason, textOf(candidate.finishMessage))
      const deltas: TextDelta[] = []
      for (const part of recordsOf(content.parts)) {
        const text = textOf(part.text)
        if (text) deltas.push({ type: part.thought === true ? 'thought' : 'text', text })
        const call = toolCallOf(part, `${textOf(event.responseId) ?? 'call'}-${calls}`)
        if (!call) continue
        const index = calls++
        const { arguments: written, ...named } = call
        deltas.push({ type: 'tool_call', index, ...named })
        deltas.push({ type: 'tool_arguments', index, text: written })
      }
      if (isRecord(candidate.groundingMetadata)) {
        const item = candidate.groundingMetadata
        for (const query of queriesIn(item)) queries.add(query)
        deltas.push({ type: 'hosted', form: 'gemini', item })
      }
      const usage = contentUsage(event.usageMetadata, queries)
      if (usage) deltas.push({ type: 'usage', usage })
      return deltas.length > 0 ? deltas : [{ type: 'working' }]
    },
    end: () => end,
  }
}
