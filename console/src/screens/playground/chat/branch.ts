import { newId } from '#console/lib/ids.ts'
import { chats } from './chats.ts'
import { branchOf, pathTo, type Turn } from './turn-tree.ts'

/** A new conversation that begins with everything up to this turn. Returns its id. */
export async function branchConversation(turns: readonly Turn[], turn: Turn): Promise<string> {
  const conversationId = newId()
  const copies = branchOf(pathTo(turns, turn.id), conversationId, newId)
  const known = chats.use.getState().conversations.find(({ id }) => id === turn.conversationId)
  const begun = chats.touched(conversationId, copies[0]?.text ?? '')
  const name = `${known?.name ?? begun.name} (branch)`
  await chats.put({ conversations: [{ ...begun, name }], turns: copies })
  return conversationId
}
