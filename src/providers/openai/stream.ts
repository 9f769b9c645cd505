import { isRecord, type Json, recordsOf, textOf } from '#providers/json-shape.ts'
import type { TextDelta } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import { brokenStream, type StreamReader } from '#providers/streamed-text.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import {
  argumentsText,
  chatUsage,
  finishOf,
  kindOfCode,
  logprobsOf,
  messageText,
  refusal,
} from './response.ts'

const maxToolCalls = 128

export const refusedStream = (upstream: Upstream, answer: Answer) =>
  answer.status === 200
    ? protocolError(upstream, answer, 'not a stream of events')
    : refusal(upstream, answer, { rejectedWhenBusy: true })

/** Throws what an event says went wrong. */
export function refuseError(upstream: Upstream, event: Json): void {
  if (event.error === undefined) return
  const error = isRecord(event.error) ? event.error : {}
  const kind = kindOfCode(error.code) ?? kindOfCode(error.type) ?? 'server'
  const message = textOf(error.message) ?? textOf(event.error) ?? 'the stream broke off'
  throw brokenStream(upstream, { kind, message })
}

export function chatStream(upstream: Upstream, answer: Answer): StreamReader {
  const begun = new Set<number>()
  let reason: unknown
  let refusal = ''
  let answerId = 'call'

  function toolDeltas(calls: unknown): TextDelta[] {
    return recordsOf(calls).flatMap((call, place): TextDelta[] => {
      const wanted = isRecord(call.function) ? call.function : {}
      const index = typeof call.index === 'number' ? call.index : place
      const text = argumentsText(wanted.arguments)
      const deltas: TextDelta[] = text === '' ? [] : [{ type: 'tool_arguments', index, text }]
      if (begun.has(index)) return deltas
      const name = textOf(wanted.name)
      if (name === undefined || begun.size >= maxToolCalls) {
        throw protocolError(upstream, answer, 'a function call that cannot be read')
      }
      begun.add(index)
      const id = textOf(call.id) ?? `${answerId}-${index}`
      return [{ type: 'tool_call', index, id, name }, ...deltas]
    })
  }

  return {
    read(event: Json) {
      refuseError(upstream, event)
      answerId = textOf(event.id) ?? answerId
      const deltas: TextDelta[] = []
      const choice = recordsOf(event.choices)[0]
      const delta = isRecord(choice?.delta) ? choice.delta : {}
      refusal += textOf(delta.refusal) ?? ''
      const text = messageText(delta.content)
      if (text !== '') deltas.push({ type: 'text', text, ...logprobsOf(choice ?? {}) })
      deltas.push(...toolDeltas(delta.tool_calls))
      reason = choice?.finish_reason ?? reason
      const usage = chatUsage(event.usage)
      if (usage) deltas.push({ type: 'usage', usage })
      return deltas
    },
    end() {
      if (typeof reason !== 'string') return undefined
      return refusal === '' ? { finish: finishOf(reason) } : { finish: 'content_filter', refusal }
    },
  }
}
