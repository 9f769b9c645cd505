// The one store of conversations of this page.
import { createAnswering } from './answering.ts'
import { browserChats } from './chat-storage.ts'
import { createChatStore, type Tabs } from './chat-store.ts'

function browserTabs(): Tabs {
  const channel = new BroadcastChannel('atelier.chats')
  return {
    post: (conversationId) => channel.postMessage(conversationId),
    onPost: (hear) => channel.addEventListener('message', ({ data }) => hear(String(data))),
  }
}

export const chats = createChatStore({
  storage: browserChats,
  tabs: browserTabs(),
  nowMs: () => Date.now(),
})
export const answering = createAnswering(chats)
