// The playground used to keep one conversation, in localStorage. Whoever has one finds it again.
import { newId } from '#console/lib/ids.ts'
import type { ChatStore } from './chat-store.ts'
import { nameFrom, type Side, type Turn } from './turn-tree.ts'

type OldTurn = {
  role?: 'user' | 'assistant'
  text?: string
  images?: string[]
  end?: { model: string; finishReason: string | null; ms: number; problem?: string } & Record<
    'inputTokens' | 'outputTokens' | 'cost',
    number | null
  >
}

const sides: readonly Side[] = ['left', 'right']

export async function importOldChat(accountId: string, store: ChatStore): Promise<void> {
  const names = sides.map((side) => `atelier.chat.${accountId}.${side}`)
  const conversationId = newId()
  const turns = sides.flatMap((side, index) => {
    let parentId: string | null = null
    return readOld(names[index] ?? '').map((old, position): Turn => {
      const { text = '', end, images = [] } = old
      const common = { id: newId(), conversationId, side, parentId, atMs: position, text }
      parentId = common.id
      return old.role === 'user' || !end
        ? { ...common, role: 'user', images }
        : {
            ...common,
            role: 'assistant',
            model: end.model,
            reasoning: '',
            toolCalls: [],
            end,
          }
    })
  })
  const [first] = turns
  if (first) {
    const atMs = Date.now()
    const { owner } = store.use.getState()
    const times = { namedAtMs: 0, createdAtMs: atMs, changedAtMs: atMs }
    const conversation = { id: conversationId, owner, name: nameFrom(first.text), ...times }
    await store.put({ conversations: [conversation], turns })
  }
  for (const name of names) localStorage.removeItem(name)
}

function readOld(name: string): OldTurn[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}
