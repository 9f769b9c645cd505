import { Page } from '#console/ui/page.tsx'

export function ChatScreen() {
  return <Page title="Chat">{null}</Page>
}
