// Undo by intention: one step for a drag, a paste, a burst of typing or a series of arrow keys,
// however many changes it consists of. Pure; it holds whole documents, which share unchanged parts.

export const maxSteps = 200
/** A pause in typing or in arrow keys that is longer than this starts a new step. */
export const burstMs = 1_000

export type Intention = {
  /** Announced when the step is undone: "Move 3 nodes". */
  readonly label: string
  /** Consecutive changes with the same key belong to one step. */
  readonly burst?: string
}

type Step<Doc> = { readonly doc: Doc; readonly label: string }

export type History<Doc> = {
  readonly doc: Doc
  readonly past: readonly Step<Doc>[]
  readonly future: readonly Step<Doc>[]
  readonly open: { readonly burst: string; readonly atMs: number } | null
}

export const startHistory = <Doc>(doc: Doc): History<Doc> => ({
  doc,
  past: [],
  future: [],
  open: null,
})

/** An unchanged document adds no step. */
export function record<Doc>(
  history: History<Doc>,
  doc: Doc,
  { label, burst }: Intention,
  atMs: number,
): History<Doc> {
  if (doc === history.doc) return history
  const { open } = history
  const goesOn = burst !== undefined && open?.burst === burst && atMs - open.atMs <= burstMs
  return {
    doc,
    past: goesOn ? history.past : [...history.past, { doc: history.doc, label }].slice(-maxSteps),
    future: [],
    open: burst === undefined ? null : { burst, atMs },
  }
}

/** Ends a burst: the next change starts a new step. */
export const endBurst = <Doc>(history: History<Doc>): History<Doc> =>
  history.open === null ? history : { ...history, open: null }

export function undo<Doc>(history: History<Doc>): History<Doc> {
  const step = history.past.at(-1)
  if (!step) return history
  return {
    doc: step.doc,
    past: history.past.slice(0, -1),
    future: [{ doc: history.doc, label: step.label }, ...history.future],
    open: null,
  }
}

export function redo<Doc>(history: History<Doc>): History<Doc> {
  const [step, ...future] = history.future
  if (!step) return history
  return {
    doc: step.doc,
    past: [...history.past, { doc: history.doc, label: step.label }].slice(-maxSteps),
    future,
    open: null,
  }
}
