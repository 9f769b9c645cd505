import type { RequestLog, RequestLogLevel } from '#http/request-log.ts'
import type { Logger } from './log.ts'

/** Logs requests. The signal SIGUSR2 switches between the configured level and its opposite. */
export function openRequestLog(
  configured: RequestLogLevel,
  log: Logger,
): RequestLog & { close(): void } {
  let level = configured
  const opposite = configured === 'all' ? 'off' : 'all'
  const onSignal = () => {
    level = level === configured ? opposite : configured
    log.warn({ requests: level }, 'the log of requests was switched')
  }
  // Windows has no such signal.
  const hasSignal = process.platform !== 'win32'
  if (hasSignal) process.on('SIGUSR2', onSignal)
  return {
    level: () => level,
    write: (entry) => log.info(entry, 'request'),
    close: () => void process.off('SIGUSR2', onSignal),
  }
}
