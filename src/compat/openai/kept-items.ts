// What a request refers to instead of sending it: the response that it continues, and items of
// kept responses. Never answers a conversation of which a part is gone.
import type { KeptResponse, KeptResponses } from '#api/kept-responses.ts'
import { Failure } from '#core/errors.ts'
import { uuidPattern } from '#core/ids.ts'
import { isRecord } from '#core/record.ts'

/** What came before the input of a request, and the items that it refers to by their ids. */
export type Earlier = {
  items: readonly unknown[]
  referred: ReadonlyMap<string, unknown>
  /** The responses that it needs to be kept on. */
  responseIds: readonly string[]
}

export const nothingEarlier: Earlier = { items: [], referred: new Map(), responseIds: [] }

const isUuid = new RegExp(uuidPattern)

/** The id of the attempt behind a response; null if it cannot be one of ours. */
export function attemptOf(responseId: string): string | null {
  const id = responseId.startsWith('resp_') ? responseId.slice('resp_'.length) : ''
  return isUuid.test(id) ? id.toLowerCase() : null
}

const itemId = /^[a-z]+_(?<attempt>.{36})-i?\d+$/

type Refers = { previousId?: string; input?: unknown }

/** Items that name nothing but an id. */
const referencesIn = (input: unknown): string[] =>
  Array.isArray(input)
    ? input.flatMap((item: unknown) =>
        isRecord(item) && isReference(item) && typeof item.id === 'string' ? [item.id] : [],
      )
    : []

/** The type may be left out. */
export const isReference = ({ type, role, id }: Record<string, unknown>): boolean =>
  type === 'item_reference' || ((type ?? null) === null && role === undefined && id !== undefined)

export async function readEarlier(
  kept: KeptResponses,
  accountId: string,
  { previousId, input }: Refers,
): Promise<Earlier> {
  const references = referencesIn(input)
  if (previousId === undefined && references.length === 0) return nothingEarlier
  const chain = previousId === undefined ? [] : await chainOf(kept, accountId, previousId)
  const owners = new Set(references.flatMap((id) => itemId.exec(id)?.groups?.attempt ?? []))
  const ids = [...owners].filter((id) => isUuid.test(id))
  const found = ids.length === 0 ? [] : await kept.find(accountId, ids)
  const items = [...chain, ...found].flatMap(itemsOf)
  const byId = new Map(items.flatMap((item) => (isRecord(item) ? [[item.id, item]] : [])))
  const referred = new Map(references.map((id) => [id, byId.get(id) ?? missingItem(id, kept)]))
  return {
    items: chain.flatMap(itemsOf),
    referred,
    responseIds: [...chain, ...found].map(({ id }) => id),
  }
}

export const itemsOf = ({ input, response }: KeptResponse): unknown[] => [
  ...input,
  ...response.output,
]

async function chainOf(
  kept: KeptResponses,
  accountId: string,
  previousId: string,
): Promise<KeptResponse[]> {
  const id = attemptOf(previousId)
  const chain = id === null ? null : await kept.chain(accountId, id)
  if (chain) return chain
  throw new Failure('INVALID_REQUEST', {
    message: `Previous response with id '${previousId}' not found. ${whyGone(kept)}`,
    details: { param: 'previous_response_id', reason: 'previous_response_not_found' },
  })
}

function missingItem(id: string, kept: KeptResponses): never {
  throw new Failure('RECORD_NOT_FOUND', {
    message: `Item with id '${id}' not found. ${whyGone(kept)}`,
    details: { param: 'input' },
  })
}

const whyGone = ({ isOn }: KeptResponses): string =>
  isOn
    ? 'Responses are kept for a while, unless `store` is false: send the earlier items in input instead.'
    : 'This server keeps no responses: send the earlier items in input instead.'

/** The items of a request with ids, as they are listed. */
export const namedItems = (attemptId: string, items: readonly unknown[]): unknown[] =>
  items.map((item, index) =>
    isRecord(item) && item.id === undefined
      ? { type: 'message', ...item, id: `${prefixOf(item)}_${attemptId}-i${index}` }
      : item,
  )

const prefixOf = ({ type = 'message' }: Record<string, unknown>): string =>
  type === 'message' ? 'msg' : type === 'function_call_output' ? 'fco' : 'item'
