import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useOwner } from '#console/api/use-owner.ts'
import { newId } from '#console/lib/ids.ts'
import { keptValues } from '#console/lib/use-kept.ts'
import type { PlaygroundSearch } from '#console/screens/playground/address.ts'
import { PlaygroundLinks } from '#console/screens/playground/playground-links.tsx'
import { useModels } from '#console/screens/playground/use-models.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { noSettings } from './chat-request.ts'
import { ChatWorkbench } from './chat-workbench.tsx'
import { chats } from './chats.ts'
import { importOldChat } from './import-old-chat.ts'

const route = getRouteApi('/framed/playground/chat')

export function ChatScreen() {
  const models = useModels(['TEXT', 'CODE'])
  const owner = useOwner()
  const search = route.useSearch()
  const isRead = chats.use((state) => state.isRead && state.owner === owner)
  useStart(owner)
  useOpenConversation(owner, search)
  if (models.data && models.data.length > 0 && isRead && owner && search.conversation)
    return (
      <ChatWorkbench
        key={search.conversation}
        models={models.data}
        owner={owner}
        conversationId={search.conversation}
      />
    )
  return (
    <>
      <PlaygroundLinks />
      <Page title="Chat">
        <Loadable
          query={models}
          skeleton={<Skeleton className="h-96 rounded-md" />}
          isEmpty={(data) => data.length === 0}
          empty={<Banner tone="warn" title="No text model is available" />}
        >
          {() => <Skeleton className="h-96 rounded-md" />}
        </Loadable>
      </Page>
    </>
  )
}

function useStart(owner: string | undefined) {
  useEffect(() => {
    const [accountId] = owner?.split('.') ?? []
    if (!owner || !accountId) return
    void chats
      .start(owner)
      .then(() => importOldChat(accountId, chats))
      // Storage that cannot be used has nothing to import, and the page says so already.
      .catch(() => {})
  }, [owner])
}

/** The address names the conversation: the last one, or a new one if it says how to start. */
function useOpenConversation(owner: string | undefined, search: PlaygroundSearch) {
  const navigate = route.useNavigate()
  const { conversation: named, model, beside, prompt, image } = search
  // Whoever goes back to a deleted one gets a new one: what is written there would not be listed.
  const isDeleted = chats.use(({ deleted }) => named !== undefined && deleted.has(named))
  const conversation = isDeleted ? undefined : named
  useEffect(() => {
    if (!owner) return
    if (isDeleted) return void navigate({ search: { conversation: newId() }, replace: true })
    const lastName = `${owner}.conversation`
    if (conversation) return keptValues.set(lastName, conversation)
    const isStart = [model, beside, prompt, image].some((value) => value !== undefined)
    const last = keptValues.get(lastName)
    const id = isStart || typeof last !== 'string' ? newId() : last
    if (isStart) {
      const latest = keptValues.get(`${owner}.settings`) ?? noSettings
      const settings = { ...latest, ...(model ? { model } : {}), beside: beside ?? null }
      keptValues.set(`${owner}.settings.${id}`, settings)
      const typed = { text: prompt ?? '', images: image ? [image] : [], replaces: null }
      keptValues.set(`${owner}.typed.${id}`, typed)
    }
    void navigate({ search: { conversation: id }, replace: true })
  }, [owner, isDeleted, conversation, model, beside, prompt, image, navigate])
}
