/** The answer of a provider was lost after the call may have been accepted. */
export const outcomeUnknown = 'PROVIDER_OUTCOME_UNKNOWN'

/** What to do about the error of a node. */
export function adviceOn({ code, retryable }: { code: string; retryable: boolean }): string {
  if (code === outcomeUnknown)
    return 'The answer was lost: the provider may have done the work and billed it. Retrying calls again and may pay again. Look at the call first; the provider’s own records show whether it was made.'
  return retryable
    ? 'This may work later: retry the run.'
    : 'Retrying without a change would fail again: change the inputs or the node first.'
}

/** Where to look if the message names no setting: the first of these that the node has. */
const usualSettings: Readonly<Record<string, readonly string[]>> = {
  EXPRESSION_ERROR: ['expression', 'template'],
  EXPRESSION_LIMIT: ['expression', 'template'],
  TYPE_MISMATCH: ['expression'],
  MODEL_NOT_FOUND: ['model'],
  MODEL_KIND_MISMATCH: ['model'],
  UNPRICED_MODEL: ['model'],
  UNSUPPORTED_PARAMETER: ['model'],
  RATE_LIMITED: ['model'],
  PROVIDER_ERROR: ['model'],
  PROVIDER_UNAVAILABLE: ['model'],
  PROVIDER_TIMEOUT: ['model'],
  EMPTY_ANSWER: ['maxTokens', 'model'],
  CONTENT_REJECTED: ['prompt'],
  CREDENTIAL_NOT_FOUND: ['credential'],
  CREDENTIAL_NOT_ALLOWED: ['credential'],
  INVALID_CREDENTIAL: ['credential', 'model'],
  HTTP_FAILED: ['url'],
  ADDRESS_BLOCKED: ['url'],
  RESPONSE_TOO_LARGE: ['url'],
  NODE_TIMEOUT: ['timeoutMs'],
  ITEM_LIMIT: ['maxItems'],
  ITERATION_LIMIT: ['maxIterations'],
  SUBWORKFLOW_FAILED: ['workflowId'],
}

type Setup = {
  /** Names of all settings of the node, and of its inputs. */
  readonly settings: readonly string[]
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * The setting that an error is about: the one that holds the placeholder it complains about, that
 * its message names, or that such errors usually come from.
 */
export function settingBehind(
  { code, message }: { code: string; message: string },
  { settings, data }: Setup,
): string | undefined {
  const words = message.split(/[^\w-]+/)
  return (
    settingWith(placeholderIn(message), data) ??
    settings.find((name) => words.includes(name)) ??
    usualSettings[code]?.find((name) => settings.includes(name))
  )
}

/** "input.title" of "{{input.title}} has no value". */
const placeholderIn = (message: string): string | undefined =>
  /\{\{\s*([\w.-]+)\s*\}\}/.exec(message)?.[1]

function settingWith(path: string | undefined, data: Setup['data']): string | undefined {
  if (path === undefined) return undefined
  const holds = (value: unknown): boolean =>
    typeof value === 'string'
      ? placeholdersOf(value).includes(path)
      : typeof value === 'object' && value !== null && Object.values(value).some(holds)
  return Object.keys(data).find((name) => name !== 'label' && holds(data[name]))
}

const placeholdersOf = (text: string): string[] =>
  Array.from(text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g), ([, path = '']) => path)
