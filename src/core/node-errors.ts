// Why a node or a run as a whole failed, beyond the codes a call to a provider gives
// (errors.ts): one table, which the reference is written from.
export const nodeErrorTable = {
  TYPE_MISMATCH: 'A value is not of the type the port, schema or model needs.',
  TOO_DEEP: 'A value is nested more than 64 levels deep.',
  EXPRESSION_ERROR: 'An expression failed.',
  EXPRESSION_LIMIT: 'An expression used up its processor time or memory, or a value is too large.',
  HTTP_FAILED: 'An address could not be asked, or its answer was not usable.',
  ADDRESS_BLOCKED: 'The policy for outgoing requests refused an address.',
  RESPONSE_TOO_LARGE: 'An answer is larger than allowed.',
  ITEM_LIMIT: 'A list has more items than the node takes.',
  SUBWORKFLOW_FAILED: 'A called workflow failed; the message names its node and code.',
  NODE_TIMEOUT: 'The time limit of the node passed.',
  RUN_TIMEOUT: 'The time limit of the run passed, or it waited too long for its turn.',
  COST_LIMIT_REACHED: 'The next call would have cost more than maxCost allows.',
  PROVIDER_OUTCOME_UNKNOWN:
    'The answer of a provider was lost; it may have been billed, so it was not repeated.',
  QUARANTINED: 'No worker could go on with the run; it was stopped after several attempts.',
  INTERNAL_ERROR: 'Something went wrong on this server.',
} as const

export type NodeErrorCode = keyof typeof nodeErrorTable
