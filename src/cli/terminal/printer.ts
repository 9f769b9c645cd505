import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Standard output, which gets results, or standard error, which gets everything else. */
export type Printer = {
  readonly isTerminal: boolean
  /** Whether output may be coloured and redrawn. */
  readonly isStyled: boolean
  width(): number
  height(): number
  write(text: string): void
  line(text?: string): void
  paint(style: Style, text: string): string
}

type Stream = {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  rows?: number
}

export function createPrinter(stream: Stream, { styled }: { styled: boolean }): Printer {
  const isTerminal = stream.isTTY === true
  const isStyled = isTerminal && styled
  return {
    isTerminal,
    isStyled,
    width: () => (isTerminal ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY),
    height: () => stream.rows ?? 24,
    write: (text) => void stream.write(text),
    line: (text = '') => void stream.write(`${text}\n`),
    paint: (style, text) => (isStyled ? styleText(style, text, { validateStream: false }) : text),
  }
}

// Control characters, and those that reverse the direction of text.
const unsafe = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** Untrusted text on one line, which can neither control the terminal nor break a table. */
export const word = (text: string): string => text.replace(/\s+/g, ' ').replace(unsafe, '').trim()

/** Untrusted text with its line breaks. A terminal gets no control characters; a pipe gets all. */
export const prose = (text: string, { isTerminal }: Printer): string =>
  isTerminal ? text.replace(unsafe, (char) => (char === '\n' || char === '\t' ? char : '')) : text

type Warning = { code: string; path: string; message: string }

export function printWarnings(to: Printer, warnings: readonly Warning[]) {
  for (const { code, path, message } of warnings) {
    to.line(`${to.paint('yellow', 'warning')} ${word(`${code} ${path}: ${message}`)}`)
  }
}
