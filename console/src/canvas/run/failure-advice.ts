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

/** The setting that an error is about: the one that its message names, or the expression. */
export function settingBehind(
  { code, message }: { code: string; message: string },
  settings: readonly string[],
): string | undefined {
  const words = message.split(/[^\w-]+/)
  const isExpression = code.startsWith('EXPRESSION_')
  return (
    settings.find((name) => words.includes(name)) ??
    settings.find((name) => isExpression && name === 'expression')
  )
}
