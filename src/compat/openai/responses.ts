// The Responses API: answers, whole or as events, and those that are kept.
import type { KeptResponse, KeptResponses } from '#api/kept-responses.ts'
import type { Catalogue } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import type { GenerateText, StreamText } from '#core/generation.ts'
import {
  type CompatAnswer,
  type CompatCall,
  type CompatCaller,
  modelsFor,
  namedEventLine,
  streamAnswer,
} from '../compat-api.ts'
import { fitToModel } from '../fit-model.ts'
import { type CountTokens, inputTokensOf } from '../input-tokens.ts'
import { attemptOf, itemsOf as itemsKept, namedItems, readEarlier } from './kept-items.ts'
import { checkRetrieval, itemPage } from './kept-queries.ts'
import { endedResponse, itemsOf } from './responses-answer.ts'
import { type ResponseOrder, readConversation, readResponseFields } from './responses-request.ts'
import { brokenEvents, createEventWriter, type ResponseEvent } from './responses-stream.ts'

type Deps = {
  catalogue: Catalogue
  generateText: GenerateText
  streamText: StreamText
  countTokens: CountTokens
  keptResponses: KeptResponses
}

export type ResponsesCompat = {
  respond: CompatCall
  countInput: CompatCall
  keptResponse(id: string, query: object, caller: CompatCaller): Promise<object>
  keptInput(id: string, query: object, caller: CompatCaller): Promise<object>
  deleteResponse(id: string, caller: CompatCaller): Promise<object>
}

export function createResponses(deps: Deps): ResponsesCompat {
  const { catalogue, keptResponses } = deps

  async function orderOf(body: unknown, { principal }: CompatCaller): Promise<ResponseOrder> {
    const asked = readResponseFields(body)
    const earlier = await readEarlier(keptResponses, principal.accountId, asked)
    return readConversation(asked, earlier, { canKeep: keptResponses.isOn })
  }

  async function keptChain(id: string, { principal }: CompatCaller): Promise<KeptResponse[]> {
    const attempt = attemptOf(id)
    const chain = attempt === null ? null : await keptResponses.chain(principal.accountId, attempt)
    return chain ?? missing(id)
  }

  return {
    async respond(body, caller) {
      const order = await orderOf(body, caller)
      const { echo, forms } = order
      const models = modelsFor(catalogue, caller)
      const notes = leaveOutSearch(models, order)
      const call = { ...fitToModel(models, order.call), principal: caller.principal }
      const { signal } = caller
      const keep = createKeeper(keptResponses, order, caller)
      if (!order.isStream) {
        const generated = await deps.generateText(call, { signal })
        const items = itemsOf(generated, forms)
        const response = endedResponse(generated, generated, items, echo)
        await keep(generated.id, response)
        return { body: response, notes, attempts: generated.attempts }
      }
      const events = deps.streamText(call, { signal })
      let sequence = 0
      const numbered = (event: ResponseEvent): ResponseEvent => ({
        ...event,
        sequence_number: sequence++,
      })
      const answer: CompatAnswer = await streamAnswer<ResponseEvent>(events, caller, (begin) => ({
        write: createEventWriter(begin, echo, forms),
        settle: async (written) => {
          const response = written.at(-1)?.response as KeptResponse['response'] | undefined
          if (response) await keep(begin.id, response)
        },
        line: (event) => namedEventLine(numbered(event)),
        error: (failure) => brokenEvents(begin, echo, failure),
      }))
      return { ...answer, notes }
    },
    async countInput(body, caller) {
      const order = await orderOf(body, caller)
      const models = modelsFor(catalogue, caller)
      const notes = leaveOutSearch(models, order)
      const counted = await inputTokensOf(fitToModel(models, order.call), deps.countTokens)
      return { body: { object: 'response.input_tokens', input_tokens: counted }, notes }
    },
    async keptResponse(id, query, { principal }) {
      checkRetrieval(query)
      const attempt = attemptOf(id)
      const [kept] = attempt ? await keptResponses.find(principal.accountId, [attempt]) : []
      return kept?.response ?? missing(id)
    },
    async keptInput(id, query, caller) {
      const chain = await keptChain(id, caller)
      const earlier = chain.slice(0, -1).flatMap(itemsKept)
      return itemPage([...earlier, ...(chain.at(-1)?.input ?? [])] as { id: string }[], query)
    },
    async deleteResponse(id, { principal }) {
      const attempt = attemptOf(id)
      if (attempt && (await keptResponses.delete(principal.accountId, attempt))) {
        return { id, object: 'response', deleted: true }
      }
      return missing(id)
    },
  }
}

/** Agents add a search to every request, whichever model it is for. */
function leaveOutSearch(catalogue: Catalogue, { call, isSearchOptional }: ResponseOrder): string[] {
  if (!call.webSearch || !isSearchOptional) return []
  const { webSearch } = catalogue.find(call.modelId)?.model.capabilities ?? {}
  if (webSearch === call.webSearch.form) return []
  delete call.webSearch
  return ['web_search is not offered with this model, and was left out of tools']
}

/**
 * Keeps an answer before the caller learns that it is complete, because its id is of use from then
 * on. An answer that cannot be kept is given all the same, and says so.
 */
function createKeeper(
  kept: KeptResponses,
  { isKept, items, previousId, usedIds }: ResponseOrder,
  { principal, toFailure }: CompatCaller,
) {
  return async (attemptId: string, response: KeptResponse['response']): Promise<void> => {
    if (!isKept) return
    const input = namedItems(attemptId, items)
    const row = { id: attemptId, previousId, input, response }
    try {
      if (await kept.keep(principal.accountId, row, usedIds)) return
    } catch (error) {
      toFailure(error)
    }
    response.store = false
  }
}

function missing(id: string): never {
  throw new Failure('RECORD_NOT_FOUND', { message: `Response with id '${id}' not found.` })
}
