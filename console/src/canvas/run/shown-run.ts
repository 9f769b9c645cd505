// What the canvas shows of runs: one, beside it at most a second to compare with, and results that
// are pinned to nodes. A card subscribes to its own node and nothing else.
import { createStore } from 'zustand/vanilla'
import type { ConsoleCalls } from '#console/api/types.ts'
import type { PinnedRuns } from '#console/canvas/stored-draft.ts'
import type { RunState } from './run-state.ts'

type Answer = ConsoleCalls['getRunPreviews']['data']
export type Preview = Answer['items'][number]['outputs'][number]
export type Previews = Readonly<Record<string, readonly Preview[]>>

export type ShownRun = {
  readonly state: RunState
  readonly previews: Previews
  /** It is shown as it stood before its end. */
  readonly isReplayed?: true
}

/** A result that runs use in place of its node. */
export type Pin = {
  readonly runId: string
  /** When the run began; null while it is being read. */
  readonly at: string | null
  readonly outputs: readonly Preview[]
  /** The run is not stored any more. */
  readonly isGone: boolean
}

export type ShownRuns = {
  readonly run: ShownRun | null
  /** The run that `run` is compared with. */
  readonly other: ShownRun | null
  /** The run that was started here: its end is told, even if it came before the first look. */
  readonly startedId: string | null
  /** What is pinned, as the draft has it, and the results themselves. */
  readonly pinned: PinnedRuns
  readonly pins: Readonly<Record<string, Pin>>
  /** Nodes below which there is room for their result. */
  readonly open: ReadonlySet<string>
  /** Nodes that were changed after the shown run had started. */
  readonly edited: ReadonlySet<string>
  readonly isFolded: boolean
}

const none: ReadonlySet<string> = new Set()

export const createShownRuns = (pinned: PinnedRuns) =>
  createStore<ShownRuns>()(() => ({
    run: null,
    other: null,
    startedId: null,
    pinned,
    pins: {},
    open: none,
    edited: none,
    isFolded: false,
  }))

/** Unchanged previews stay the same objects, so that their cards are not drawn again. */
export function mergePreviews(before: Previews, { items }: Answer): Previews {
  const next: Record<string, readonly Preview[]> = {}
  let isSame = items.length === Object.keys(before).length
  for (const { nodeId, outputs } of items) {
    const known = before[nodeId]
    const isKnown =
      known?.length === outputs.length &&
      known.every(
        ({ port, digest }, i) => digest !== '' && sameResult(outputs[i], { port, digest }),
      )
    next[nodeId] = isKnown && known ? known : outputs
    if (!isKnown) isSame = false
  }
  return isSame ? before : next
}

const sameResult = (a: Preview | undefined, b: Pick<Preview, 'port' | 'digest'>): boolean =>
  a?.port === b.port && a.digest === b.digest

/** What a node shows: what is pinned to it, or what it gave in the shown run. */
export const previewsAt = ({ run, pins }: Pick<ShownRuns, 'run' | 'pins'>, nodeId: string) =>
  pins[nodeId]?.outputs ?? run?.previews[nodeId]

/** Whether a node gave the same in both runs; null if one of them has no result. */
export function isSameIn(a: ShownRun, b: ShownRun, nodeId: string): boolean | null {
  const [mine, theirs] = [a.previews[nodeId], b.previews[nodeId]]
  if (!mine || !theirs) return null
  return (
    mine.length === theirs.length &&
    mine.every((one, i) => one.digest !== '' && sameResult(theirs[i], one))
  )
}
