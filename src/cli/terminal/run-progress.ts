import type { Run } from '#client/client.ts'
import type { Cli } from '../command.ts'
import { animate, openLiveArea } from './live.ts'
import { word } from './printer.ts'
import { runFrame } from './run-frame.ts'
import { showMoney, showSpan } from './show.ts'

export type RunProgress = {
  show(run: Run): void
  /** Leaves the last state of the run on the screen, if any was shown. */
  end(): void
}

/** A live display on a terminal, one line per change otherwise, and nothing with --json. */
export function showRunProgress({ err, clock, json }: Cli): RunProgress {
  if (json) return { show() {}, end() {} }
  if (!err.isStyled) return { show: plainLines((line) => err.line(line)), end() {} }
  let latest: Run | null = null
  const area = openLiveArea(err)
  const frame = () => (latest === null ? [] : runFrame(latest, err, clock.nowMs()))
  const animation = animate(area, frame)
  return {
    show(run) {
      latest = run
    },
    end() {
      animation.stop()
      for (const line of frame()) err.line(line)
    },
  }
}

/** Prints one line for everything that changed since the last call. */
export function plainLines(line: (text: string) => void): (run: Run) => void {
  let lastRun = ''
  const lastOf = new Map<string, string>()
  return (run) => {
    const { runId, status } = run
    if (status === 'QUEUED' && lastRun === '') line(`run ${word(runId)} ${status}`)
    for (const { nodeId, status: now, startedAt, completedAt, cost } of run.nodes) {
      if (now === 'PENDING' || lastOf.get(nodeId) === now) continue
      lastOf.set(nodeId, now)
      const error = run.nodeErrors.find((one) => one.nodeId === nodeId)
      const facts = [
        ...(completedAt === null ? [] : [showSpan(startedAt, completedAt, 0), showMoney(cost)]),
        ...(error ? [`${error.code}: ${error.message}`] : []),
      ]
      line(word(`node ${nodeId} ${now} ${facts.join(' ')}`))
    }
    const isNews = status !== lastRun && status !== 'QUEUED'
    lastRun = status
    if (!isNews) return
    const { createdAt, completedAt, cost } = run
    const facts =
      completedAt === null ? '' : `${showSpan(createdAt, completedAt, 0)} ${showMoney(cost)}`
    line(word(`run ${runId} ${status} ${facts}`))
  }
}
