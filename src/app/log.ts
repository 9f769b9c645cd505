import pino, { type Logger } from 'pino'

/** JSON lines on standard output. Whatever could be a credential is cut out by name. */
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
