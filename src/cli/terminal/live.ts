import type { Printer } from './printer.ts'
import { cut } from './text-table.ts'

/** A few lines at the end of the terminal that are redrawn in place. */
export type LiveArea = {
  draw(lines: readonly string[]): void
  /** Erases what was drawn last. */
  clear(): void
}

const up = (lines: number) => (lines === 0 ? '' : `\x1b[${lines}A`)
const eraseBelow = '\r\x1b[J'

export function openLiveArea(printer: Printer): LiveArea {
  let drawn = 0
  const rewind = () => `${up(drawn)}${eraseBelow}`
  return {
    draw(lines) {
      // An area taller than the screen could not be redrawn, because the cursor cannot move above
      // the screen. For the same reason, callers must pass lines that do not wrap.
      const shown = lines.slice(0, Math.max(1, printer.height() - 1))
      printer.write(`${rewind()}${shown.map((line) => `${line}\n`).join('')}`)
      drawn = shown.length
    },
    clear() {
      if (drawn > 0) printer.write(rewind())
      drawn = 0
    },
  }
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
export const frameMs = 120
export const spinnerAt = (nowMs: number): string =>
  spinner[Math.floor(nowMs / frameMs) % spinner.length] ?? ''

/** Redraws the current content at every frame until stopped. */
export function animate(area: LiveArea, lines: () => readonly string[]): { stop(): void } {
  const draw = () => area.draw(lines())
  const timer = setInterval(draw, frameMs)
  draw()
  return {
    stop() {
      clearInterval(timer)
      area.clear()
    },
  }
}

/** Cuts text to one line of the terminal. Apply before styling, which adds invisible characters. */
export const fit = (text: string, printer: Printer): string => cut(text, printer.width() - 1)
