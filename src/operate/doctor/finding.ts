export type Finding = {
  check: string
  level: 'ok' | 'warn' | 'fail'
  message: string
  /** What to do about it. */
  advice?: string
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message })

export const warn = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'warn',
  message,
  advice,
})

export const fail = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'fail',
  message,
  advice,
})

/** The message of the innermost cause, on one line. */
export function reasonOf(error: unknown): string {
  const { cause, message, code } = error as { cause?: unknown; message?: string; code?: string }
  if (cause instanceof Error) return reasonOf(cause)
  return (message || code || String(error)).replace(/\s+/g, ' ')
}
