import pino, { type Logger } from 'pino'

/** Writes JSON lines to standard output. Fields that may hold a credential are redacted by name. */
export const createLog = (level: string): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'authorization',
        'cookie',
        'password',
        'apiKey',
        'token',
        'secret',
        '*.authorization',
        '*.cookie',
        '*.password',
        '*.apiKey',
        '*.token',
        '*.secret',
        'err.config',
        'err.request',
      ],
      censor: '[redacted]',
    },
  })

export type { Logger }
