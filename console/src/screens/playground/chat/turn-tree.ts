// A conversation as a tree that only grows: a question that is edited, or an answer that is made
// again, becomes a sibling, and nothing is ever replaced. So two tabs that write to one
// conversation agree by keeping what both have. Pure.
export type ToolCall = {
  id: string
  name: string
  /** JSON, as the model wrote it. */
  arguments: string
  /** What a vendor wants back with the call, unchanged. */
  extra?: unknown
}

/** Facts about an answer that has ended. */
export type AnswerEnd = {
  /** The model that answered, which may be a fallback of the one that was asked. */
  model: string
  finishReason: string | null
  inputTokens: number | null
  outputTokens: number | null
  /** In US dollars. */
  cost: number | null
  ms: number
  /** Of a route: the models that were asked, in this order. */
  attempts?: { model: string; outcome: string; deployment?: string }[]
  /** Absent for a complete answer. `interrupted`: the page that received it was closed. */
  how?: 'stopped' | 'failed' | 'interrupted'
  /** Why it is incomplete. */
  problem?: string
}

/** With two models side by side, each has a tree of its own. */
export type Side = 'left' | 'right'

type Common = {
  id: string
  conversationId: string
  side: Side
  /** The turn that this one follows; null for the first. */
  parentId: string | null
  atMs: number
  text: string
}

export type Question = Common & {
  role: 'user'
  /** Addresses of pictures that the person added. */
  images: readonly string[]
}

/** Results of the tools that the answer before asked for, by call. */
export type ToolResults = Common & {
  role: 'tool'
  results: readonly { callId: string; text: string }[]
}

export type Answer = Common & {
  role: 'assistant'
  model: string
  reasoning: string
  toolCalls: readonly ToolCall[]
  /** The identifier that the server gave it, by which its cost is found. */
  answerId?: string
  /** The schema that was asked for. */
  schema?: unknown
  /** Absent while it is arriving. */
  end?: AnswerEnd
}

export type Turn = Question | ToolResults | Answer

export type Conversation = {
  id: string
  /** Whose it is: several people may use one browser. */
  owner: string
  name: string
  /** When the name was given; the later name wins. */
  namedAtMs: number
  createdAtMs: number
  changedAtMs: number
  deletedAtMs?: number
}

/** Turns change only while they arrive, so the one that is further along is the newer. */
const progressOf = (turn: Turn): readonly number[] =>
  turn.role === 'assistant'
    ? [turn.end ? 1 : 0, turn.end && turn.end.inputTokens !== null ? 1 : 0, turn.text.length]
    : [0, 0, 0]

export function newerTurn(a: Turn, b: Turn): Turn {
  const [left, right] = [progressOf(a), progressOf(b)]
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0
    if (value !== other) return value > other ? a : b
  }
  return a
}

/** All turns that either side has. The result is the same in whichever order they meet. */
export function mergeTurns(known: readonly Turn[], found: readonly Turn[]): Turn[] {
  const byId = new Map(known.map((turn) => [turn.id, turn]))
  for (const turn of found) {
    const other = byId.get(turn.id)
    byId.set(turn.id, other ? newerTurn(other, turn) : turn)
  }
  return [...byId.values()].sort(inOrder)
}

const inOrder = (a: Turn, b: Turn): number => a.atMs - b.atMs || (a.id < b.id ? -1 : 1)

/** The later name, the latest change, and deleted if either says so. */
export const mergeConversation = (a: Conversation, b: Conversation): Conversation => {
  const named = b.namedAtMs > a.namedAtMs ? b : a
  const deletedAtMs = a.deletedAtMs ?? b.deletedAtMs
  return {
    ...a,
    name: named.name,
    namedAtMs: named.namedAtMs,
    changedAtMs: Math.max(a.changedAtMs, b.changedAtMs),
    ...(deletedAtMs === undefined ? {} : { deletedAtMs }),
  }
}

/** The turns that could stand at the same position. */
export const siblingsOf = (turns: readonly Turn[], { side, parentId }: Turn): Turn[] =>
  turns.filter((turn) => turn.side === side && turn.parentId === parentId)

/** Which of several siblings is shown, by their parent. The newest, unless somebody chose. */
export type Choices = Readonly<Record<string, string>>

export const placeOf = ({ side, parentId }: Pick<Turn, 'side' | 'parentId'>): string =>
  parentId ?? `first ${side}`

/** From the first question to the last turn, as it is shown. */
export function shownPath(turns: readonly Turn[], side: Side, choices: Choices): Turn[] {
  const children = new Map<string, Turn[]>()
  for (const turn of turns) {
    if (turn.side !== side) continue
    const place = placeOf(turn)
    children.set(place, [...(children.get(place) ?? []), turn])
  }
  const path: Turn[] = []
  let place = placeOf({ side, parentId: null })
  for (;;) {
    const here = children.get(place) ?? []
    const turn = here.find(({ id }) => id === choices[place]) ?? here.at(-1)
    if (!turn || path.includes(turn)) return path
    path.push(turn)
    place = turn.id
  }
}

/** The path that leads to a turn, with the turn. */
export function pathTo(turns: readonly Turn[], turnId: string | null): Turn[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]))
  const path: Turn[] = []
  let turn = turnId === null ? undefined : byId.get(turnId)
  while (turn && !path.includes(turn)) {
    path.unshift(turn)
    turn = turn.parentId === null ? undefined : byId.get(turn.parentId)
  }
  return path
}

/** A copy of a path as the beginning of another conversation. */
export function branchOf(path: readonly Turn[], conversationId: string, newId: () => string) {
  let parentId: string | null = null
  return path.map((turn): Turn => {
    const copy: Turn = { ...turn, id: newId(), conversationId, side: 'left', parentId }
    parentId = copy.id
    return copy
  })
}

/** The first words of the first question. */
export const nameFrom = (text: string): string => {
  const line = text.trim().split('\n')[0]?.trim() ?? ''
  return (line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line) || 'A picture'
}
