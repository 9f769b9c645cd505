import { isRecord } from '#core/record.ts'
import type { EndCause, ProviderEnd } from '#core/text-stream.ts'
import { type Json, parseJson, recordsOf, textOf } from '#providers/json-shape.ts'
import type { TextDelta } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import { brokenStream, type StreamReader } from '#providers/streamed-text.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import {
  alternativeFinish,
  argumentsText,
  causeIn,
  chatUsage,
  finishOf,
  kindOfCode,
  logprobsOf,
  messageText,
  refusal,
  thoughtText,
} from './response.ts'

const maxToolCalls = 128
const maxChoices = 128

export const refusedStream = (upstream: Upstream, answer: Answer) =>
  answer.status === 200 && !hasError(answer)
    ? protocolError(upstream, answer, 'not a stream of events')
    : refusal(upstream, answer, { rejectedWhenBusy: true })

const hasError = ({ body }: Answer): boolean => {
  const json = parseJson(body)
  return isRecord(json) && Boolean(json.error)
}

/** Throws if the event reports an error. */
export function refuseError(upstream: Upstream, event: Json): void {
  if (event.error === undefined) return
  const error = isRecord(event.error) ? event.error : {}
  const kind = kindOfCode(error.code) ?? kindOfCode(error.type) ?? 'server'
  const message = textOf(error.message) ?? textOf(event.error) ?? 'the stream broke off'
  throw brokenStream(upstream, { kind, message })
}

/** What the stream has sent so far of one of its answers. */
type Choice = {
  /** Its calls by the index that the server gave them last, with our own and their ids. */
  calls: Map<number, Begun>
  /** How many calls it has. */
  begun: number
  reason: unknown
  cause: EndCause | undefined
  refusal: string
}

type Begun = { index: number; id: string | undefined }

/** Some compatible servers give all calls of an answer the same index; ids tell them apart. */
const isOther = (open: Begun, id: string | undefined, name: string | undefined): boolean =>
  name !== undefined && id !== undefined && open.id !== undefined && id !== open.id

export function chatStream(upstream: Upstream, answer: Answer): StreamReader {
  const choices = new Map<number, Choice>()
  let answerId = 'call'

  function choiceAt(index: number): Choice {
    const known = choices.get(index)
    if (known) return known
    if (choices.size >= maxChoices) {
      throw protocolError(upstream, answer, 'the answer has more choices than allowed')
    }
    const end = { reason: undefined, cause: undefined, refusal: '' }
    const choice: Choice = { calls: new Map(), begun: 0, ...end }
    choices.set(index, choice)
    return choice
  }

  function toolDeltas(choice: Choice, calls: unknown): TextDelta[] {
    return recordsOf(calls).flatMap((call, place): TextDelta[] => {
      const wanted = isRecord(call.function) ? call.function : {}
      const at = typeof call.index === 'number' ? call.index : place
      const [id, name] = [textOf(call.id), textOf(wanted.name)]
      const text = argumentsText(wanted.arguments)
      const written = (index: number): TextDelta[] =>
        text === '' ? [] : [{ type: 'tool_arguments', index, text }]
      const open = choice.calls.get(at)
      if (open && !isOther(open, id, name)) return written(open.index)
      if (name === undefined || choice.begun >= maxToolCalls) {
        throw protocolError(upstream, answer, 'a function call that cannot be read')
      }
      const index = choice.begun++
      choice.calls.set(at, { index, id })
      return [
        { type: 'tool_call', index, id: id ?? `${answerId}-${index}`, name },
        ...written(index),
      ]
    })
  }

  function choiceDeltas(sent: Json): TextDelta[] {
    const index = typeof sent.index === 'number' ? sent.index : 0
    const choice = choiceAt(index)
    const delta = isRecord(sent.delta) ? sent.delta : {}
    choice.refusal += textOf(delta.refusal) ?? ''
    if (typeof sent.finish_reason === 'string') noteEnd(choice, sent)
    const text = messageText(delta.content)
    const thought = thoughtText(delta)
    const deltas: TextDelta[] = thought === '' ? [] : [{ type: 'thought', text: thought }]
    if (text !== '') deltas.push({ type: 'text', text, ...logprobsOf(sent) })
    deltas.push(...toolDeltas(choice, delta.tool_calls))
    return index === 0 ? deltas : deltas.map((one) => ({ ...one, choice: index }))
  }

  return {
    read(event: Json) {
      refuseError(upstream, event)
      answerId = textOf(event.id) ?? answerId
      const deltas = recordsOf(event.choices).flatMap(choiceDeltas)
      const usage = chatUsage(event.usage)
      if (usage) return [...deltas, { type: 'usage', usage }]
      return deltas.length > 0 ? deltas : [{ type: 'working' }]
    },
    end() {
      const ends = new Map<number, ReturnType<typeof endOf>>()
      for (const [index, choice] of choices) ends.set(index, endOf(choice))
      const first = ends.get(0)
      if (!first || [...ends.values()].includes(undefined)) return undefined
      ends.delete(0)
      return ends.size === 0 ? first : { ...first, otherFinishes: otherFinishes(ends) }
    },
  }
}

function noteEnd(choice: Choice, sent: Json): void {
  choice.reason = sent.finish_reason
  choice.cause = causeIn(sent)
}

/** Undefined as long as the provider has not ended it. */
function endOf({ reason, cause, refusal }: Choice): ProviderEnd | undefined {
  if (typeof reason !== 'string') return undefined
  if (refusal !== '') return { finish: 'content_filter', refusal }
  return { finish: finishOf(reason), ...(cause ? { endCause: cause } : {}) }
}

const otherFinishes = (ends: Map<number, ReturnType<typeof endOf>>) =>
  new Map([...ends].map(([index, end]) => [index, alternativeFinish(end?.finish ?? 'stop')]))
