import { isDeepStrictEqual } from 'node:util'
import type { Item, Step, Tool } from './script.ts'
import { type Body, dataEvent, list, newId, piecesOf, usage, type Wire } from './wire.ts'

export const gemini: Wire = {
  read(path, body) {
    const verb = /:(generateContent|streamGenerateContent)$/.exec(path)?.[1]
    if (verb === undefined) return undefined
    const config = body.generationConfig ?? {}
    return {
      isStream: verb === 'streamGenerateContent',
      tools: list(body.tools).flatMap((tool) => list(tool.functionDeclarations).map(toolOf)),
      items: list(body.contents).flatMap(itemsOf),
      answerSchema: config.responseJsonSchema ?? config.responseSchema,
    }
  },
  whole: (step) => answered([...textOf(step), ...callsOf(step)], newId('r'), ended),
  *events(step) {
    const id = newId('r')
    for (const text of piecesOf(step.text)) yield dataEvent(answered([{ text }], id))
    yield dataEvent(answered(callsOf(step), id, ended))
  },
}

const ended = { finishReason: 'STOP' }

const answered = (parts: object[], responseId: string, ending: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...ending }],
  usageMetadata: {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
  },
  modelVersion: 'scripted',
  responseId,
})

const toolOf = (tool: Body): Tool => ({
  name: tool.name,
  schema: tool.parametersJsonSchema ?? tool.parameters,
})

const itemsOf = ({ role, parts }: Body): Item[] =>
  list(parts).flatMap((part, index): Item[] => {
    if (isRepeated(part, list(parts).slice(0, index))) return []
    if (part.functionCall) return [{ is: 'call', name: part.functionCall.name }]
    if (part.inlineData || part.fileData) return [{ is: 'picture' }]
    if (!part.functionResponse) {
      return [{ is: role === 'model' ? 'assistant' : 'user', text: part.text ?? '' }]
    }
    const { response, parts: inside } = part.functionResponse
    const pictures = list(inside).map((): Item => ({ is: 'picture' }))
    return [{ is: 'result', text: JSON.stringify(response) }, ...pictures]
  })

/** The Gemini CLI sends results and their files twice after it has opened an earlier session. */
const isRepeated = (part: Body, before: Body[]): boolean =>
  part.text === undefined && before.some((one) => isDeepStrictEqual(one, part))

const textOf = ({ text }: Step) => (text === '' ? [] : [{ text }])

const callsOf = ({ call }: Step) =>
  call
    ? [{ functionCall: { name: call.tool.name, args: call.input }, thoughtSignature: 'c2lnbmVk' }]
    : []
