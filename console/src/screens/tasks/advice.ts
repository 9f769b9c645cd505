/** What to do about a failed task, in a sentence. The server's own message precedes it. */
export function adviceFor(code: string): string {
  const known: Record<string, string> = {
    CONTENT_REJECTED: 'The provider refused this content. Change the prompt or the picture.',
    UNSUPPORTED_PARAMETER: 'The model does not accept one of the settings. Choose another value.',
    MODEL_NOT_FOUND: 'The model is no longer available. Choose another one.',
    SPEND_LIMIT_REACHED: 'Raise the limit, or wait for the next month.',
    PROVIDER_OUTCOME_UNKNOWN:
      'The answer was lost, so the result may have been made and billed. Check with the provider before you try again: nothing is retried automatically.',
    PROVIDER_UNAVAILABLE: 'The provider was unavailable. Try again in a few minutes.',
    PROVIDER_TIMEOUT:
      'The provider took too long. Try again, or ask for a smaller picture or a shorter video.',
    PROVIDER_ERROR: 'The provider failed. Try again; if it keeps failing, try another model.',
    ADDRESS_BLOCKED: 'The address of the picture is not public. Upload the picture instead.',
    RESPONSE_TOO_LARGE: 'The result was larger than this server keeps. Ask for a smaller one.',
  }
  return known[code] ?? 'Try again; if it keeps failing, tell the operator the task id.'
}
