// What the step of a text call holds.
import { isJsonAnswer } from '#graph/node/json-answer.ts'
import type { Answer } from '#graph/node/node-type.ts'
import type { ReusableRequest } from '#graph/node/outside-calls.ts'

/** Most answers are complete; of those only the text is stored. */
export type StoredAnswer = string | Answer

export const asAnswer = (stored: StoredAnswer): Answer =>
  typeof stored === 'string' ? { text: stored, finish: 'stop' } : stored

/** False if the node that asks will fail over this answer. */
export const isUsableFor = (request: ReusableRequest, stored: unknown): boolean =>
  request.kind !== 'TEXT' ||
  request.call.responseFormat !== 'json' ||
  isJsonAnswer(asAnswer(stored as StoredAnswer))
